/** What is asked of a VM before its space is reclaimed, over real HTTP. */

import { afterEach, expect, test } from "vitest";
import type { FactsRequest } from "../../../../../src/model/provider/provider.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import { disk, host, taskObject, vmObject, wanted } from "../machines.ts";
import { type ManagerScript, type ScriptedManager, startManager } from "../scripted-manager.ts";

const type = "manager_disk_reclaim";
const sparse = (key: number): string =>
  disk({ key, backing: "VirtualDiskSeSparseBackingInfo", more: "<grainSize>4</grainSize>" });

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(script: ManagerScript): Promise<ScriptedManager> {
  open = await startManager(script);
  return open;
}

test("a record is never read", async () => {
  const manager = await start({});
  const read = await manager.session.read([wanted(type, { identity: "vm-12/reclaim" })]);
  expect(read).toMatchObject([{ status: "unreadable", rule: "by rule" }]);
  expect(manager.calls()).toEqual([]);
});

const request = (identity: string): FactsRequest => ({
  address: `${type}.x` as Address,
  provider: "manager",
  type,
  action: "create",
  identity,
  wanted: {},
  changed: [],
  prior: {},
});

test("facts of many: one read of the VMs, one of their tasks, one of their hosts", async () => {
  const noted = "<deltaDiskFormat>seSparseFormat</deltaDiskFormat>";
  const delta = disk({ key: 2000, more: `${noted}<parent/>` });
  const objects = [
    vmObject({
      id: "vm-12",
      name: "web",
      power: "poweredOn",
      tools: "guestToolsRunning",
      devices: [sparse(2000), disk({ key: 2001 })],
      tasks: ["task-1", "task-2"],
    }),
    vmObject({ id: "vm-13", name: "db", devices: [delta, disk({ key: 2001, more: noted })] }),
    taskObject({ id: "task-1", description: "VirtualMachine.relocate" }),
    taskObject({ id: "task-2", state: "success" }),
    host,
  ];
  const manager = await start({ objects });
  const answers = await manager.session.facts?.([
    request("vm-12/reclaim"),
    request("vm-12/reclaim/2000"),
    request("vm-13/reclaim"),
  ]);
  const web = {
    vm: "web",
    host: "esx1.example.com",
    power: "on",
    tools_running: true,
    disks: [
      { id: "2000", label: "Hard disk 1", format: "sesparse", datastore: "ssd-01" },
      { id: "2001", label: "Hard disk 2", format: "unknown", datastore: "ssd-01" },
    ],
    running: ["VirtualMachine.relocate, by domain\\ADMIN"],
  };
  expect(answers).toMatchObject([
    { status: "read", facts: web },
    { status: "read", facts: web },
    {
      status: "read",
      facts: { vm: "db", power: "off", disks: [{ format: "sesparse" }, { format: "unknown" }] },
    },
  ]);
  expect(manager.calls()).toEqual(Array(3).fill("RetrievePropertiesEx propertyCollector"));
});

test.each([
  ["gone", [], "is not there any more"],
  ["out of touch", [vmObject({ id: "vm-12", connection: "disconnected" })], "disconnected"],
  [
    "hiding its devices",
    [vmObject({ id: "vm-12", refused: { "config.hardware.device": "NoPermission" } })],
    "NoPermission",
  ],
])("facts of a VM that is %s", async (_what, objects, words) => {
  const manager = await start({ objects: [...objects, host] });
  const [fact] = (await manager.session.facts?.([request("vm-12/reclaim")])) ?? [];
  expect(fact?.status).toBe("failed");
  expect(JSON.stringify(fact)).toContain(words);
});
