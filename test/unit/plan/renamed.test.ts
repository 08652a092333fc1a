/** A resource that was renamed without a word: nothing of what it means ends meanwhile. */

import { expect, test } from "vitest";
import { selectAll } from "../../../src/plan/input.ts";
import { renameProblem } from "../../../src/plan/missing-moved.ts";
import { address } from "../../helpers/recorded-builder.ts";
import { toDesired, vmAddress } from "../../simulation/configuration.ts";
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
} from "./planning.ts";

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
  expect(codesOf(made)).toEqual(["PLN003"]);
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

test.each([
  ["a", "b", [], [], "from: 'vm.a', to: 'vm.b'"],
  ['a["x"]', 'b["x"]', [], [], "from: 'vm.a', to: 'vm.b'"],
  ["a[0]", "b[0]", ["vm.c"], ["vm.a"], "from: 'vm.a', to: 'vm.b'"],
  ['a["x"]', 'b["y"]', [], [], `from: 'vm.a["x"]', to: 'vm.b["y"]'`],
  ["a[0]", 'b["0"]', [], [], `from: 'vm.a[0]', to: 'vm.b["0"]'`],
  ['a["x"]', 'b["x"]', ["vm.a"], [], `from: 'vm.a["x"]', to: 'vm.b["x"]'`],
  ['a["x"]', 'b["x"]', [], ["vm.b"], `from: 'vm.a["x"]', to: 'vm.b["x"]'`],
])("%s became %s, others wanted: %j, recorded: %j", (from, to, desired, recorded, entry) => {
  const [instance] = toDesired(configuration([vm("any")])).instances;
  if (instance === undefined) throw new Error("no instance");
  const inUse = {
    desired: new Set(desired.map((text) => address(text))),
    recorded: new Set(recorded.map((text) => address(text))),
  };
  const [old, now] = [address(`vm.${from}`), address(`vm.${to}`)];
  const { fix } = renameProblem({ ...instance, address: now }, "key", old, inUse);
  expect(fix).toBe(`Add: moved: [{ ${entry} }]`);
});
