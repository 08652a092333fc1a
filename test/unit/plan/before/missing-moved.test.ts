/**
 * Wanted keys that are recorded at other addresses: neither is touched, all entries that are
 * missing are proposed at once, and the configuration with them is planned without a word.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { disruptions } from "../../../../src/model/operation/disruption.ts";
import { movesIn } from "../../../../src/model/plan/moved.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import {
  type Address,
  type Move,
  resourceOf,
  toAddress,
} from "../../../../src/model/value/address.ts";
import { applyMoves } from "../../../../src/plan/before/moves.ts";
import type { PlanInput } from "../../../../src/plan/input.ts";
import { plan } from "../../../../src/plan/plan.ts";
import { objectKeyOf } from "../../../../src/state/working.ts";
import type { FolderConfig, VmConfig } from "../../../simulation/configuration.ts";
import {
  changesOf,
  codesOf,
  configuration,
  existingFolder,
  existingVm,
  folder,
  inputOf,
  planOf,
  vm,
} from "../planning.ts";

/** `name: key` of VMs. */
type Ids = { readonly [name: string]: string };

const named = (ids: Ids): readonly VmConfig[] =>
  Object.entries(ids).map(([name, id]) => vm(name, { id }));

/** Entries as `from → to`, of the fix that every PLN003 of a plan repeats. */
function proposed({ diagnostics }: Plan): readonly string[] {
  const fixes = new Set(
    diagnostics.filter(({ code }) => code === "PLN003").map(({ fix = "" }) => fix),
  );
  expect(fixes.size).toBe(1);
  const [fix = ""] = fixes;
  return [...fix.matchAll(/from: '([^']*)', to: '([^']*)'/g)].map(
    ([, from = "", to = ""]) => `${from} → ${to}`,
  );
}

function entriesOf(texts: readonly string[]): readonly Move[] {
  return texts.map((text) => {
    const [from, to] = text.split(" → ").map((part) => toAddress(part));
    if (from === undefined || to === undefined) throw new Error(`no entry: ${text}`);
    return { from, to };
  });
}

/** The plan of the same world once the entries are there: what `prepare` does first. */
function withEntries(input: PlanInput, texts: readonly string[]): PlanInput {
  const desired = { ...input.desired, moved: entriesOf(texts) };
  const moves = applyMoves(input.recorded, desired.moved, { desired, types: input.types });
  const target = new Map(movesIn(moves.notes).map(({ from, to }) => [from, to]));
  const observations = new Map(
    input.recorded.objects.flatMap(({ address, objectKey }) => {
      const seen = input.observations.get(objectKeyOf(address, objectKey));
      const to = target.get(address) ?? address;
      return seen === undefined ? [] : [[objectKeyOf(to, objectKey), seen] as const];
    }),
  );
  const { recorded, notes, diagnostics } = moves;
  return { ...input, desired, recorded, observations, moveNotes: notes, diagnostics };
}

type Row = {
  readonly name: string;
  readonly recorded: Ids;
  readonly wanted: Ids;
  readonly entries: readonly string[];
  /** What is planned once the entries are there. */
  readonly after?: readonly string[];
};

const [c0, c1, c2, c3] = ["a0", "a1", "a2", "a3"];

test.each<Row>([
  {
    name: "an element left the middle: what follows moves up, and the one that left is destroyed",
    recorded: { [c0]: "k0", [c1]: "k1", [c2]: "k2" },
    wanted: { [c0]: "k0", [c1]: "k2" },
    entries: ["fake_vm.a2 → fake_vm.a1", "fake_vm.a1 → fake_vm.a2"],
    after: ["delete a2"],
  },
  {
    name: "a new element at the head: all others move down",
    recorded: { [c0]: "k0", [c1]: "k1", [c2]: "k2" },
    wanted: { [c0]: "new", [c1]: "k0", [c2]: "k1", [c3]: "k2" },
    entries: ["fake_vm.a0 → fake_vm.a1", "fake_vm.a1 → fake_vm.a2", "fake_vm.a2 → fake_vm.a3"],
    after: ["create a0"],
  },
  {
    name: "rotated",
    recorded: { [c0]: "k0", [c1]: "k1", [c2]: "k2" },
    wanted: { [c0]: "k1", [c1]: "k2", [c2]: "k0" },
    entries: ["fake_vm.a1 → fake_vm.a0", "fake_vm.a2 → fake_vm.a1", "fake_vm.a0 → fake_vm.a2"],
  },
  {
    name: "two swapped",
    recorded: { a: "x", b: "y" },
    wanted: { a: "y", b: "x" },
    entries: ["fake_vm.b → fake_vm.a", "fake_vm.a → fake_vm.b"],
  },
  {
    name: "one takes the key of another that left",
    recorded: { a: "x", b: "y" },
    wanted: { a: "y" },
    entries: ["fake_vm.b → fake_vm.a", "fake_vm.a → fake_vm.b"],
    after: ["delete b"],
  },
  {
    name: "one takes the key of another that wants a new one",
    recorded: { a: "x", b: "y" },
    wanted: { a: "y", b: "z" },
    entries: ["fake_vm.b → fake_vm.a", "fake_vm.a → fake_vm.b"],
    after: ["replace b"],
  },
  {
    name: "two separate chains",
    recorded: { a: "x", c: "z" },
    wanted: { b: "x", d: "z" },
    entries: ["fake_vm.a → fake_vm.b", "fake_vm.c → fake_vm.d"],
  },
])("$name", ({ recorded, wanted, entries, after = [] }) => {
  const input = inputOf({
    exists: named(recorded).map((item) => existingVm(item, "off")),
    wants: configuration(named(wanted)),
  });
  const made = plan(input);
  expect(proposed(made).toSorted()).toEqual(entries.toSorted());
  expect(changesOf(made)).toEqual([]);
  expect(made.operations).toEqual([]);
  const replanned = plan(withEntries(input, entries));
  expect(codesOf(replanned)).toEqual([]);
  expect(changesOf(replanned)).toEqual(after);
});

describe("content", () => {
  const exists = [
    existingVm(vm("a", { id: "x", power: "on" }), "on"),
    existingVm(vm("b", { id: "y", power: "on" }), "on"),
    existingFolder({ ...folder("fa", "x"), path: "src" }),
    existingFolder({ ...folder("fb", "y"), path: "src" }),
  ];
  const vms = [vm("a", { id: "y", power: "on" }), vm("b", { id: "x", power: "on" })];
  const folders: readonly FolderConfig[] = [
    folder("fa", "a", { path: "src" }),
    folder("fb", "b", { path: "src" }),
  ];

  test("moves with its container, in the same proposal", () => {
    const input = inputOf({ exists, wants: configuration(vms, folders) });
    const entries = proposed(plan(input));
    expect(entries.toSorted()).toEqual([
      "fake_folder.fa → fake_folder.fb",
      "fake_folder.fb → fake_folder.fa",
      "fake_vm.a → fake_vm.b",
      "fake_vm.b → fake_vm.a",
    ]);
    const after = plan(withEntries(input, entries));
    expect(codesOf(after)).toEqual([]);
    expect(changesOf(after)).toEqual([]);
  });
});

test("a resource with all its instances has one entry", () => {
  const input = inputOf({
    exists: ["x", "y"].map((key) =>
      existingVm(vm(key), "off", { address: addressOf(`fake_vm.old["${key}"]`) }),
    ),
    wants: configuration([vm("x"), vm("y")]),
    edit: (instance) => ({
      ...instance,
      address: addressOf(`fake_vm.new["${instance.address.split(".")[1]}"]`),
    }),
  });
  expect(proposed(plan(input))).toEqual(["fake_vm.old → fake_vm.new"]);
  expect(resourceOf(addressOf('fake_vm.old["x"]'))).toBe("fake_vm.old");
});

test("a plan of something else says nothing of it, and touches none of the addresses", () => {
  const exists = [
    ...named({ a: "x", b: "y" }).map((item) => existingVm(item, "off")),
    existingVm(vm("other"), "off"),
  ];
  const wants = configuration(named({ a: "y", b: "x", other: "changed" }));
  const select = { targets: [addressOf("fake_vm.other")], excludes: [], replace: [] };
  const made = planOf({ exists, wants, input: { select } });
  expect(codesOf(made)).toEqual([]);
  expect(changesOf(made)).toEqual(["replace other"]);
});

function addressOf(text: string): Address {
  const address = toAddress(text);
  if (address === undefined) throw new Error(`no address: ${text}`);
  return address;
}

const keys = ["k0", "k1", "k2", "k3", "k4", "k5"];
const names = ["a", "b", "c", "d", "e"];
/** Each name has at most one key, and each key at most one name. */
const anyIds = fc
  .tuple(fc.shuffledSubarray(names), fc.shuffledSubarray(keys))
  .map(([some, given]) =>
    Object.fromEntries(
      some.slice(0, given.length).map((name, index) => [name, given[index] ?? ""]),
    ),
  );

test("whatever changed places: one proposal is enough, loses nothing, and stays harmless", () => {
  fc.assert(
    fc.property(anyIds, anyIds, (recorded: Ids, wanted: Ids) => {
      const input = inputOf({
        exists: named(recorded).map((item) => existingVm(item, "off")),
        wants: configuration(named(wanted)),
        allowed: disruptions,
      });
      const made = plan(input);
      const misplaced = Object.entries(wanted).some(
        ([name, key]) =>
          recorded[name] !== key && Object.values(recorded).some((other) => other === key),
      );
      expect(codesOf(made).includes("PLN003")).toBe(misplaced);
      if (!misplaced) return;
      const entries = proposed(made);
      const moved = withEntries(input, entries);
      const after = plan(moved);
      expect(codesOf(after)).toEqual([]);
      // Nothing that is wanted is deleted, and nothing that exists is made again.
      for (const {
        request: { preview: request },
        verb,
      } of after.operations) {
        const text = JSON.stringify(request);
        const wantedNow = Object.values(wanted).some((key) => text.includes(`"${key}"`));
        const existed = Object.values(recorded).some((key) => text.includes(`"${key}"`));
        expect(verb === "delete" && wantedNow, `${verb} ${text}`).toBe(false);
        expect(verb === "create" && existed, `${verb} ${text}`).toBe(false);
      }
      // Followed once, the entries lead nowhere any more, whatever of the plan was done.
      const again = withEntries(moved, entries);
      expect(movesIn(again.moveNotes)).toEqual([]);
      expect(again.diagnostics).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
