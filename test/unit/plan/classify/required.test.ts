/** What content needs its container to be, where no read tells whether it still is. */

import { expect, test } from "vitest";
import type { TypeRegistry } from "../../../../src/model/provider/provider.ts";
import { vmAddress } from "../../../simulation/configuration.ts";
import { fakeTypes } from "../../../simulation/fake-types.ts";
import {
  changesOf,
  codesOf,
  configuration,
  consentOf,
  existingFolder,
  existingVm,
  folder,
  isAfter,
  operationsOf,
  planOf,
  vm,
} from "../planning.ts";

const { fake_folder: plain } = fakeTypes;
if (plain?.container === undefined) throw new Error("no folder");
const container = { ...plain.container, requires: { attribute: "share", equals: true } };
const types: TypeRegistry = {
  ...fakeTypes,
  fake_folder: { ...plain, container, replaceIsHarmless: true },
};
const input = { types };
const sharing = vm("a", { power: "on", share: true });
const shares = existingVm(sharing, "on");

test("it is set again before content is added, and the plan says for what", () => {
  const made = planOf({
    exists: [shares],
    wants: configuration([sharing], [folder("f", "a")]),
    input,
  });
  expect(changesOf(made).toSorted()).toEqual(["create f", "update a"]);
  expect(isAfter(made, "f add", "a set-share")).toBe(true);
  expect(made.changes.find(({ action }) => action === "update")?.reason).toEqual({
    kind: "set-again",
    attribute: "share",
    for: expect.stringMatching(/\.f$/) as string,
  });
});

test.each(["unset", "unreadable"] as const)("recorded content that is %s", (seen) => {
  const made = planOf({
    exists: [shares, existingFolder(folder("f", "a"), {}, seen)],
    wants: configuration([sharing], [folder("f", "a")]),
    input,
  });
  expect(operationsOf(made)).toEqual(seen === "unset" ? ["a set-share"] : []);
  expect(changesOf(made)).toEqual(seen === "unset" ? ["update a"] : []);
});

test("of a replacement it comes before the removal too, which needs no consent", () => {
  const before = existingFolder(folder("f", "a"));
  const wants = configuration([sharing], [folder("f", "a", { host: "/other" })]);
  const made = planOf({ exists: [shares, before], wants, input });
  expect(isAfter(made, "f remove", "a set-share")).toBe(true);
  expect(isAfter(made, "f add", "f remove")).toBe(true);
  expect(consentOf(made)).toEqual([]);
});

test("a removal does not wait for it where that would have to come before what it waits for", () => {
  // The address of b is in the label of a: a is set again when b is there once more, and what is
  // removed from a goes before b ends.
  const [echo, other] = [
    vm("a", { ...sharing, dependsOn: ["b"] }),
    vm("b", { power: "on", label: "old" }),
  ];
  const made = planOf({
    exists: [
      existingVm(other, "on"),
      existingVm(echo, "on"),
      existingFolder(folder("old", "a"), { dependencies: [vmAddress("a")] }),
    ],
    wants: configuration([{ ...other, label: "new" }, echo], [folder("new", "a")]),
    input,
  });
  expect(codesOf(made)).toEqual([]);
  expect(isAfter(made, "b delete", "old remove")).toBe(true);
  expect(isAfter(made, "a set-share", "b create")).toBe(true);
  expect(isAfter(made, "new add", "a set-share")).toBe(true);
});

test.each([
  ["nothing is added", [folder("f", "a")], [existingFolder(folder("f", "a"))]],
  ["there is no content", [], []],
])("nothing is sent where %s", (_what, folders, more) => {
  const made = planOf({
    exists: [shares, ...more],
    wants: configuration([sharing], folders),
    input,
  });
  expect(operationsOf(made)).toEqual([]);
});

test("what this plan sets anyway is set once", () => {
  const exists = [existingVm(vm("a", { power: "on", share: false }), "on")];
  const wants = configuration([sharing], [folder("f", "a"), folder("g", "a")]);
  const steps = operationsOf(planOf({ exists, wants, input }));
  expect(steps.filter((step) => step.includes("share"))).toHaveLength(1);
});
