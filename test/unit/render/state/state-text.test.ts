/** Recorded state and outputs as text. */

import { expect, test } from "vitest";
import { outputsJson, outputsText } from "../../../../src/render/state/outputs.ts";
import { stateListText, stateShowText } from "../../../../src/render/state/state-text.ts";
import {
  address,
  beginEntry,
  recordedObject,
  recordedState,
  testTypes,
} from "../../../helpers/recorded-builder.ts";

const options = { color: false, types: testTypes };

const state = recordedState(
  [
    recordedObject(`daemon_vm.web["a"]`, {
      identity: "web-a",
      applied: { id: "web-a", tag: null, power: "on" },
      attributes: { id: "web-a", power_state: "off", ip_address: "10.0.0.1\u001b[2J" },
      dependencies: [address("daemon_vm.base")],
    }),
    recordedObject(`daemon_vm.web["a"]`, {
      objectKey: "deposed-1",
      status: "tentative",
      tentativeUntilMs: 0,
      applied: null,
    }),
    recordedObject("test_vault.v", {
      type: "test_vault",
      applied: { password: "s3cr&t", note: "two\nlines\n", bytes: 9007199254740993n },
      container: { type: "daemon_vm", identity: "web-a" },
    }),
  ],
  {
    restores: [{ address: address(`daemon_vm.web["a"]`), power: "on" }],
    open: [beginEntry({ subject: { address: address(`daemon_vm.web["a"]`) } })],
  },
);

test("the list holds each address once and nothing else", () => {
  expect(stateListText(state)).toBe(`daemon_vm.web["a"]\ntest_vault.v`);
  expect(stateListText(recordedState([]))).toBe("");
});

test("the list names endpoints where a type has more than one", () => {
  const at = (text: string, url: string) => recordedObject(text, { endpoint: { url } });
  const vault = recordedObject("test_vault.v", { type: "test_vault" });
  const one = [at("daemon_vm.a", "http://a"), at("daemon_vm.b", "http://a"), vault];
  expect(stateListText(recordedState(one))).toBe("daemon_vm.a\ndaemon_vm.b\ntest_vault.v");
  const two = [at("daemon_vm.a", "http://a"), at("daemon_vm.b", "http://b"), vault];
  expect(stateListText(recordedState(two))).toBe(
    "daemon_vm.a\thttp://a\ndaemon_vm.b\thttp://b\ntest_vault.v",
  );
});

test("an object with everything it may have", () => {
  expect(stateShowText(state, address(`daemon_vm.web["a"]`), options)).toBe(
    [
      `# daemon_vm.web["a"]:`,
      "type: daemon_vm",
      "provider: daemon",
      `identity: "web-a"`,
      "status: ready",
      "restore: on # power an earlier run still owes",
      "open operation: daemon_vm.web#shutdown.1 # begun 1 Jan 1970 00:00:00",
      "dependencies: daemon_vm.base",
      "applied:",
      `  id: "web-a"`,
      `  power: "on"`,
      "attributes:",
      `  id: "web-a"`,
      `  power_state: "off"`,
      `  ip_address: "10.0.0.1\\u001b[2J"`,
      "",
      `# daemon_vm.web["a"] (deposed-1):`,
      "type: daemon_vm",
      "provider: daemon",
      `identity: "web[\\"a\\"]"`,
      "status: tentative # a create that was not seen to take effect, kept until 1 Jan 1970 00:00:00",
      "applied: none # imported, never applied",
      "attributes: {}",
    ].join("\n"),
  );
});

test("secrets are left out, text of several lines is a block, integers are exact", () => {
  const text = stateShowText(state, address("test_vault.v"), options);
  expect(text).toContain(`container: daemon_vm "web-a"`);
  expect(text).toContain(
    "applied:\n  password: (sensitive value)\n  note: |\n    two\n    lines\n  bytes: 9007199254740993",
  );
});

test("an address that is not recorded", () => {
  expect(stateShowText(state, address("daemon_vm.other"), options)).toBeUndefined();
});

const outputs = [
  { name: "ip", value: "10.0.0.1", sensitive: false },
  { name: "list", value: ["a", 1n], sensitive: false },
  { name: "key", value: "s3cr&t", sensitive: true },
  { name: "long", value: { a: "x".repeat(40), b: ["y".repeat(70)] }, sensitive: false },
];

test("outputs as text", () => {
  expect(outputsText(outputs, { color: false })).toBe(
    [
      `ip: "10.0.0.1"`,
      `list: ["a", 1]`,
      "key: (sensitive value)",
      "long:",
      `  a: "${"x".repeat(40)}"`,
      "  b:",
      `    - "${"y".repeat(70)}"`,
    ].join("\n"),
  );
  expect(outputsText([], { color: false })).toBe("");
});

test("outputs as data", () => {
  expect(outputsJson(outputs)).toMatchObject({
    ip: { sensitive: false, value: "10.0.0.1" },
    key: { sensitive: true },
  });
  expect(outputsJson(outputs).key).not.toHaveProperty("value");
});
