/** Attached VMs and their snapshots: the order of what is done, and what it locks. */

import { describe, expect, test } from "vitest";
import { stringifyJson } from "../../../src/lib/json.ts";
import { allRules } from "../../../src/model/plan/rules.ts";
import type { ResourceType } from "../../../src/model/provider/provider.ts";
import { cloudSnapshot, cloudVm, cloudVmAddress } from "../../simulation/cloud-configuration.ts";
import { fakeCloudTypes, fakeCloudVm } from "../../simulation/fake-cloud-types.ts";
import {
  adoptedVm,
  adoptionsOf,
  type CloudScene,
  cloudPlanOf,
  foundVm,
  gone,
  locksOf,
  madeSnapshot,
} from "./cloud-planning.ts";
import { changesOf, codesOf, edgeOf, isAfter, operationsOf } from "./planning.ts";

const a = cloudVm("a", "/vm/a");
const s = cloudSnapshot("s", "a");
const off = foundVm("/vm/a", { power_state: "off" });

type Row = CloudScene & { readonly name: string; readonly later: string; readonly earlier: string };

const orders: readonly Row[] = [
  {
    name: "a snapshot is made after its VM was moved",
    exists: [adoptedVm(a)],
    wants: { vms: [{ ...a, datastore: "ds-2" }], snapshots: [s] },
    lookups: { "snapshot.s": gone },
    later: "s create",
    earlier: "a relocate",
  },
  {
    name: "a snapshot is made after its VM has its power",
    exists: [adoptedVm(a, off)],
    wants: { vms: [{ ...a, power: "on" }], snapshots: [s] },
    lookups: { "snapshot.s": gone },
    later: "s create",
    earlier: "a power-on",
  },
  {
    name: "a snapshot is made behind the window of its VM",
    exists: [adoptedVm(a)],
    wants: { vms: [{ ...a, nested: true }], snapshots: [s] },
    lookups: { "snapshot.s": gone },
    later: "s create",
    earlier: "a power-on",
  },
  {
    name: "a snapshot is removed before its VM is turned off and forgotten",
    exists: [adoptedVm({ ...a, onDestroy: "power_off" }), madeSnapshot(s, "/vm/a")],
    later: "a undeploy-shutdown",
    earlier: "s remove",
  },
  {
    name: "a snapshot is removed before its VM gets back its power and is forgotten",
    exists: [adoptedVm(a, off), madeSnapshot(s, "/vm/a")],
    restores: [{ address: cloudVmAddress("a"), power: "on" }],
    later: "a power-on",
    earlier: "s remove",
  },
];

test.each(orders)("$name", ({ later, earlier, ...scene }) => {
  const plan = cloudPlanOf(scene);
  expect(codesOf(plan)).toEqual([]);
  expect(isAfter(plan, later, earlier)).toBe(true);
});

test("a VM is moved before its window opens, and its power comes back whatever happens", () => {
  const plan = cloudPlanOf({
    exists: [adoptedVm(a)],
    wants: { vms: [{ ...a, nested: true, datastore: "ds-2" }] },
  });
  expect(edgeOf(plan, "a undeploy-shutdown", "a relocate")).toBe("settled");
  expect(edgeOf(plan, "a power-on", "a set-nested")).toBe("settled");
});

describe("locks", () => {
  const vapp = { key: "vapp /vapp/app", mode: "exclusive", passing: true };
  const vmA = { key: "vm /vm/a", mode: "exclusive" };

  test("a VM's change holds the VM, and its vApp in passing", () => {
    const plan = cloudPlanOf({
      exists: [adoptedVm(a)],
      wants: { vms: [{ ...a, datastore: "ds-2" }] },
    });
    expect(locksOf(plan, "fake_cloud_vm.a#relocate.1")).toEqual([vmA, vapp]);
  });

  test("of a VM adopted just now, too", () => {
    const plan = cloudPlanOf({
      wants: { vms: [{ ...a, datastore: "ds-2" }] },
      lookups: { "vm.a": foundVm("/vm/a") },
    });
    expect(locksOf(plan, "fake_cloud_vm.a#relocate.1")).toEqual([vmA, vapp]);
  });

  test("a VM that has moved holds the vApp it is in now", () => {
    const plan = cloudPlanOf({
      exists: [adoptedVm(a, foundVm("/vm/a", { vapp_href: "/vapp/other" }))],
      wants: { vms: [{ ...a, datastore: "ds-2" }] },
    });
    const other = { ...vapp, key: "vapp /vapp/other" };
    expect(locksOf(plan, "fake_cloud_vm.a#relocate.1")).toEqual([vmA, other]);
  });

  test("a snapshot's change holds what its VM's would", () => {
    const plan = cloudPlanOf({
      exists: [adoptedVm(a)],
      wants: { vms: [a], snapshots: [s] },
      lookups: { "snapshot.s": gone },
    });
    expect(locksOf(plan, "fake_cloud_snapshot.s#create.1")).toEqual([vmA, vapp]);
  });

  test("also where its VM is recorded no more, since its address means another", () => {
    const plan = cloudPlanOf({
      exists: [adoptedVm(a), madeSnapshot(s, "/vm/a")],
      wants: { vms: [{ ...a, id: "/vm/b", by: { href: "/vm/b" } }] },
      lookups: { "vm.a": foundVm("/vm/b", { vapp_href: "/vapp/other" }) },
    });
    expect(adoptionsOf(plan)).toEqual(['a /vm/b {"href":"/vm/b"}']);
    expect(locksOf(plan, "fake_cloud_snapshot.s#remove.1")).toEqual([vmA, vapp]);
  });

  test("without the rule the vApp is locked by nobody", () => {
    const plan = cloudPlanOf({
      exists: [adoptedVm(a)],
      wants: { vms: [{ ...a, datastore: "ds-2" }] },
      input: { rules: { ...allRules, surroundings: false } },
    });
    expect(locksOf(plan, "fake_cloud_vm.a#relocate.1")).toEqual([vmA]);
  });
});

describe("tools in the guest", () => {
  const wait = { verb: "wait-tools", expect: [{ attribute: "tools", present: true }] } as const;
  const { power } = fakeCloudVm;
  if (power === undefined) throw new Error("a fake VM has power");
  const withTools = { ...fakeCloudVm, power: { ...power, toolsWait: wait } };
  const input = { types: { ...fakeCloudTypes, fake_cloud_vm: withTools } };

  test.each([
    ["a move", { datastore: "ds-2" }],
    ["a move beside work that needs the VM off", { datastore: "ds-2", nested: true }],
  ])("%s goes with any power, and waits for none", (_what, wanted) => {
    const plan = cloudPlanOf({
      exists: [adoptedVm(a)],
      wants: { vms: [{ ...a, ...wanted }] },
      input,
    });
    expect(operationsOf(plan)).toContain("a relocate");
    expect(operationsOf(plan).filter((item) => item.includes("wait-tools"))).toEqual([]);
  });
});

describe("imports and moves", () => {
  const imported = adoptedVm(a, foundVm("/vm/a"), { applied: null, attributes: {} });
  const addresses = new Set([cloudVmAddress("a")]);

  test("what was imported by its id is changed like any other", () => {
    const plan = cloudPlanOf({
      exists: [imported],
      wants: { vms: [{ ...a, by: {}, datastore: "ds-2" }] },
      input: { imported: addresses },
    });
    expect(codesOf(plan)).toEqual([]);
    expect(changesOf(plan)).toEqual(["update a"]);
  });

  test("what was imported and does not exist", () => {
    const plan = cloudPlanOf({
      exists: [{ ...imported, observation: gone }],
      wants: { vms: [a] },
      input: { imported: addresses },
    });
    expect(codesOf(plan)).toEqual(["PLN019"]);
  });

  test("a recorded VM under its new address is the same", () => {
    const moved = adoptedVm(a, foundVm("/vm/a"), { address: cloudVmAddress("new") });
    const plan = cloudPlanOf({ exists: [moved], wants: { vms: [{ ...a, name: "new" }] } });
    expect([codesOf(plan), changesOf(plan), adoptionsOf(plan)]).toEqual([[], [], []]);
  });
});

test("what removes content knows its VM by more than an id", () => {
  const { fake_cloud_snapshot: plain } = fakeCloudTypes;
  const named: ResourceType = {
    ...plain,
    lower: (change) => {
      const name = change.action === "delete" ? change.container?.name : undefined;
      return plain
        .lower(change)
        .map((step) => ({ ...step, summary: `of ${stringifyJson(name ?? null)}` }));
    },
  };
  const plan = cloudPlanOf({
    exists: [adoptedVm(a), madeSnapshot(s, "/vm/a")],
    wants: { vms: [a] },
    input: { types: { ...fakeCloudTypes, fake_cloud_snapshot: named } },
  });
  expect(plan.operations.map(({ verb, summary }) => [verb, summary])).toEqual([
    ["remove", 'of "name of /vm/a"'],
  ]);
});
