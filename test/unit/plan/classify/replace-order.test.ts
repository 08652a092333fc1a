/** Objects that are made before the old ones are destroyed: through chains and diamonds. */

import { expect, test } from "vitest";
import type { DesiredInstance } from "../../../../src/model/plan/desired.ts";
import { vmAddress } from "../../../simulation/configuration.ts";
import { codesOf, configuration, existingVm, isAfter, planOf, vm } from "../planning.ts";

/** What each VM depends on, in order. */
type Shape = { readonly [name: string]: readonly string[] };

const chain: Shape = { a: [], b: ["a"], c: ["b"] };
const diamond: Shape = { a: [], b: ["a"], c: ["a"], d: ["b", "c"] };

/** All of them get new keys, but those in `kept`; `asked` are to be made first. */
function planned(shape: Shape, asked: readonly string[], kept: readonly string[] = []) {
  const names = Object.keys(shape);
  const dependsOn = (name: string): string[] => [...(shape[name] ?? [])];
  return planOf({
    exists: names.map((name) => existingVm(vm(name, { dependsOn: dependsOn(name) }), "off")),
    wants: configuration(
      names.map((name) => {
        const id = kept.includes(name) ? name : `${name}2`;
        return vm(name, { id, dependsOn: dependsOn(name) });
      }),
    ),
    edit: (instance: DesiredInstance) => {
      const isAsked = asked.some((name) => vmAddress(name) === instance.address);
      return {
        ...instance,
        lifecycle: { ...instance.lifecycle, createBeforeDestroy: isAsked },
      };
    },
  });
}

test.each<[string, Shape, string]>([
  ["a chain of three", chain, "c"],
  ["a diamond", diamond, "d"],
])("%s is made first as a whole where its end asks for it", (_what, shape, asked) => {
  const plan = planned(shape, [asked]);
  expect(codesOf(plan)).toEqual([]);
  for (const [name, dependsOn] of Object.entries(shape)) {
    expect(isAfter(plan, `${name} delete`, `${name} create`)).toBe(true);
    for (const other of dependsOn) {
      expect(isAfter(plan, `${name} create`, `${other} create`)).toBe(true);
      expect(isAfter(plan, `${other} delete`, `${name} delete`)).toBe(true);
      // The old one stands until whatever used it has turned to the new one.
      expect(isAfter(plan, `${other} delete`, `${name} create`)).toBe(true);
    }
  }
});

test("the middle of a chain takes along what it depends on, and not what depends on it", () => {
  const plan = planned(chain, ["b"]);
  expect(codesOf(plan)).toEqual([]);
  expect(isAfter(plan, "a delete", "a create")).toBe(true);
  expect(isAfter(plan, "b delete", "b create")).toBe(true);
  expect(isAfter(plan, "c create", "c delete")).toBe(true);
  expect(isAfter(plan, "a delete", "c create")).toBe(true);
});

test("it is passed on through an object that stays", () => {
  const plan = planned(chain, ["c"], ["b"]);
  expect(codesOf(plan)).toEqual([]);
  expect(isAfter(plan, "a delete", "a create")).toBe(true);
  expect(isAfter(plan, "c delete", "c create")).toBe(true);
});

test("one side of a diamond takes along its foot, which the other side waits for", () => {
  const plan = planned(diamond, ["b"]);
  expect(codesOf(plan)).toEqual([]);
  expect(isAfter(plan, "a delete", "a create")).toBe(true);
  expect(isAfter(plan, "c create", "a create")).toBe(true);
  expect(isAfter(plan, "a delete", "c create")).toBe(true);
});

test("an object of the chain that keeps its key cannot be made first, and the plan says why", () => {
  const plan = planOf({
    exists: [
      existingVm(vm("a"), "off", { applied: { id: "a", name: "old" } }),
      existingVm(vm("b", { dependsOn: ["a"] }), "off"),
    ],
    wants: configuration([vm("a", { label: "new" }), vm("b", { id: "b2", dependsOn: ["a"] })]),
    edit: (instance) => ({
      ...instance,
      lifecycle: {
        ...instance.lifecycle,
        createBeforeDestroy: instance.address === vmAddress("b"),
      },
    }),
  });
  expect(codesOf(plan)).toEqual(["PLN015"]);
  expect(plan.diagnostics[0]?.address).toBe(vmAddress("a"));
  expect(plan.diagnostics[0]?.detail).toContain("something that depends on it");
});
