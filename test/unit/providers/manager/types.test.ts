/** The pure half of VMs and disks: identities, locks, power, steps, objections, requests. */

import { describe, expect, test } from "vitest";
import type { LowerRequest } from "../../../../src/model/provider/provider.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import { type Attributes, unknown } from "../../../../src/model/value/value.ts";
import { vmType as cloudVmType } from "../../../../src/providers/cloud/vm/vm.ts";
import {
  type ChangeFacts,
  readFacts,
} from "../../../../src/providers/manager/machine/change-facts.ts";
import { diskType } from "../../../../src/providers/manager/machine/disk.ts";
import { managerPower } from "../../../../src/providers/manager/machine/power.ts";
import { vmType } from "../../../../src/providers/manager/machine/vm.ts";
import { bodyOf } from "./machines.ts";
import { shapeOf } from "./scripted-manager.ts";

const address = "manager_vm.x" as Address;
const types = { manager_vm: vmType, manager_disk: diskType };
type TypeName = keyof typeof types;

const device =
  '<device xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
  'xsi:type="VirtualDisk"><key>2000</key><capacityInKB>10485760</capacityInKB></device>';

const facts: ChangeFacts = {
  api_version: "6.5",
  tasks: [],
  power_state: "on",
  hardware_version: 9,
  host: "esx1",
  host_nested: true,
  datastore_moref: "datastore-2",
  disks: [
    {
      disk_id: "2000",
      file_name: "[ssd-01] web/web.vmdk",
      disk_mode: "persistent",
      datastore_moref: "datastore-1",
      is_delta: true,
    },
  ],
  snapshots: [],
  device,
  is_delta: false,
};
const [delta] = facts.disks;
if (delta === undefined) throw new Error("no disk");
const whole = { ...delta, is_delta: false };

type Update = Extract<LowerRequest, { action: "update" }>;

function update(
  type: TypeName,
  inputs: Attributes,
  changes: Partial<ChangeFacts> | "none" = {},
  prior: Attributes = { name: "web", datastore: "ssd-01", size_gb: 10, label: "Hard disk 1" },
): Update {
  const identity = type === "manager_vm" ? "vm-1" : "vm-1/2000";
  const record: RecordedObject = {
    address,
    objectKey: "current",
    type,
    provider: "manager",
    identity,
    status: "ready",
    applied: null,
    attributes: prior,
    dependencies: [],
    timeoutsMs: {},
  };
  return {
    action: "update",
    identity,
    inputs,
    changed: Object.keys(inputs),
    prior: record,
    ...(changes === "none" ? {} : { facts: { ...facts, ...changes } }),
  };
}

test.each([
  ["vm-12", "vm-12"],
  [" vm-12 ", "vm-12"],
  // As a single host numbers them.
  ["42", "42"],
  ["https://m.example.com/mob/?moid=vm-12", "vm-12"],
  ["https://m.example.com/mob/?moid=vm%2d12&doPath=config%2ehardware", "vm-12"],
  ["/mob/?method=wipeDisk&moid=vm-12", "vm-12"],
  ["https://m.example.com/mob/?moid=host-3", undefined],
  ["host-3", undefined],
  ["VM-12", undefined],
  ["vm-12/2000", undefined],
  ["web", undefined],
  ["", undefined],
])("the VM of %j is %s", (text, id) => {
  expect(vmType.parseIdentity?.(text)).toBe(id);
  expect(vmType.identityOf({ moref: text })).toBe(id);
});

test.each([
  ["vm-12/2000", "vm-12/2000"],
  ["https://m/mob/?moid=vm%2d12/2000", "vm-12/2000"],
  ["vm-12", undefined],
  ["vm-12/", undefined],
  ["vm-12/x", undefined],
  ["web/2000", undefined],
])("the disk of %j is %s", (text, identity) => {
  expect(diskType.parseIdentity?.(text)).toBe(identity);
});

test("a disk has an identity where its configuration gives VM and key", () => {
  expect(diskType.identityOf({ vm: "vm-1", disk_id: "2000" })).toBe("vm-1/2000");
  expect(diskType.identityOf({ vm: "vm-1", label: "Hard disk 1" })).toBeUndefined();
  expect(diskType.identityOf({ vm: unknown, disk_id: "2000" })).toBeUndefined();
  expect(vmType.identityOf({ name: "web" })).toBeUndefined();
});

test("a VM is locked under every spelling of its server, and across interfaces", () => {
  const key = (url: string) => vmType.entity("vm-1", { url });
  expect(key("https://m.example.com/sdk/")).toBe(key("https://M.example.com"));
  expect(key("https://m.example.com")).not.toBe(key("https://n.example.com"));
  const settings = { url: "https://m" };
  expect(diskType.entity("vm-1/2000", settings)).toBe(vmType.entity("vm-1", settings));
  const shared = vmType.aliases?.("vm-1", {});
  expect(shared).toEqual(["virtual machine vm-1"]);
  expect(cloudVmType.aliases?.("/api/vApp/vm-a", { moref: "vm-1" })).toEqual(shared);
  expect(cloudVmType.aliases?.("/api/vApp/vm-a", {})).toEqual([]);
});

test.each([
  [vmType, { name: "web" }, []],
  [vmType, { path: unknown }, []],
  [vmType, { moref: unknown }, []],
  [vmType, {}, ["MGR001"]],
  [vmType, { moref: "host-3" }, ["MGR002"]],
  [diskType, { vm: "vm-1", label: "x" }, []],
  [diskType, { vm: unknown, disk_id: "2000" }, []],
  [diskType, { vm: "vm-1" }, ["MGR003"]],
  [diskType, { vm: "https://m/mob/?moid=vm-1", label: "x" }, ["MGR002"]],
] as const)("check %#", (type, attributes, codes) => {
  expect(type.check?.(attributes, address).map(({ code }) => code)).toEqual(codes);
});

test("from every state there is a way to every other, and each word has a request", () => {
  const states = ["on", "off", "suspended"] as const;
  for (const from of states) {
    for (const to of states) {
      const words = managerPower.table[from]?.[to];
      if (from === to) expect(words).toBeUndefined();
      else expect(words?.at(-1)?.reaches).toBe(to);
      for (const word of words ?? []) {
        for (const { verb } of [word, ...(word.fallback === undefined ? [] : [word.fallback])]) {
          expect(vmType.request(verb, "vm-1", {})?.body).toContain(">vm-1</_this>");
        }
      }
    }
  }
  // Suspended memory is lost only with consent.
  expect(managerPower.table.suspended?.off?.at(-1)?.disrupts).toEqual(["discard-state"]);
  // A graceful shutdown has no task to be looked for.
  expect(managerPower.table.on?.off?.[0]).toMatchObject({ taskless: true, needsTools: true });
});

describe("steps of a VM", () => {
  test("nested virtualization needs the VM off", () => {
    expect(vmType.lower(update("manager_vm", { nested_hv_enabled: true }))).toMatchObject([
      {
        verb: "nested",
        order: { needs: "off" },
        applied: { nested_hv_enabled: true },
        proof: {
          expect: [{ attribute: "nested_hv_enabled", equals: true }],
          requestLimitMs: 120_000,
        },
      },
    ]);
  });

  test("a new datastore and a new format are two relocations, so that all files move", () => {
    const inputs = { datastore: "ssd-02", delta_disk_format: "seSparseFormat" };
    const steps = vmType.lower(update("manager_vm", inputs));
    expect(steps).toMatchObject([
      {
        verb: "relocate",
        summary: "move VM web to datastore ssd-02",
        applied: { datastore: "ssd-02" },
        proof: { expect: [{ attribute: "datastore", equals: "ssd-02" }] },
        order: { pools: ["datastore ssd-01", "datastore ssd-02"] },
      },
      {
        verb: "add-deltas",
        summary: "put new delta disks in seSparseFormat on top of the disks of VM web",
        order: { afterPrevious: true, pools: ["datastore ssd-02", "datastore ssd-02"] },
        applied: { delta_disk_format: "seSparseFormat" },
        proof: { expect: [{ attribute: "delta_disk_format", equals: "seSparseFormat" }] },
      },
    ]);
    const [move, deltas] = steps.map((step) =>
      vmType.request(step.verb, "vm-1", step.request.inputs),
    );
    expect(shapeOf(bodyOf(move), "spec")).toEqual(["datastore"]);
    // Which files there are to be put on top of, the move decides.
    expect(deltas?.body).toBe(unknown);
  });

  test("a new format alone leaves every file where it is", () => {
    const [step] = vmType.lower(update("manager_vm", { delta_disk_format: "seSparseFormat" }));
    expect(step?.disrupts).toBeUndefined();
    const body = bodyOf(vmType.request("add-deltas", "vm-1", step?.request.inputs ?? {}));
    expect(body).toContain(
      '<RelocateVM_Task xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
        '<_this type="VirtualMachine">vm-1</_this><spec>' +
        '<datastore type="Datastore">datastore-2</datastore>' +
        "<diskMoveType>createNewChildDiskBacking</diskMoveType>" +
        '<disk><diskId>2000</diskId><datastore type="Datastore">datastore-1</datastore>' +
        '<diskBackingInfo xsi:type="VirtualDiskFlatVer2BackingInfo">' +
        "<fileName>[ssd-01] web/web.vmdk</fileName><diskMode>persistent</diskMode>" +
        "<deltaDiskFormat>seSparseFormat</deltaDiskFormat><deltaGrainSize>4</deltaGrainSize>" +
        "</diskBackingInfo></disk></spec></RelocateVM_Task>",
    );
  });

  test("the grain size is one of the sparse format", () => {
    const [step] = vmType.lower(update("manager_vm", { delta_disk_format: "nativeFormat" }));
    const body = bodyOf(vmType.request("add-deltas", "vm-1", step?.request.inputs ?? {}));
    expect(body).toContain("<deltaDiskFormat>nativeFormat<");
    expect(body).not.toContain("deltaGrainSize");
  });

  test.each([
    ["none of them a delta", [whole]],
    ["one of them no delta", [delta, { ...whole, disk_id: "2001" }]],
  ])("a VM with disks, %s, becomes a linked clone, which needs consent", (_which, disks) => {
    const change = update("manager_vm", { delta_disk_format: "seSparseFormat" }, { disks });
    expect(vmType.lower(change)).toMatchObject([
      {
        summary:
          "put new delta disks in seSparseFormat on top of the disks of VM web, which becomes a " +
          "linked clone of its present disks",
        disrupts: ["linked-clone"],
      },
    ]);
  });

  test("a new datastore alone says nothing of disks", () => {
    const [step] = vmType.lower(update("manager_vm", { datastore: "ssd-02" }));
    const body = bodyOf(vmType.request("relocate", "vm-1", step?.request.inputs ?? {}));
    expect(shapeOf(body, "spec")).toEqual(["datastore"]);
  });

  test.each([
    ["manager_vm", "relocate", { datastore: "ssd-02" }],
    ["manager_vm", "add-deltas", { delta_disk_format: "nativeFormat" }],
    ["manager_disk", "grow", { size_gb: 20 }],
  ] as const)("of %s, %s is not known before its facts are", (type, verb, inputs) => {
    const [step] = types[type].lower(update(type, inputs, "none"));
    expect(types[type].request(verb, "vm-1", step?.request.inputs ?? {})?.body).toBe(unknown);
  });

  test("limits of datastores are the settings'", () => {
    const settings = { limits: { relocates_per_datastore: 2 } };
    expect(vmType.poolLimit?.("datastore ssd-01", settings)).toBe(2);
    expect(vmType.poolLimit?.("other", settings)).toBeUndefined();
    expect(vmType.poolLimit?.("datastore ssd-01", {})).toBeUndefined();
  });

  test("nothing is made or deleted", () => {
    const { prior } = update("manager_vm", {});
    expect(vmType.lower({ action: "delete", identity: "vm-1", prior })).toEqual([]);
    expect(vmType.lower({ action: "create", identity: "vm-1", inputs: {} })).toEqual([]);
    expect(diskType.lower({ action: "delete", identity: "vm-1/2000", prior })).toEqual([]);
  });

  test.each([
    [{ on_destroy: "power_off" }, "power-off"],
    [{ on_destroy: "forget" }, "keep"],
    [{}, "keep"],
  ])("parting of %j", (applied, parting) => {
    expect(vmType.parting?.(applied)).toBe(parting);
  });
});

describe("steps of a disk", () => {
  test("growing sends the whole device, at whatever power", () => {
    const [step, ...more] = diskType.lower(update("manager_disk", { size_gb: 20.5 }));
    expect(more).toEqual([]);
    expect(step).toMatchObject({
      verb: "grow",
      summary: 'grow disk "Hard disk 1" from 10 to 20.5 GB',
      applied: { size_gb: 20.5 },
      proof: { expect: [{ attribute: "size_gb", atLeast: 20.5 }] },
    });
    expect(step).not.toHaveProperty("needs");
    expect(bodyOf(diskType.request("grow", "vm-1/2000", step?.request.inputs ?? {}))).toContain(
      '<_this type="VirtualMachine">vm-1</_this><spec><deviceChange><operation>edit</operation>' +
        '<device xsi:type="VirtualDisk"><key>2000</key><capacityInKB>21495808</capacityInKB>' +
        "</device></deviceChange></spec>",
    );
  });

  test.each([
    ["size_gb", 10, 10 + 1 / 1024, true],
    ["size_gb", 10, 10 - 1 / 1024, true],
    ["size_gb", 10, 10 + 2 / 1024, false],
    ["size_gb", 10, null, false],
    ["label", "a", "b", false],
  ])("%s %s for %s is as good: %s", (name, wanted, actual, same) => {
    expect(diskType.same?.(name, wanted, actual)).toBe(same);
  });
});

describe("objections", () => {
  const nested = { nested_hv_enabled: true };
  const format = { delta_disk_format: "seSparseFormat" };
  const running = "VirtualMachine.relocate, by d\\bob, 40 %";
  test.each([
    ["manager_vm", nested, {}, []],
    ["manager_vm", nested, { api_version: "5.0" }, ["MGR010"]],
    ["manager_vm", nested, { api_version: "5.10" }, []],
    ["manager_vm", nested, { hardware_version: 8 }, ["MGR011"]],
    ["manager_vm", nested, { host_nested: false }, ["MGR012"]],
    ["manager_vm", nested, { hardware_version: 8, host_nested: false }, ["MGR011", "MGR012"]],
    ["manager_vm", nested, { host_nested: null }, ["MGR013"]],
    ["manager_vm", { nested_hv_enabled: false }, { hardware_version: 8, host_nested: false }, []],
    ["manager_vm", nested, { tasks: [running] }, ["MGR019"]],
    ["manager_vm", format, {}, ["MGR021"]],
    ["manager_vm", format, { disks: [whole] }, ["MGR020"]],
    ["manager_vm", format, { disks: [delta, whole] }, ["MGR020"]],
    ["manager_vm", format, { snapshots: ["before"] }, ["MGR022"]],
    ["manager_vm", format, { hardware_version: 8 }, ["MGR017"]],
    ["manager_vm", format, { api_version: "5.0" }, ["MGR018"]],
    ["manager_vm", format, { disks: [] }, ["MGR016"]],
    ["manager_vm", { delta_disk_format: "redoLogFormat" }, { hardware_version: 7 }, ["MGR021"]],
    ["manager_vm", { power: "on" }, { hardware_version: 7, host_nested: false }, []],
    ["manager_disk", { size_gb: 20 }, {}, []],
    ["manager_disk", { size_gb: 9 }, {}, ["MGR014"]],
    ["manager_disk", { size_gb: 20 }, { snapshots: ["before"] }, ["MGR015"]],
    ["manager_disk", { size_gb: 20 }, { snapshots: ["before"], is_delta: true }, ["MGR015"]],
    ["manager_disk", { size_gb: 20 }, { is_delta: true }, ["MGR023"]],
    ["manager_disk", { size_gb: 9 }, { is_delta: true }, ["MGR014"]],
    ["manager_disk", { size_gb: 20 }, { tasks: [running] }, ["MGR019"]],
  ] as const)("%s %j with %j: %j", (type, inputs, changes, codes) => {
    const objections = types[type].objections?.(update(type, inputs, changes)) ?? [];
    expect(objections.map(({ code }) => code)).toEqual(codes);
  });

  test.each([
    ["manager_vm", nested, { hardware_version: 8 }, /hardware version 8; 9 is needed/],
    ["manager_vm", nested, { host_nested: false }, /Host esx1 says that it cannot nest/],
    ["manager_disk", { size_gb: 9 }, {}, /has 10 GB, and 9 GB are wanted/],
    ["manager_disk", { size_gb: 20 }, { snapshots: ["a", "b"] }, /2 snapshots \("a", "b"\)/],
    ["manager_vm", nested, { tasks: [running] }, /VirtualMachine\.relocate, by d\\bob, 40 %/],
  ] as const)("of %s %j are told with the numbers", (type, inputs, changes, detail) => {
    const [objection] = types[type].objections?.(update(type, inputs, changes)) ?? [];
    expect(objection?.detail).toMatch(detail);
  });

  test("without facts nothing is known that stands against a change", () => {
    expect(vmType.objections?.(update("manager_vm", nested, "none"))).toEqual([]);
    expect(diskType.objections?.(update("manager_disk", { size_gb: 1 }, "none"))).toEqual([]);
  });

  test("facts are the same after a plan was saved, and what is torn counts as absent", () => {
    const full = { ...facts, tasks: [running], snapshots: ["a"] };
    expect(readFacts(full)).toEqual(full);
    expect(readFacts({ tasks: 3, disks: [null], host_nested: "yes" })).toMatchObject({
      tasks: [],
      disks: [],
      host_nested: null,
    });
  });
});
