import fc from "fast-check";
import { expect, test } from "vitest";
import { compareAddresses } from "../../../../src/model/value/address.ts";
import { addressAdvice, addressesText } from "../../../../src/model/value/address-text.ts";
import { address } from "../../../helpers/recorded-builder.ts";

test.each([
  ["daemon_vm.web[a]", `'daemon_vm.web["a"]'`],
  ["module.lab[x].daemon_vm.web[a b]", `'module.lab["x"].daemon_vm.web["a b"]'`],
  ["daemon_vm.web[0", `Write it like daemon_vm.web or 'daemon_vm.web["a"]'.`],
  ["web", `Write it like daemon_vm.web or 'daemon_vm.web["a"]'.`],
])("advice for %s", (text, words) => {
  expect(addressAdvice(text)).toContain(words);
});

test("addresses are named in order, numbers by their value, and the rest is counted", () => {
  const web = [10, 2, 9, 1].map((key) => address(`daemon_vm.web[${key}]`));
  const [ten, two, nine, one] = web;
  expect(addressesText(web)).toBe([one, two, nine, ten].join(", "));
  expect(addressesText(web, 2)).toBe("daemon_vm.web[1], daemon_vm.web[2] and 2 more");
});

/** The order said plainly: parts of text and of digits in turn, the latter by their value. */
function plainOrder(left: string, right: string): number {
  const [a, b] = [left.split(/(\d+)/), right.split(/(\d+)/)];
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const x = a[index] ?? "";
    const y = b[index] ?? "";
    if (x === y) continue;
    if (index % 2 === 1 && Number(x) !== Number(y)) return Number(x) - Number(y);
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

test("the order of addresses is that of their parts, whatever they are", () => {
  const text = fc.array(fc.constantFrom("0", "1", "2", "a", "[", "é"), { maxLength: 6 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const [a, b] = [left.join(""), right.join("")];
      expect(Math.sign(compareAddresses(a, b))).toBe(Math.sign(plainOrder(a, b)));
    }),
    { numRuns: 2_000 },
  );
});
