/** Changes over real HTTP: what is sent, and what the replies prove. */

import { afterEach, describe, expect, test } from "vitest";
import type { Attributes } from "../../../../../src/model/value/value.ts";
import { withParts } from "../../../../helpers/parts.ts";
import { disk, failure, gbKb, operation, startWorld, type World } from "../machines.ts";
import {
  answer,
  fault,
  type ManagerScript,
  type ScriptedManager,
  shapeOf,
} from "../scripted-manager.ts";

const forever = Number.MAX_SAFE_INTEGER;

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(world: World, script: ManagerScript = {}): Promise<ScriptedManager> {
  open = await startWorld(world, script);
  return open;
}

describe("sending", () => {
  test.each([
    ["power-on", "PowerOnVM_Task"],
    ["power-off", "PowerOffVM_Task"],
    ["suspend", "SuspendVM_Task"],
  ])("%s is one request, and its task", async (verb, method) => {
    const manager = await start({});
    const sent = await manager.session.send(operation("manager_vm", verb, "vm-1"), forever);
    expect(sent).toEqual({ handle: { task: "task-7" } });
    expect(manager.calls()).toEqual([`${method} vm-1`]);
    expect(manager.ports.sent.filter((each) => each.class === "mutate")).toHaveLength(1);
  });

  test("a shutdown is answered, and is no task", async () => {
    const manager = await start(
      {},
      { handle: ({ method }) => (method === "ShutdownGuest" ? answer(method) : undefined) },
    );
    const shutdown = operation("manager_vm", "shutdown", "vm-1");
    expect(await manager.session.send(shutdown, forever)).toEqual({});
  });

  test("a reply without a task leaves the effect open", async () => {
    const manager = await start({}, { handle: ({ method }) => answerOf(method) });
    const error = await failure(
      manager.session.send(operation("manager_vm", "power-on", "vm-1"), forever),
    );
    expect(error).toMatchObject({ kind: "protocol", effect: "unknown" });
    expect(error.message).toContain("names no task");
  });

  const answerOf = (method: string) => (method.endsWith("_Task") ? answer(method) : undefined);

  test("a reply is not waited for longer than a request may take", async () => {
    const manager = await start({});
    const { clock } = manager.ports;
    const on = operation("manager_vm", "power-on", "vm-1");
    const late = withParts(on, { proof: { requestLimitMs: -1 } });
    const error = await failure(manager.session.send(late, clock.now() + 60_000));
    expect(error).toMatchObject({ kind: "timeout", effect: "none" });
    expect(manager.bodies("PowerOnVM_Task")).toEqual([]);
  });

  test("who keeps the VM busy is told", async () => {
    const busy = fault("TaskInProgress", "Busy.", '<task type="Task">task-3</task>');
    const tasks = [{ id: "task-3", description: "VirtualMachine.clone", user: "d\\bob" }];
    const manager = await start(
      { tasks },
      { handle: ({ method }) => (method === "PowerOnVM_Task" ? busy : undefined) },
    );
    const error = await failure(
      manager.session.send(operation("manager_vm", "power-on", "vm-1"), forever),
    );
    expect(error).toMatchObject({ kind: "busy", effect: "none" });
    expect(error.message).toMatch(/TaskInProgress: Busy; VirtualMachine\.clone, by d\\bob$/);
  });
});

describe("growing a disk", () => {
  const planned = (text: string): Attributes => ({ size_gb: { gb: 20, device: text } });
  const device = (kb: number) =>
    '<device xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
    `xsi:type="VirtualDisk"><key>2000</key><capacityInKB>${kb}</capacityInKB></device>`;
  const grow = (inputs: Attributes) => operation("manager_disk", "grow", "vm-1/2000", inputs);

  test("the device is read right before, and sent back whole", async () => {
    const manager = await start({ vm: { devices: [disk({ bytes: 10n * 1024n ** 3n })] } });
    const sent = await manager.session.send(grow(planned(device(10 * gbKb))), forever);
    expect(sent).toEqual({ handle: { task: "task-7" } });
    expect(manager.calls()).toEqual([
      "RetrievePropertiesEx propertyCollector",
      "ReconfigVM_Task vm-1",
    ]);
    const [body = ""] = manager.bodies("ReconfigVM_Task");
    expect(shapeOf(body, "device")).toEqual([
      "key",
      "deviceInfo",
      "backing:VirtualDiskFlatVer2BackingInfo",
      "controllerKey",
      "unitNumber",
      "capacityInKB",
      "capacityInBytes",
      "shares",
      "later:xsd:int",
    ]);
    expect(body).toContain("<capacityInKB>20971520</capacityInKB>");
    expect(body).toContain("<capacityInBytes>21474836480</capacityInBytes>");
  });

  test.each([
    ["has changed its size", [disk({ kb: 15 * gbKb })], /has 15728640 KB by now, and had 10485760/],
    ["is gone", [disk({ key: 2001 })], /VM web has no disk 2000 any more/],
  ])("a disk that %s meanwhile is left alone", async (_what, devices, message) => {
    const manager = await start({ vm: { devices } });
    const error = await failure(manager.session.send(grow(planned(device(10 * gbKb))), forever));
    expect(error).toMatchObject({ kind: "precondition", effect: "none" });
    expect(error.message).toMatch(message);
    expect(manager.bodies("ReconfigVM_Task")).toEqual([]);
  });
});

test.each([
  ["manager_disk", "grow", "vm-1/2000", { size_gb: 20 }],
  ["manager_disk", "grow", "vm-1/2000", { size_gb: { gb: "20", device: "<device/>" } }],
  ["manager_vm", "relocate", "vm-1", { datastore: { moref: 2 } }],
  ["manager_vm", "add-deltas", "vm-1", { delta_disk_format: "seSparseFormat" }],
  [
    "manager_vm",
    "add-deltas",
    "vm-1",
    { delta_disk_format: { format: "seSparseFormat", links: true, disks: [{ disk_id: 2000 }] } },
  ],
])(
  "what somebody else has made of a plan is not sent: %s %s",
  async (...[type, verb, id, inputs]) => {
    const manager = await start({ vm: { devices: [disk()] } });
    const error = await failure(manager.session.send(operation(type, verb, id, inputs), forever));
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
    expect(error.message).toMatch(/has no request to send: nothing was sent$/);
    expect(manager.calls()).toEqual([]);
  },
);

test.each([
  ["reset", "ResetVM_Task"],
  ["suspend", "SuspendVM_Task"],
])("the action %s", async (action, method) => {
  const manager = await start({});
  expect(await manager.session.act?.(action, "manager_vm", "vm-1")).toEqual({
    handle: { task: "task-7" },
  });
  expect(manager.calls()).toEqual([`${method} vm-1`]);
});

describe("new delta disks", () => {
  const parent = "<parent><fileName>[ssd-01] base.vmdk</fileName></parent>";
  const shown = {
    disk_id: "2000",
    file_name: "[ssd-01] web/web_2000.vmdk",
    disk_mode: "persistent",
    datastore_moref: "datastore-1",
  };
  const inputs = (delta: Attributes): Attributes => ({
    datastore: { name: "ssd-01", moref: "datastore-1" },
    delta_disk_format: { format: "seSparseFormat", ...delta },
  });
  const send = async (devices: readonly string[], delta: Attributes) => {
    const manager = await start({ vm: { devices } });
    const work = operation("manager_vm", "add-deltas", "vm-1", inputs(delta));
    return { manager, sending: manager.session.send(work, forever) };
  };

  test.each([
    [
      "as they were planned",
      [disk({ more: parent })],
      { links: false, disks: [{ ...shown, is_delta: true }] },
    ],
    ["as a move has left them", [disk({ more: parent })], { links: false }],
    ["agreed to become bases", [disk()], { links: true }],
  ])("stand on the disks %s", async (_how, devices, delta) => {
    const { manager, sending } = await send(devices, delta);
    expect(await sending).toEqual({ handle: { task: "task-7" } });
    const [body = ""] = manager.bodies("RelocateVM_Task");
    expect(body).toContain("<diskMoveType>createNewChildDiskBacking</diskMoveType>");
    expect(body).toContain("<fileName>[ssd-01] web/web_2000.vmdk</fileName>");
  });

  test.each([
    [
      "another file",
      [disk({ more: parent })],
      { links: false, disks: [{ ...shown, is_delta: false }] },
      /other disks by now/,
    ],
    ["a disk of its own that nobody agreed to", [disk()], { links: false }, /nobody has agreed/],
  ])("are not put on %s", async (_what, devices, delta, words) => {
    const { manager, sending } = await send(devices, delta);
    const error = await failure(sending);
    expect(error).toMatchObject({ kind: "precondition", effect: "none" });
    expect(error.message).toMatch(words);
    expect(manager.bodies("RelocateVM_Task")).toEqual([]);
  });
});
