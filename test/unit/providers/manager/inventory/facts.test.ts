/** What changes need to be known about, and what data sources and lists tell. */

import { afterEach, describe, expect, test } from "vitest";
import type { Address } from "../../../../../src/model/value/address.ts";
import type { Attributes } from "../../../../../src/model/value/value.ts";
import { disk, failure, lookedUp, places, startWorld, vmObject, type World } from "../machines.ts";
import type { ManagerScript, ScriptedManager } from "../scripted-manager.ts";

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(world: World, script: ManagerScript = {}): Promise<ScriptedManager> {
  open = await startWorld(world, script);
  return open;
}

describe("facts", () => {
  const ask = (type: string, identity: string, wanted: Attributes, prior: Attributes = {}) => ({
    address: `${type}.x` as Address,
    provider: "manager",
    type,
    action: "update" as const,
    identity,
    wanted,
    changed: Object.keys(wanted),
    prior,
  });
  const snapshot =
    '<val xsi:type="VirtualMachineSnapshotInfo"><rootSnapshotList><name>a</name>' +
    "<childSnapshotList><name>b</name></childSnapshotList></rootSnapshotList></val>";

  test("of all changes together, by one request each for VMs, hosts, tasks, and one list", async () => {
    const tasks = [
      { id: "task-3", user: "d\\bob" },
      { id: "task-4", state: "success" },
    ];
    const vm = { devices: [disk()], snapshot, tasks: ["task-3", "task-4"], version: "vmx-08" };
    const manager = await start({ vm, tasks });
    const answers = await manager.session.facts?.([
      ask("manager_vm", "vm-1", { nested_hv_enabled: true }),
      ask("manager_vm", "vm-1", { datastore: "ssd-02" }),
      ask("manager_disk", "vm-1/2000", { size_gb: 20 }),
      ask("manager_vm", "vm-9", { nested_hv_enabled: true }),
      ask("manager_disk", "vm-1/2009", { size_gb: 20 }),
    ]);
    expect(answers).toMatchObject([
      {
        status: "read",
        facts: {
          api_version: "6.5",
          hardware_version: 8,
          host: "esx1.example.com",
          host_nested: true,
          snapshots: ["a", "b"],
          tasks: [expect.stringMatching(/^VirtualMachine\.reconfigure, by d\\bob/)],
        },
      },
      { status: "read", facts: { datastore_moref: "datastore-2" } },
      { status: "read", facts: { device: expect.stringContaining("<key>2000</key>") } },
      { status: "failed", reason: "VM vm-9 is not there any more" },
      { status: "failed", reason: "VM web does not show disk 2009" },
    ]);
    const read = "RetrievePropertiesEx propertyCollector";
    expect(manager.calls()).toEqual([
      read, // The VM that is gone is refused,
      read, // and left out.
      read, // Hosts.
      read, // Tasks.
      "CreateContainerView ViewManager",
      read,
      "DestroyView session[5]view-1",
    ]);
  });

  test.each([
    ["ssd-03", 'no datastore is named "ssd-03" among all 2; there is one named "ssd-0'],
    ["far", "is in another datacenter than VM web"],
    ["twice", '2 datastores are named "twice": datastore-7'],
  ])("datastore %s cannot be moved to", async (name, reason) => {
    const more = [
      { type: "Datacenter", id: "datacenter-9", values: {} },
      {
        type: "Folder",
        id: "group-s9",
        values: { parent: '<val type="Datacenter">datacenter-9</val>' },
      },
      ...(name === "far" ? [store("datastore-5", "far", "group-s9")] : []),
      ...(name === "twice" ? [store("datastore-7", "twice"), store("datastore-8", "twice")] : []),
    ];
    const vm = vmObject({ id: "vm-1", name: "web" });
    const manager = await start({}, { objects: [vm, ...places, ...more] });
    const answers = await manager.session.facts?.([ask("manager_vm", "vm-1", { datastore: name })]);
    expect(answers).toMatchObject([{ status: "failed", reason: expect.stringContaining(reason) }]);
  });
});

function store(id: string, name: string, parent = "group-s5") {
  const values = { name: `<val>${name}</val>`, parent: `<val type="Folder">${parent}</val>` };
  return { type: "Datastore", id, values };
}

describe("data sources and lists", () => {
  const host = (id: string, name: string, nested?: boolean) => ({
    type: "HostSystem",
    id,
    values: {
      name: `<val>${name}</val>`,
      "runtime.connectionState": "<val>connected</val>",
      ...(nested === undefined ? {} : { "capability.nestedHVSupported": `<val>${nested}</val>` }),
    },
  });
  const hosts = [host("host-1", "a", true), host("host-2", "b", false), host("host-3", "b")];

  test.each([
    [{ name: "a" }, { moref: "host-1", nested_hv_supported: true }],
    [{ moref: "host-2" }, { name: "b", nested_hv_supported: false }],
    [
      { name: "b", moref: "host-3" },
      { nested_hv_supported: null, connection_state: "connected" },
    ],
  ])("host %j", async (query, told) => {
    const manager = await start({}, { objects: hosts });
    expect(await manager.session.readData?.("manager_host", query)).toMatchObject(told);
  });

  test.each([
    [{ name: "b" }, "conflict", /2 hosts are meant by host with name "b": host-2, host-3/],
    [{ name: "c" }, "not-found", /no host with name "c" among all 3: a, b, b/],
    [{}, "conflict", /3 hosts are meant by any host/],
  ])("host %j is none", async (query, kind, message) => {
    const manager = await start({}, { objects: hosts });
    const error = await failure(manager.session.readData?.("manager_host", query));
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(message);
  });

  test("a VM, and its disks with their formats", async () => {
    const devices = [
      disk({ more: "<thinProvisioned>true</thinProvisioned>" }),
      disk({ key: 2001 }),
    ];
    const manager = await start({ vm: { devices, nested: true } });
    expect(await manager.session.readData?.("manager_vm", { name: "web" })).toMatchObject({
      moref: "vm-1",
      power_state: "off",
      nested_hv_enabled: true,
      tools_status: null,
      hardware_version: 9,
    });
    expect(await manager.session.readData?.("manager_disks", { vm: "vm-1" })).toMatchObject({
      disks: [
        { disk_id: "2000", format: "thin", size_gb: 10 },
        { disk_id: "2001", format: "unknown" },
      ],
    });
  });

  test.each([
    ["manager_vm", { name: "x" }, "not-found", /no VM has name "x" in the complete list of 1 VM/],
    ["manager_disks", { vm: "vm-9" }, "not-found", /a read of vm-9 is answered/],
    ["manager_disks", { vm: "web" }, "invalid", /"web" is no id of a VM/],
  ])("%s %j is none", async (type, query, kind, message) => {
    const manager = await start({});
    const error = await failure(manager.session.readData?.(type, query));
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(message);
  });

  test("VMs are listed without templates, disks with their VM alone", async () => {
    const objects = [
      vmObject({ id: "vm-2" }),
      vmObject({ id: "vm-1" }),
      vmObject({ id: "vm-3", template: true }),
    ];
    const manager = await start({}, { objects });
    expect(await manager.session.list?.("manager_vm")).toEqual([
      { type: "manager_vm", identity: "vm-1" },
      { type: "manager_vm", identity: "vm-2" },
    ]);
    expect((await failure(manager.session.list?.("manager_disk"))).kind).toBe("invalid");
    expect(manager.calls()).toHaveLength(3);
  });

  test("reading changes nothing", async () => {
    const manager = await start({ vm: { devices: [disk()] } });
    await manager.session.read([lookedUp("manager_vm", { name: "web" })]);
    await manager.session.readData?.("manager_host", {});
    await manager.session.list?.("manager_vm");
    await manager.session.serverTime?.();
    expect(manager.ports.sent.filter((each) => each.class === "mutate")).toEqual([]);
  });
});
