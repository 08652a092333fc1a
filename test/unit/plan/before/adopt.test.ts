/** Attached objects: which object an address means, and what is refused, one row per situation. */

import { describe, expect, test } from "vitest";
import {
  type CloudVmConfig,
  cloudSnapshot,
  cloudVm,
  cloudVmAddress,
} from "../../../simulation/cloud-configuration.ts";
import {
  adoptedVm,
  adoptionsOf,
  type CloudScene,
  cloudPlanOf,
  foundSnapshot,
  foundVm,
  gone,
  madeSnapshot,
} from "../cloud-planning.ts";
import { changesOf, codesOf, consentOf, operationsOf } from "../planning.ts";

type Row = CloudScene & {
  readonly name: string;
  /** As `adoptionsOf` gives them. */
  readonly adopts?: readonly string[];
  readonly changes?: readonly string[];
  readonly operations?: readonly string[];
  readonly codes?: readonly string[];
  readonly consent?: readonly string[];
  /** Part of the first diagnostic's text. */
  readonly says?: string;
  /** Bookkeeping at the start, without what is adopted, as `what name`. */
  readonly opening?: readonly string[];
  /** Bookkeeping at the end, as `what name`. */
  readonly closing?: readonly string[];
};

const a = cloudVm("a", "/vm/a");
const byName: CloudVmConfig = { ...a, by: { name: "web", vapp_name: "app" } };
const dbByName: CloudVmConfig = { ...cloudVm("b", "/vm/b"), by: { name: "db", vapp_name: "app" } };
const s = cloudSnapshot("s", "a");
/** What stands under the recorded id is another VM. */
const another = { status: "missing", proof: "its UUID is another one", another: true } as const;
const two = {
  status: "unreadable",
  rule: "failed",
  reason: "2 VMs match",
  matches: ["/vm/a", "/vm/b"],
} as const;
const owedOn = [{ address: cloudVmAddress("a"), power: "on" }] as const;
const off = foundVm("/vm/a", { power_state: "off" });

const first: readonly Row[] = [
  {
    name: "one object is found: it is adopted with what it was looked up by",
    wants: { vms: [byName] },
    lookups: { "vm.a": foundVm("/vm/a") },
    adopts: ['a /vm/a {"name":"web","vapp_name":"app"}'],
    closing: ["record a"],
  },
  {
    name: "one object is found, and something of it is to change at once",
    wants: { vms: [{ ...byName, datastore: "ds-2" }] },
    lookups: { "vm.a": foundVm("/vm/a") },
    adopts: ['a /vm/a {"name":"web","vapp_name":"app"}'],
    changes: ["update a"],
    operations: ["a relocate"],
    closing: ["record a"],
  },
  {
    name: "none is found",
    wants: { vms: [byName] },
    lookups: { "vm.a": gone },
    codes: ["PLN023"],
    says: "Absent from the list",
  },
  {
    name: "none is found, and its snapshot is blocked with it",
    wants: { vms: [byName], snapshots: [s] },
    lookups: { "vm.a": gone },
    codes: ["PLN023"],
  },
  {
    name: "several are found, and all of them named",
    wants: { vms: [byName] },
    lookups: { "vm.a": two },
    codes: ["PLN027"],
    says: "/vm/a; /vm/b",
  },
  {
    name: "the lookup could not be asked",
    wants: { vms: [byName] },
    lookups: { "vm.a": { status: "unreadable", rule: "failed", reason: "connection refused" } },
    codes: ["PLN005"],
    says: "connection refused",
  },
  {
    name: "two addresses mean one object",
    wants: { vms: [a, cloudVm("b", "/vm/a")] },
    lookups: { "vm.a": foundVm("/vm/a"), "vm.b": foundVm("/vm/a") },
    adopts: ['a /vm/a {"href":"/vm/a"}'],
    codes: ["PLN026"],
    closing: ["record a"],
  },
  {
    name: "the object is recorded at another address that lives",
    exists: [adoptedVm(a)],
    wants: { vms: [a, cloudVm("b", "/vm/a")] },
    lookups: { "vm.b": foundVm("/vm/a") },
    codes: ["PLN026"],
    says: "is fake_cloud_vm.a already",
  },
  {
    name: "the object is recorded at another address that left",
    exists: [adoptedVm(a)],
    wants: { vms: [cloudVm("b", "/vm/a")] },
    lookups: { "vm.b": foundVm("/vm/a") },
    codes: ["PLN003"],
  },
  {
    name: "the object is recorded at an address that looks up another now",
    exists: [adoptedVm(a)],
    wants: { vms: [cloudVm("b", "/vm/a"), { ...a, id: "/vm/c", by: { href: "/vm/c" } }] },
    lookups: { "vm.a": foundVm("/vm/c"), "vm.b": foundVm("/vm/a") },
    codes: ["PLN003"],
    says: "wants another object now",
  },
];

const again: readonly Row[] = [
  { name: "recorded and as it is wanted", exists: [adoptedVm(a)], wants: { vms: [a] } },
  {
    name: "looked up in another way, and the same object",
    exists: [adoptedVm(a)],
    wants: { vms: [byName] },
    lookups: { "vm.a": foundVm("/vm/a") },
    closing: ["record a"],
  },
  {
    name: "another lookup finds another object, with consent",
    exists: [adoptedVm(a)],
    wants: { vms: [{ ...a, by: { href: "/vm/b" } }] },
    lookups: { "vm.a": foundVm("/vm/b") },
    adopts: ['a /vm/b {"href":"/vm/b"}'],
    consent: ["readopt a"],
    closing: ["record a"],
  },
  {
    name: "another lookup finds several",
    exists: [adoptedVm(a)],
    wants: { vms: [byName] },
    lookups: { "vm.a": two },
    codes: ["PLN027"],
  },
  {
    name: "gone, and another of the same name is there",
    exists: [adoptedVm(byName, gone)],
    wants: { vms: [byName] },
    lookups: { "vm.a": foundVm("/vm/b") },
    adopts: ['a /vm/b {"name":"web","vapp_name":"app"}'],
    consent: ["readopt a"],
    closing: ["record a"],
  },
  {
    name: "gone, and nothing else is found: never made anew",
    exists: [adoptedVm(byName, gone)],
    wants: { vms: [byName] },
    lookups: { "vm.a": gone },
    codes: ["PLN024"],
    says: "/vm/a is gone",
  },
  {
    name: "owed its power, while the lookup finds another",
    exists: [adoptedVm(a, off)],
    wants: { vms: [{ ...a, by: { href: "/vm/b" } }] },
    lookups: { "vm.a": foundVm("/vm/b") },
    restores: owedOn,
    codes: ["PLN025"],
  },
  {
    name: "owed its power, but gone",
    exists: [adoptedVm(byName, gone)],
    wants: { vms: [byName] },
    lookups: { "vm.a": foundVm("/vm/b") },
    restores: owedOn,
    adopts: ['a /vm/b {"name":"web","vapp_name":"app"}'],
    consent: ["readopt a"],
    opening: ["clear-restore a"],
    closing: ["record a"],
  },
  {
    name: "two have exchanged their ids: both are taken in one step",
    exists: [adoptedVm(byName, another), adoptedVm(dbByName, another)],
    wants: { vms: [byName, dbByName] },
    lookups: { "vm.a": foundVm("/vm/b"), "vm.b": foundVm("/vm/a") },
    adopts: ['a /vm/b {"name":"web","vapp_name":"app"}', 'b /vm/a {"name":"db","vapp_name":"app"}'],
    consent: ["readopt a", "readopt b"],
    closing: ["record a", "record b"],
  },
  {
    name: "the id of one that finds nothing else is not taken",
    exists: [adoptedVm(byName, another), adoptedVm(dbByName, another)],
    wants: { vms: [byName, dbByName] },
    lookups: { "vm.a": foundVm("/vm/b"), "vm.b": gone },
    codes: ["PLN026", "PLN024"],
  },
  {
    name: "another object under the recorded id",
    exists: [adoptedVm(byName, another)],
    wants: { vms: [byName] },
    lookups: { "vm.a": foundVm("/vm/a") },
    adopts: ['a /vm/a {"name":"web","vapp_name":"app"}'],
    consent: ["readopt a"],
    closing: ["record a"],
  },
  {
    name: "cannot be replaced on demand",
    exists: [adoptedVm(a)],
    wants: { vms: [a] },
    input: { select: { targets: [], excludes: [], replace: [cloudVmAddress("a")] } },
    codes: ["PLN029"],
  },
  {
    name: "cannot be made anew for another that changes",
    exists: [adoptedVm(a), adoptedVm(cloudVm("b", "/vm/b"))],
    wants: { vms: [a, { ...cloudVm("b", "/vm/b"), nested: true }] },
    facts: { status: "read", facts: { nested_offered: true } },
    edit: (instance) =>
      instance.address === cloudVmAddress("a")
        ? {
            ...instance,
            triggers: [{ address: cloudVmAddress("b") }],
            dependencies: [cloudVmAddress("b")],
          }
        : instance,
    codes: ["PLN029"],
    changes: ["update b"],
    operations: ["b set-nested"],
    closing: ["record b"],
  },
];

const nested = { ...a, nested: true };
const facts: readonly Row[] = [
  {
    name: "a change that needs the VM off, in a window",
    exists: [adoptedVm(a)],
    wants: { vms: [nested] },
    changes: ["update a"],
    operations: [
      "a undeploy-shutdown (open)",
      "a set-nested (member)",
      "a undeploy? (open)",
      "a power-on (close)",
    ],
    consent: ["power-cycle a"],
    closing: ["record a"],
  },
  {
    name: "a change that is offered as it is",
    exists: [adoptedVm(a)],
    wants: { vms: [nested] },
    facts: { status: "read", facts: { nested_offered: true } },
    changes: ["update a"],
    operations: ["a set-nested"],
    closing: ["record a"],
  },
  {
    name: "facts could not be asked",
    exists: [adoptedVm(a)],
    wants: { vms: [nested] },
    facts: { status: "failed", reason: "no rights" },
    codes: ["PLN028"],
    says: "no rights",
  },
  {
    name: "nothing changes: facts do not matter",
    exists: [adoptedVm(a)],
    wants: { vms: [a] },
    facts: { status: "failed", reason: "no rights" },
  },
  {
    name: "something stands against the change",
    exists: [adoptedVm(a)],
    wants: { vms: [nested] },
    facts: { status: "read", facts: { hardware: "old" } },
    codes: ["FAK001"],
  },
  {
    name: "something should be known of the change",
    exists: [adoptedVm(a)],
    wants: { vms: [{ ...a, datastore: "ds-2" }] },
    facts: { status: "read", facts: { running: true } },
    changes: ["update a"],
    operations: ["a relocate"],
    codes: ["FAK002"],
    closing: ["record a"],
  },
];

const partsOff = { ...a, onDestroy: "power_off" } as const;
const partings: readonly Row[] = [
  { name: "left, and forgotten as it is", exists: [adoptedVm(a)], changes: ["forget a"] },
  {
    name: "left, and turned off before",
    exists: [adoptedVm(partsOff)],
    changes: ["forget a"],
    operations: ["a undeploy-shutdown", "a undeploy?"],
    consent: ["power-off a"],
    closing: ["forget a", "clear-restore a"],
  },
  {
    name: "left, to be turned off, and off already",
    exists: [adoptedVm(partsOff, off)],
    changes: ["forget a"],
    closing: ["forget a", "clear-restore a"],
  },
  {
    name: "left, to be turned off, but kept by a removed entry",
    exists: [adoptedVm(partsOff)],
    wants: { removed: ["fake_cloud_vm.a"] },
    changes: ["forget a"],
  },
  {
    name: "left, to be turned off, and gone",
    exists: [adoptedVm(partsOff, gone)],
    changes: ["forget a"],
  },
  {
    name: "left, to be turned off, and its power cannot be read",
    exists: [
      adoptedVm(partsOff, {
        ...foundVm("/vm/a"),
        unreadable: { power_state: "failed" },
      }),
    ],
    codes: ["PLN005"],
  },
  {
    name: "left while it is owed its power: given back before it is forgotten",
    exists: [adoptedVm(a, off)],
    restores: owedOn,
    changes: ["forget a"],
    operations: ["a power-on"],
    closing: ["forget a", "clear-restore a"],
  },
  {
    name: "kept by a removed entry while it is owed its power",
    exists: [adoptedVm(a, off)],
    wants: { removed: ["fake_cloud_vm.a"] },
    restores: owedOn,
    changes: ["forget a"],
    operations: ["a power-on"],
    closing: ["forget a", "clear-restore a"],
  },
  {
    name: "left while it is owed its power, and has it",
    exists: [adoptedVm(a)],
    restores: owedOn,
    changes: ["forget a"],
    closing: ["forget a", "clear-restore a"],
  },
];

const ofOthers = foundSnapshot("/vm/a", "t9");
const b = cloudVm("b", "/vm/b");
const snapshots: readonly Row[] = [
  {
    name: "a new snapshot",
    exists: [adoptedVm(a)],
    wants: { vms: [a], snapshots: [s] },
    lookups: { "snapshot.s": gone },
    changes: ["create s"],
    operations: ["s create"],
  },
  {
    name: "the VM has a snapshot of others",
    exists: [adoptedVm(a)],
    wants: { vms: [a], snapshots: [s] },
    lookups: { "snapshot.s": ofOthers },
    codes: ["PLN002"],
  },
  {
    name: "ours is there, completed by the server",
    exists: [adoptedVm(a), madeSnapshot(s, "/vm/a")],
    wants: { vms: [a], snapshots: [s] },
  },
  {
    name: "ours is gone",
    exists: [adoptedVm(a), madeSnapshot(s, "/vm/a", gone)],
    wants: { vms: [a], snapshots: [s] },
    lookups: { "snapshot.s": gone },
    changes: ["create s"],
    operations: ["s create"],
  },
  {
    name: "ours is gone, and one of others has its place",
    exists: [adoptedVm(a), madeSnapshot(s, "/vm/a", gone)],
    wants: { vms: [a], snapshots: [s] },
    lookups: { "snapshot.s": ofOthers },
    codes: ["PLN002"],
  },
  {
    name: "ours is to move to a VM that has one of others",
    exists: [adoptedVm(a), adoptedVm(b), madeSnapshot(s, "/vm/a")],
    wants: { vms: [a, b], snapshots: [{ ...s, vm: "b" }] },
    lookups: { "snapshot.s": foundSnapshot("/vm/b", "t9") },
    codes: ["PLN002"],
  },
  {
    name: "renamed: the key is recorded at an address that left",
    exists: [adoptedVm(a), madeSnapshot(s, "/vm/a")],
    wants: { vms: [a], snapshots: [{ ...s, name: "renamed" }] },
    lookups: { "snapshot.renamed": foundSnapshot("/vm/a", "t1") },
    codes: ["PLN003"],
  },
  {
    name: "a new one cannot be made before the old one is removed",
    exists: [adoptedVm(a), madeSnapshot(s, "/vm/a")],
    wants: { vms: [a], snapshots: [{ ...s, label: "two", createFirst: true }] },
    changes: ["replace s"],
    codes: ["PLN015"],
    operations: ["s create", "s remove"],
    consent: ["replace s"],
  },
  {
    name: "left with its VM: removed",
    exists: [adoptedVm(a), madeSnapshot(s, "/vm/a")],
    changes: ["forget a", "delete s"],
    operations: ["s remove"],
    consent: ["destroy s"],
  },
  {
    name: "left with its VM, which is gone: no request",
    exists: [adoptedVm(a, gone), madeSnapshot(s, "/vm/a", gone)],
    changes: ["forget a", "forget s"],
  },
];

const groups = { first, again, facts, partings, snapshots };

describe.each(Object.entries(groups))("%s", (_, rows) => {
  test.each(rows)("$name", (row) => {
    const plan = cloudPlanOf(row);
    const blocked = codesOf(plan).some((code) => code !== "FAK002");
    expect(codesOf(plan)).toEqual(row.codes ?? []);
    expect(adoptionsOf(plan)).toEqual(row.adopts ?? []);
    expect(consentOf(plan)).toEqual(row.consent ?? []);
    if (!blocked || row.changes !== undefined) {
      expect(changesOf(plan)).toEqual(row.changes ?? []);
      expect(operationsOf(plan)).toEqual(row.operations ?? []);
      const closing = plan.closingNotes.map(({ note }) =>
        "address" in note ? `${note.what} ${note.address.split(".")[1]}` : note.what,
      );
      expect(closing).toEqual(row.closing ?? []);
    }
    const opening = plan.notes.flatMap(({ note }) =>
      note.what === "clear-restore" ? [`${note.what} ${note.address.split(".")[1]}`] : [],
    );
    if (row.opening !== undefined) expect(opening).toEqual(row.opening);
    const [diagnostic] = plan.diagnostics;
    const text = `${diagnostic?.detail ?? ""} ${diagnostic?.fix ?? ""}`;
    expect(text).toContain(row.says ?? "");
  });
});
