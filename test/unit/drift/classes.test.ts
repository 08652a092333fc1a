/** Desired, recorded, observed: which of the three moved. The whole table, and what it rests on. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { driftClass, fingerprintOf, severityOf } from "../../../src/drift/difference.ts";
import type { DriftClass } from "../../../src/model/plan/drift-report.ts";
import { testTypes } from "../../helpers/recorded-builder.ts";

const unset = undefined;

/** Desired, recorded, observed (undefined: cannot be read), class (undefined: nothing to tell). */
const table: readonly (readonly [
  string | undefined,
  string | null,
  string | null | undefined,
  DriftClass | undefined,
])[] = [
  ["a", "a", "a", undefined],
  ["a", "a", "b", "drift"],
  ["a", "a", null, "drift"],
  ["b", "a", "a", "config-change"],
  ["b", "a", "b", "drift-toward-config"],
  ["c", "a", "b", "conflict"],
  ["c", "a", null, "conflict"],
  ["b", null, null, "config-change"],
  ["b", null, "b", "drift-toward-config"],
  ["b", null, "a", "conflict"],
  [unset, "a", "a", undefined],
  [unset, "a", "b", "drift"],
  [unset, null, "b", "drift"],
  [unset, null, null, undefined],
  ["a", "a", unset, undefined],
  ["b", "a", unset, "config-change"],
  [unset, "a", unset, undefined],
];

describe("class by desired, recorded, observed", () => {
  test.each(table)("%s, %s, %s: %s", (desired, recorded, observed, expected) => {
    expect(driftClass(desired, recorded, observed)).toBe(expected);
  });

  test("the table has every pattern of equality", () => {
    const patterns = new Set(
      table.map(([desired, recorded, observed]) =>
        [
          desired === undefined ? "unset" : desired === recorded,
          observed === undefined ? "unread" : observed === recorded,
          desired === observed,
        ].join(),
      ),
    );
    // Three by three, and two ways to differ from what is recorded: alike or not.
    expect(patterns.size).toBe(10);
  });

  test("accepting what is observed leaves at most a change of the configuration", () => {
    const value = fc.constantFrom("a", "b", "c", 1n, 1, null);
    fc.assert(
      fc.property(fc.option(value, { nil: undefined }), value, (desired, observed) => {
        expect([undefined, "config-change"]).toContain(driftClass(desired, observed, observed));
      }),
    );
  });
});

describe("severity", () => {
  const vm = testTypes.daemon_vm?.schema.attributes;
  const folder = testTypes.daemon_shared_folder?.schema.attributes;
  const vault = testTypes.test_vault?.schema.attributes;
  test.each([
    ["marked in the schema", folder?.writable, false, "security"],
    ["marked in the schema, cosmetic", vm?.tag, false, "cosmetic"],
    ["observed power", vm?.power_state, true, "power"],
    ["a secret", vault?.password, false, "security"],
    ["anything else", vault?.bytes, false, "other"],
    ["without a schema", undefined, false, "other"],
  ] as const)("%s", (_name, schema, isPower, severity) => {
    expect(severityOf(schema, isPower)).toBe(severity);
  });
});

test("fingerprints differ when any part does, also when the parts joined are the same text", () => {
  const all = [
    fingerprintOf("daemon_vm.a", "current", "tag", "drift"),
    fingerprintOf("daemon_vm.b", "current", "tag", "drift"),
    fingerprintOf("daemon_vm.a", "current", "name", "drift"),
    fingerprintOf("daemon_vm.a", "current", "tag", "conflict"),
    fingerprintOf("daemon_vm.a", "current", "ta", "gdrift"),
  ];
  expect(new Set(all).size).toBe(all.length);
  // Stored in tickets and compared with the next report: it must not change between versions.
  expect(all[0]).toBe("fe989dfe9cd19b46");
});
