/** Where conditions stand that are judged while applying, and which instances they keep back. */

import { expect, test } from "vitest";
import type {
  ConditionResult,
  DesiredCondition,
} from "../../../../src/model/operation/condition.ts";
import type { DesiredInstance } from "../../../../src/model/plan/desired.ts";
import { vmAddress } from "../../../simulation/configuration.ts";
import {
  changesOf,
  codesOf,
  configuration,
  existingFolder,
  existingVm,
  folder,
  isAfter,
  operationsOf,
  planOf,
  type Scene,
  vm,
} from "../planning.ts";

const source = { file: "main.vmform.yaml", line: 1, column: 1, text: "" };
const late: ConditionResult = {
  status: "unknown",
  message: "",
  deferred: { template: "", scope: {}, pending: {}, type: "boolean", references: [] },
};

type Kind = DesiredCondition["kind"];

function condition(kind: Kind, result: ConditionResult): DesiredCondition {
  return { kind, source, usesSelf: false, resolve: () => result };
}

/** Gives the VM `name` conditions of these kinds. */
function withConditions(
  name: string,
  kinds: readonly Kind[],
  result: ConditionResult = late,
): NonNullable<Scene["edit"]> {
  return (instance: DesiredInstance) =>
    instance.address === vmAddress(name)
      ? { ...instance, conditions: kinds.map((kind) => condition(kind, result)) }
      : instance;
}

const both: readonly Kind[] = ["precondition", "postcondition"];
const chain = [vm("a"), vm("b", { dependsOn: ["a"], power: "on" }), vm("c", { dependsOn: ["b"] })];
const failed: ConditionResult = { status: "failed", message: "no", values: "" };
const recreated = { parent_id: "other" };

test("stands between what an object waits for, its own operations and what waits for it", () => {
  const plan = planOf({ wants: configuration(chain), edit: withConditions("b", both) });
  expect(codesOf(plan)).toEqual([]);
  const order = ["a create", "b precondition", "b create", "b on", "b postcondition", "c create"];
  for (const [index, later] of order.entries()) {
    const earlier = order[index - 1];
    if (earlier !== undefined) expect(isAfter(plan, later, earlier)).toBe(true);
  }
});

test("is judged of an object that stays as it is, between its neighbours", () => {
  const b = existingVm(vm("b", { dependsOn: ["a"] }), "on");
  const plan = planOf({
    exists: [b],
    wants: configuration(chain),
    edit: withConditions("b", both),
  });
  expect(changesOf(plan)).toEqual(["create a", "create c"]);
  expect(isAfter(plan, "b precondition", "a create")).toBe(true);
  expect(isAfter(plan, "b postcondition", "b precondition")).toBe(true);
  expect(isAfter(plan, "c create", "b postcondition")).toBe(true);
});

test("comes before the end of an object that is replaced", () => {
  const b = existingVm(vm("b", { parent: "a" }), "off", { applied: { id: "b", ...recreated } });
  const plan = planOf({
    exists: [b],
    wants: configuration([vm("a"), vm("b", { parent: "a" })]),
    edit: withConditions("b", both),
  });
  expect(changesOf(plan)).toEqual(["create a", "replace b"]);
  expect(isAfter(plan, "b delete", "b precondition")).toBe(true);
  expect(isAfter(plan, "b precondition", "a create")).toBe(true);
  expect(isAfter(plan, "b postcondition", "b clone")).toBe(true);
});

const replaced = (name: string, dependsOn: string[]) =>
  existingVm(vm(name, { dependsOn }), "off", {
    applied: { id: name, ...recreated },
    attributes: { id: name, power_state: "off" },
  });

test("of an old object that has to go first is told", () => {
  const plan = planOf({
    exists: [existingVm(vm("p"), "off"), replaced("x", []), replaced("b", ["x"])],
    wants: configuration([
      vm("p"),
      vm("x", { parent: "p" }),
      vm("a", { dependsOn: ["x"] }),
      vm("b", { parent: "p", dependsOn: ["a"] }),
    ]),
    edit: withConditions("b", ["precondition"]),
  });
  expect(changesOf(plan)).toEqual(["replace x", "create a", "replace b"]);
  expect(codesOf(plan)).toEqual(["PLN051"]);
  expect(isAfter(plan, "b precondition", "b delete")).toBe(true);
  expect(isAfter(plan, "b clone", "b precondition")).toBe(true);
});

test("comes before every word of a window, and after the last", () => {
  const plan = planOf({
    exists: [existingVm(vm("b", { power: "on", firmware: "one" }), "on")],
    wants: configuration([vm("b", { power: "on", firmware: "two" })]),
    edit: withConditions("b", both),
  });
  const [first, ...words] = operationsOf(plan);
  expect(first).toBe("b precondition");
  expect(words.at(-1)).toBe("b postcondition");
  expect(words.length).toBeGreaterThan(2);
});

test.each(["on", "off"] as const)(
  "content of a VM that ends %s is placed all the same",
  (power) => {
    const plan = planOf({
      exists: [existingVm(vm("b", { power: "on" }), "on")],
      wants: configuration([vm("b", { power })], [folder("data", "b")]),
      edit: withConditions("b", ["postcondition"]),
    });
    expect(codesOf(plan)).toEqual([]);
    expect(operationsOf(plan)).toContain("b postcondition");
    expect(operationsOf(plan).some((text) => text.startsWith("data "))).toBe(true);
  },
);

test.each(both)("a false %s keeps back what depends on it, and nothing else", (kind) => {
  const plan = planOf({
    exists: [existingVm(vm("b", { dependsOn: ["a"], power: "on" }), "on")],
    wants: configuration([...chain, vm("other")]),
    edit: withConditions("b", [kind], failed),
  });
  expect(codesOf(plan)).toEqual([kind === "precondition" ? "PLN049" : "PLN050"]);
  expect(changesOf(plan)).toEqual(["create a", "create other"]);
  expect(plan.blocked).toEqual([vmAddress("b"), vmAddress("c")]);
});

test("what cannot be told is an error", () => {
  const plan = planOf({
    wants: configuration([vm("b")]),
    edit: withConditions("b", ["precondition"], { status: "faulty", why: "x." }),
  });
  expect(codesOf(plan)).toEqual(["PLN049"]);
  expect(changesOf(plan)).toEqual([]);
});

test.each(["destroy", "refresh"] as const)("nothing is judged to %s", (mode) => {
  const plan = planOf({
    exists: [existingVm(vm("b"), "off"), existingFolder(folder("data", "b"))],
    wants: configuration([vm("b")], [folder("data", "b")]),
    edit: withConditions("b", both, failed),
    input: { mode },
  });
  expect(codesOf(plan)).toEqual([]);
});
