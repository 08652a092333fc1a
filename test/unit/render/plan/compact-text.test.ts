/** Short forms of a plan lose no address and no attribute, and name the same as the long one. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Change } from "../../../../src/model/plan/change.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { planText } from "../../../../src/render/plan/plan-text.ts";
import { keysText } from "../../../../src/render/text/instance-names.ts";
import { buildChange, buildPlan } from "../../../helpers/plan-builder.ts";
import { address, recordedObject, testTypes } from "../../../helpers/recorded-builder.ts";

const key = fc.oneof(
  fc.nat(60).map((number) => `[${number}]`),
  fc.constantFrom(`["a"]`, `["b c"]`, `["d, e"]`, `["0-3"]`, ""),
);
const value = fc.constantFrom("old", "new", "one\ntwo\n", null, 3, "x".repeat(90));
const attributes = fc.record({ id: value, tag: value, power: fc.constantFrom("on", "off") });
const change = fc
  .tuple(
    fc.constantFrom("daemon_vm.web", "daemon_vm.db", "module.lab[0].daemon_vm.web"),
    key,
    fc.constantFrom("create", "update", "replace", "delete", "forget" as const),
    attributes,
    attributes,
  )
  .map(([resource, instance, action, before, after]) => ({
    text: `${resource}${instance}`,
    parts: {
      action,
      ...(action === "create" ? {} : { before }),
      ...(action === "delete" || action === "forget" ? {} : { after }),
    },
  }));
const plans = fc
  .uniqueArray(change, { selector: ({ text }) => text, minLength: 1, maxLength: 120 })
  .map((all) => buildPlan({ changes: all.map(({ text, parts }) => buildChange(text, parts)) }));

const forms = [
  { types: testTypes, color: false },
  { types: testTypes, color: false, compact: true },
] as const;

/** Addresses at the heads of entries, groups taken apart. */
function namedIn(text: string): readonly string[] {
  const heads = text.split("\n").flatMap((line) => {
    const head =
      /^(?: {2}[+~.-]|-\/\+) ((?:module\S+\.)?daemon_vm\.\w+)(\[.*?\])?(?: \(\d+.*?\))?(?::|$)/;
    const match = head.exec(line);
    return match === null || line.includes("(instances)")
      ? []
      : [[match[1] ?? "", match[2]] as const];
  });
  return heads.flatMap(([resource, keys]) => {
    if (keys === undefined) return [resource];
    const inner = keys.slice(1, -1);
    return [...inner.matchAll(/"[^"]*"|(\d+)-(\d+)|\d+/g)].flatMap(([whole, first, last]) => {
      if (first === undefined || last === undefined) return [`${resource}[${whole}]`];
      const count = Number(last) - Number(first) + 1;
      return Array.from({ length: count }, (_, at) => `${resource}[${Number(first) + at}]`);
    });
  });
}

function addressesOf({ changes }: Plan): readonly string[] {
  return changes.map((one) => one.address as string).toSorted();
}

test("every form names each address that changes, once", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      for (const form of forms) {
        expect(namedIn(planText(plan, form)).toSorted()).toEqual(addressesOf(plan));
      }
    }),
  );
});

test("every form names each attribute that changes", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      for (const form of forms) {
        const text = planText(plan, form);
        for (const { action, attributes: all } of plan.changes) {
          if (action !== "update" && action !== "replace") continue;
          for (const { attribute } of all) expect(text).toMatch(new RegExp(`\\b${attribute}\\b`));
        }
      }
    }),
  );
});

test("the long form tells each value of each instance, also where they share an entry", () => {
  const changes = Array.from(
    { length: 300 },
    (_, index): Change =>
      buildChange(`daemon_vm.web[${index}]`, {
        action: "create",
        reason: { kind: "not-recorded" },
        after: { id: `web-${index}`, tag: "blue" },
      }),
  );
  const text = planText(buildPlan({ changes }), forms[0]);
  for (const { after } of changes) expect(text).toContain(JSON.stringify(after?.["id"]));
  expect(text.match(/blue/g)).toHaveLength(1);
  expect(text.split("\n").length).toBeLessThan(320);
  const compact = planText(buildPlan({ changes }), forms[1]);
  expect(compact.split("\n").length).toBeLessThan(8);
  expect(compact).toContain(`daemon_vm.web[0-299] (300): tag "blue", id "web-0" … "web-299"`);
});

test.each([
  [["a[0]"], "0"],
  [["a[0]", "a[1]"], "0, 1"],
  [["a[2]", "a[0]", "a[1]", "a[5]"], "0-2, 5"],
  [[`a["x"]`, `a["0"]`, `a["1"]`, `a["2"]`], `"0", "1", "2", "x"`],
])("keys of %j", (texts, expected) => {
  const addresses = texts.map((text) => address(text.replace(/^a/, "daemon_vm.a")));
  expect(keysText(addresses)).toBe(expected);
});

test("instances that are adopted share an entry as others do, each with its object", () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  const plan = buildPlan({
    changes: numbers.map((index) =>
      buildChange(`daemon_vm.web[${index}]`, {
        before: { id: `id-${index}`, tag: index === 7 ? "odd" : "old" },
        after: { id: `id-${index}`, tag: "new" },
      }),
    ),
    notes: numbers.map((index) => ({
      kind: "note",
      note: {
        what: "adopt",
        object: recordedObject(`daemon_vm.web[${index}]`, {
          identity: `id-${index}`,
          applied: null,
        }),
      },
    })),
  });
  const [whole, compact] = forms.map((form) => planText(plan, form));
  for (const index of numbers) expect(whole).toContain(`"id-${index}"`);
  expect(whole?.split("# daemon_vm.web")).toHaveLength(3);
  expect(compact).toContain(
    'daemon_vm.web[0-6, 8-39] (39 of 40): tag "old" -> "new", import "id-0" … "id-39"',
  );
  expect(compact).toContain('daemon_vm.web[7]: import "id-7", tag "odd" -> "new"');
});

test("instances that are only adopted are told as such", () => {
  const changes = Array.from({ length: 40 }, (_, index) =>
    buildChange(`daemon_vm.web[${index}]`, { action: "no-op", before: { id: `id-${index}` } }),
  );
  const notes = changes.map(({ address: text, identity }) => ({
    kind: "note" as const,
    note: { what: "adopt" as const, object: recordedObject(text, { identity, applied: null }) },
  }));
  const [whole, compact] = forms.map((form) => planText(buildPlan({ changes, notes }), form));
  expect(whole).toContain("# daemon_vm.web[0-39]: 40 instances will be imported");
  expect(compact).toContain('daemon_vm.web[0-39] (40): import "web[0]" … "web[39]"');
});
