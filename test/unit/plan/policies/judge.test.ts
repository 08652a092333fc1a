/** What policies say of plans: the page's own policies, and each kind of what peers get wrong. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadPolicies } from "../../../../src/config/load-policies.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { DesiredPolicy } from "../../../../src/model/plan/policy.ts";
import { unknown } from "../../../../src/model/value/value.ts";
import { judgePlan } from "../../../../src/plan/policies/judge.ts";
import { dataRegistry, typeRegistry } from "../../../../src/providers/registry.ts";
import { toBytes } from "../../../helpers/load-config.ts";
import { buildChange, buildOperation, buildPlan } from "../../../helpers/plan-builder.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const types = typeRegistry();
const page = new URL("../../../../docs/policies.md", import.meta.url);
const noon = Date.parse("2026-03-04T12:00Z");

function policiesOf(yaml: string): readonly DesiredPolicy[] {
  const files = [{ name: "main.vmform.yaml", bytes: toBytes(yaml) }];
  const { value, diagnostics } = loadPolicies({ files, types, dataTypes: dataRegistry() });
  expect(diagnostics).toEqual([]);
  return value ?? [];
}

function judged(policies: readonly DesiredPolicy[], plan: Plan, nowMs = noon): Plan {
  return judgePlan(plan, { policies, types, nowMs, restores: [] });
}

/** As `policy verdict address operation`. */
function told(plan: Plan): readonly string[] {
  return (plan.policies?.findings ?? []).map(({ policy, verdict, address: at, operation }) =>
    [policy, verdict, at ?? "", operation ?? ""].join(" ").trim(),
  );
}

const preview = { method: "PUT", path: "/" };
const cycle = buildOperation("daemon_vm.web", "shutdown", {
  effect: { kind: "power" },
  disrupts: ["power-cycle"],
  request: { preview },
});
const lateStore = {
  address: address("data.cloud_datastore.fast"),
  ...{ type: "cloud_datastore", provider: "cloud", query: {}, deferred: {}, waitsFor: [] },
};
const store = (used: number, attributes: object = {}) => ({
  ...lateStore,
  attributes: { name: "ssd-01", storage_mb: 100_000, used_mb: used, ...attributes },
});
const grow = (from: number, to: number) =>
  buildChange("manager_disk.data", {
    before: { datastore: "ssd-01", size_gb: from },
    after: { datastore: "ssd-01", size_gb: to },
  });
const move = buildChange("cloud_vm.web", {
  before: { datastore: "hdd-01" },
  after: { datastore: "ssd-01" },
});

describe("the policies of the page", () => {
  const [, yaml = ""] = /```yaml\n([^]*?)\n```/.exec(readFileSync(page, "utf8")) ?? [];
  const policies = policiesOf(yaml);

  test.each<readonly [string, Partial<Plan>, string, readonly string[]]>([
    [
      "a power cycle at noon",
      { operations: [cycle] },
      "2026-03-04T12:00Z",
      ["nights outside daemon_vm.web daemon_vm.web#shutdown.1"],
    ],
    ["a power cycle at night", { operations: [cycle] }, "2026-03-04T23:00Z", []],
    ["a power cycle on Sunday", { operations: [cycle] }, "2026-03-08T12:00Z", []],
    ["a datastore of 79 %", { data: [store(79_000)] }, "2026-03-04T12:00Z", []],
    [
      "a datastore of 80 %",
      { data: [store(80_000)] },
      "2026-03-04T12:00Z",
      ["room violated data.cloud_datastore.fast"],
    ],
    [
      "a datastore that a disk would fill",
      { data: [store(60_000)], changes: [grow(10, 30)] },
      "2026-03-04T12:00Z",
      ["room violated data.cloud_datastore.fast"],
    ],
    [
      "a disk that leaves room",
      { data: [store(60_000)], changes: [grow(10, 29)] },
      "2026-03-04T12:00Z",
      [],
    ],
    [
      "a VM that moves where room is known",
      { data: [store(1)], changes: [move] },
      "2026-03-04T12:00Z",
      [],
    ],
    [
      "a VM that moves where nothing is known",
      { changes: [move] },
      "2026-03-04T12:00Z",
      ["filling violated cloud_vm.web"],
    ],
    [
      "what is named prod is replaced",
      { changes: [buildChange("daemon_vm.prod_db", { action: "replace" })] },
      "2026-03-04T12:00Z",
      ["prod violated daemon_vm.prod_db"],
    ],
    [
      "what is named prod by its id is deleted",
      { changes: [buildChange("daemon_vm.db", { action: "delete", identity: "prod-7" })] },
      "2026-03-04T12:00Z",
      ["prod violated daemon_vm.db"],
    ],
    [
      "what is named prod is updated",
      { changes: [buildChange("daemon_vm.prod_db", {})] },
      "2026-03-04T12:00Z",
      [],
    ],
  ])("%s", (_name, parts, at, expected) => {
    expect(told(judged(policies, buildPlan(parts), Date.parse(at)))).toEqual(expected);
  });

  test("it opens at 22:00 in Berlin, in winter and in summer", () => {
    const opens = (at: string): string | undefined => {
      const { policies: said } = judged(
        policies,
        buildPlan({ operations: [cycle] }),
        Date.parse(at),
      );
      const ms = said?.findings[0]?.opensMs;
      return ms === undefined ? undefined : new Date(ms).toISOString();
    };
    expect(opens("2026-03-04T12:00Z")).toBe("2026-03-04T21:00:00.000Z");
    expect(opens("2026-07-08T12:00Z")).toBe("2026-07-08T20:00:00.000Z");
  });
});

const late = buildChange("daemon_vm.new", {
  action: "create",
  after: { id: "new", tag: unknown },
});

function one(parts: object): readonly DesiredPolicy[] {
  const policy = { over: "changes", level: "deny", message: "it is so", ...parts };
  return policiesOf(stringify({ policies: { p: policy } }));
}

describe("kinds", () => {
  test.each<readonly [string, object, Partial<Plan>, readonly string[], readonly string[]]>([
    [
      "an unknown value is never allowed: deny",
      { condition: '${change.after.tag != "x"}' },
      { changes: [late] },
      ["p unknown daemon_vm.new"],
      ["warning PLN063"],
    ],
    [
      "an unknown value asks for consent",
      { condition: '${change.after.tag != "x"}', level: "needs_consent" },
      { changes: [late] },
      ["p unknown daemon_vm.new"],
      ["warning PLN062"],
    ],
    [
      "what does not need the unknown value is decided",
      { condition: '${change.action == "create" || change.after.tag != "x"}' },
      { changes: [late] },
      [],
      [],
    ],
    [
      "what only the change brings forth is unknown, not null",
      { condition: "${change.after.ip_address == null}" },
      { changes: [late] },
      ["p unknown daemon_vm.new"],
      ["warning PLN063"],
    ],
    [
      "an attribute that is misspelt is no attribute that is not set",
      { condition: '${change.after.tagg != "x"}' },
      { changes: [late] },
      ["p faulty daemon_vm.new"],
      ["error PLN064"],
    ],
    [
      "a policy that cannot be evaluated only warns where it would",
      { condition: '${change.after.tagg != "x"}', level: "warn" },
      { changes: [late] },
      ["p faulty daemon_vm.new"],
      ["warning PLN064"],
    ],
    [
      "an object that was replaced before is judged as one that is deleted",
      { condition: '${change.object_key == "current"}' },
      {
        changes: [
          buildChange("daemon_vm.a", {
            action: "delete",
            objectKey: "deposed-1",
            before: { id: "a" },
          }),
        ],
      },
      ["p violated daemon_vm.a"],
      ["error PLN060"],
    ],
    [
      "a destroy is judged",
      { over: "plan", condition: '${plan.mode != "destroy"}' },
      { mode: "destroy" },
      ["p violated"],
      ["error PLN060"],
    ],
    [
      "counts of the whole",
      { over: "plan", condition: "${plan.counts.destroy < 2}" },
      {
        changes: ["a", "b"].map((name) => buildChange(`daemon_vm.${name}`, { action: "delete" })),
      },
      ["p violated"],
      ["error PLN060"],
    ],
    [
      "data that is read too late to be judged",
      { over: "data", condition: "${data.attributes.used_mb < 5}" },
      { data: [lateStore] },
      ["p unknown data.cloud_datastore.fast"],
      ["error PLN063"],
    ],
    [
      "no change is no subject",
      { condition: false },
      { changes: [buildChange("daemon_vm.a", { action: "no-op" })] },
      [],
      [],
    ],
    [
      "an operation that only looks is no subject",
      { over: "operations", condition: false },
      { operations: [buildOperation("daemon_vm.a", "wait", { effect: { kind: "wait" } })] },
      [],
      [],
    ],
    [
      "time of a policy over the plan refuses it",
      { over: "plan", condition: '${time.weekday != "wed"}', time_zone: "UTC" },
      {},
      ["p violated"],
      ["error PLN060"],
    ],
    [
      "time of a policy that warns",
      { condition: "${time.hour < 6}", time_zone: "UTC", level: "warn" },
      { changes: [late] },
      ["p violated daemon_vm.new"],
      ["warning PLN061"],
    ],
  ])("%s", (_name, policy, parts, findings, diagnostics) => {
    const plan = judged(one(policy), buildPlan(parts));
    expect(told(plan)).toEqual(findings);
    expect(plan.diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual(
      diagnostics,
    );
  });

  test("a secret value stands in no problem", () => {
    const policy = one({ condition: "${int(string(change.after.tag)) > 3}" });
    const [p] = policy;
    const subject = {
      values: { change: { after: { tag: "hunter2" } } },
      sensitive: ["change.after.tag"],
      doubles: [],
    };
    expect(JSON.stringify(p?.judge(subject, noon))).not.toContain("hunter2");
  });

  test("judged anew, a plan keeps nothing of what was said before", () => {
    const denied = judged(
      one({ condition: false, level: "needs_consent" }),
      buildPlan({ changes: [late] }),
    );
    expect(denied.consent).toEqual([{ address: "daemon_vm.new", disruption: "policy:p" }]);
    const free = judged(one({ condition: true }), denied);
    expect(free.consent).toEqual([]);
    expect(free.diagnostics).toEqual([]);
    expect(judged([], free).policies).toBeUndefined();
  });

  test("a consent that was given is told no more", () => {
    const plan = buildPlan({ changes: [late], allowed: ["policy:p"] });
    const { diagnostics, policies, consent } = judged(
      one({ condition: false, level: "needs_consent" }),
      plan,
    );
    expect(diagnostics).toEqual([]);
    expect(policies?.findings).toMatchObject([{ allowed: true }]);
    expect(consent).toHaveLength(1);
  });
});
