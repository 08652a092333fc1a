import { expect, test } from "vitest";
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
