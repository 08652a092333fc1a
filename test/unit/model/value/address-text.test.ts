import { expect, test } from "vitest";
import { addressAdvice } from "../../../../src/model/value/address-text.ts";

test.each([
  ["daemon_vm.web[a]", `'daemon_vm.web["a"]'`],
  ["module.lab[x].daemon_vm.web[a b]", `'module.lab["x"].daemon_vm.web["a b"]'`],
  ["daemon_vm.web[0", `Write it like daemon_vm.web or 'daemon_vm.web["a"]'.`],
  ["web", `Write it like daemon_vm.web or 'daemon_vm.web["a"]'.`],
])("advice for %s", (text, words) => {
  expect(addressAdvice(text)).toContain(words);
});
