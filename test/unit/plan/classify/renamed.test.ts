/** A resource that was renamed without a word: nothing of what it means ends meanwhile. */

import { expect, test } from "vitest";
import { selectAll } from "../../../../src/plan/input.ts";
import { vmAddress } from "../../../simulation/configuration.ts";
import {
  changesOf,
  codesOf,
  configuration,
  consentOf,
  existingFolder,
  existingVm,
  folder,
  planOf,
  type Scene,
  vm,
} from "../planning.ts";

type Row = Scene & {
  readonly name: string;
  readonly changes?: readonly string[];
  readonly blocked: readonly string[];
};

const on = { power: "on" } as const;

test.each<Row>([
  {
    name: "what really left ends all the same",
    exists: [existingVm(vm("old", { id: "kept" }), "off"), existingVm(vm("gone"), "off")],
    wants: configuration([vm("new", { id: "kept" })]),
    changes: ["delete gone"],
    blocked: ["new", "old"],
  },
  {
    name: "with what it is a clone of, so that it is blocked before its own key is looked at",
    exists: [existingVm(vm("base"), "off"), existingVm(vm("copy", { parent: "base" }), "off")],
    wants: configuration([
      vm("golden", { id: "base" }),
      vm("twin", { id: "copy", parent: "golden" }),
    ]),
    blocked: ["base", "copy", "golden", "twin"],
  },
  {
    name: "with its folder, whose key waits for the VM",
    exists: [
      existingVm(vm("old", { id: "kept", ...on }), "on"),
      existingFolder(folder("f", "kept")),
    ],
    wants: configuration([vm("new", { id: "kept", ...on })], [folder("g", "new", { path: "f" })]),
    blocked: ["f", "g", "new", "old"],
  },
])("$name", ({ changes = [], blocked, ...scene }) => {
  const made = planOf(scene);
  expect(new Set(codesOf(made))).toEqual(new Set(["PLN003"]));
  expect(changesOf(made)).toEqual(changes);
  expect(consentOf(made)).toEqual(changes.map((change) => change.replace("delete", "destroy")));
  expect(made.blocked.map((item) => item.split(".")[1]).toSorted()).toEqual(blocked);
});

test("only the old address is selected: it does not end either", () => {
  const made = planOf({
    exists: [existingVm(vm("old", { id: "kept" }), "off"), existingVm(vm("gone"), "off")],
    wants: configuration([vm("new", { id: "kept" })]),
    input: { select: { ...selectAll, targets: [vmAddress("old"), vmAddress("gone")] } },
  });
  expect(codesOf(made)).toEqual(["PLN003"]);
  expect(changesOf(made)).toEqual(["delete gone"]);
});
