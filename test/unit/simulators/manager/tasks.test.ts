/** Power and its tasks: states, progress, cancelling, busy VMs, histories, restarts. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { textOf } from "../../../../src/lib/xml/xml.ts";
import type { FaultDocument } from "../../../../src/simulators/faults.ts";
import type { ManagerDocument } from "../../../../src/simulators/manager/world/world-document.ts";
import { simulate, stopNow } from "../simulation.ts";
import type { Client, Target } from "./manager-client.ts";
import {
  childOf,
  clientOf,
  faultOf,
  listOf,
  logIn,
  nested,
  read,
  readText,
  reconfigure,
  run,
  targetOf,
  taskState,
  textsOf,
  vmIn,
  vmOf,
} from "./manager-client.ts";

const powers = { on: "poweredOn", off: "poweredOff", suspended: "suspended" } as const;
type Power = keyof typeof powers;

describe.each<readonly [Power, string, string]>([
  ["off", "PowerOnVM_Task", "poweredOn"],
  ["suspended", "PowerOnVM_Task", "poweredOn"],
  ["on", "PowerOffVM_Task", "poweredOff"],
  ["on", "SuspendVM_Task", "suspended"],
  ["on", "ResetVM_Task", "poweredOn"],
])("from %s by %s", (power, method, end) => {
  test(`it is ${end} at the end of the task, not before`, async () => {
    const client = await clientOf({ vms: { web: { power } } });
    const web = vmOf(client, "web");
    const task = targetOf(await client.call(method, web));
    client.simulators.clock.advance(9);
    expect(await taskState(client, task)).toEqual(["running"]);
    expect(await readText(client, web, "runtime.powerState")).toBe(powers[power]);
    client.simulators.clock.advance(1000);
    expect(await taskState(client, task)).toEqual(["success"]);
    expect(await readText(client, web, "runtime.powerState")).toBe(end);
  });
});

describe.each(["task", "answer"] as const)("refusals in the %s", (refusals) => {
  const refused = (type: string) => (refusals === "task" ? ["error", type] : [type]);
  test.each<readonly [Power, string]>([
    ["on", "PowerOnVM_Task"],
    ["off", "PowerOffVM_Task"],
    ["suspended", "PowerOffVM_Task"],
    ["off", "SuspendVM_Task"],
    ["suspended", "SuspendVM_Task"],
    ["off", "ResetVM_Task"],
    ["suspended", "ResetVM_Task"],
  ])("from %s by %s", async (power, method) => {
    const client = await clientOf({ rules: { refusals }, vms: { web: { power } } });
    expect(await run(client, method, vmOf(client, "web"))).toEqual(refused("InvalidPowerState"));
    expect(vmIn(client, "web").power).toBe(powers[power]);
    const entry = client.simulators.log().find((each) => each.body.includes(method));
    expect(entry?.violation).toContain("cannot be performed");
  });
});

test("a suspended VM may be turned off where the server lets it", async () => {
  const rules = { power_off_suspended: "works" } as const;
  const client = await clientOf({ rules, vms: { web: { power: "suspended" } } });
  expect(await run(client, "PowerOffVM_Task", vmOf(client, "web"))).toEqual(["success"]);
  expect(vmIn(client, "web").power).toBe("poweredOff");
});

describe("the guest", () => {
  const on = { power: "on" } as const;
  test("shuts down when asked, after a while, without a task", async () => {
    const client = await clientOf({ vms: { web: on } });
    const web = vmOf(client, "web");
    const reply = await client.call("ShutdownGuest", web);
    expect([reply.status, reply.values]).toEqual([200, []]);
    client.simulators.clock.advance(29);
    expect(await readText(client, web, "runtime.powerState")).toBe("poweredOn");
    client.simulators.clock.advance(1);
    expect(await readText(client, web, "runtime.powerState")).toBe("poweredOff");
    expect(client.simulators.world().manager.tasks).toEqual([]);
    expect(faultOf(await client.call("ShutdownGuest", web))[0]).toBe("InvalidPowerState");
  });

  test("does not, where it ignores that, and power still goes off", async () => {
    const client = await clientOf({ rules: { guest_shutdown: "ignored" }, vms: { web: on } });
    const web = vmOf(client, "web");
    expect((await client.call("ShutdownGuest", web)).status).toBe(200);
    client.simulators.clock.advance(600_000);
    expect(vmIn(client, "web").power).toBe("poweredOn");
    expect(await run(client, "PowerOffVM_Task", web)).toEqual(["success"]);
  });

  test("a power off overtakes it, and it does not turn the VM off again", async () => {
    const client = await clientOf({ durations_ms: { guest_shutdown: 5000 }, vms: { web: on } });
    const web = vmOf(client, "web");
    await client.call("ShutdownGuest", web);
    await client.call("PowerOffVM_Task", web);
    client.simulators.clock.advance(100);
    await client.call("PowerOnVM_Task", web);
    client.simulators.clock.advance(10_000);
    expect(vmIn(client, "web").power).toBe("poweredOn");
  });

  test("has tools some time after power on, or never", async () => {
    const vms = { web: {}, bare: { tools: "absent" } } as const;
    const client = await clientOf({ durations_ms: { tools: 500, power_on: 0 }, vms });
    for (const [key, states] of [
      ["web", ["guestToolsNotRunning", "guestToolsRunning"]],
      ["bare", ["guestToolsNotRunning", "guestToolsNotRunning"]],
    ] as const) {
      const vm = vmOf(client, key);
      await client.call("PowerOnVM_Task", vm);
      const early = await readText(client, vm, "guest.toolsRunningStatus");
      expect(faultOf(await client.call("ShutdownGuest", vm))[0]).toBe("ToolsUnavailable");
      client.simulators.clock.advance(500);
      expect([early, await readText(client, vm, "guest.toolsRunningStatus")]).toEqual(states);
    }
  });
});

const slow: ManagerDocument = {
  durations_ms: { queued: 100, relocate: 1000, cancel: 10 },
  datastores: { fast: {}, slow: {} },
  vms: { web: {}, db: {} },
};

const relocateSpec = '<spec><datastore type="Datastore">datastore-12</datastore></spec>';

async function relocate(client: Client, key = "web"): Promise<Target> {
  const reply = await client.call("RelocateVM_Task", vmOf(client, key), relocateSpec);
  return targetOf(reply);
}

async function infoOf(client: Client, task: Target) {
  const { info } = await read(client, task, "info");
  if (info === undefined) throw new Error("no info");
  return textsOf(info.element);
}

test("a task is queued, runs with progress, and ends", async () => {
  const client = await clientOf(slow);
  const task = await relocate(client);
  const { clock } = client.simulators;
  const begin = clock.now();
  expect(await infoOf(client, task)).toMatchObject({
    state: "queued",
    descriptionId: "VirtualMachine.relocate",
    name: "RelocateVM_Task",
    entity: "vm-101",
    entityName: "web",
    cancelled: "false",
    cancelable: "true",
  });
  expect(await infoOf(client, task)).not.toHaveProperty("startTime");
  clock.advance(350);
  const running = await infoOf(client, task);
  expect(running).toMatchObject({ state: "running", progress: "25" });
  expect(Date.parse(running["startTime"] ?? "")).toBe(begin + 100);
  expect(running).not.toHaveProperty("completeTime");
  clock.advance(750);
  const ended = await infoOf(client, task);
  expect(ended["state"]).toBe("success");
  expect(ended).not.toHaveProperty("progress");
  expect(Date.parse(ended["completeTime"] ?? "")).toBe(begin + 1100);
  const { info } = await read(client, task, "info");
  const reason = childOf(info?.element, "reason");
  expect(reason && textsOf(reason)).toEqual({ userName: "LAB.LOCAL\\admin" });
});

test("progress may be absent", async () => {
  const client = await clientOf({ ...slow, rules: { progress: "absent" } });
  const task = await relocate(client);
  client.simulators.clock.advance(500);
  expect(await infoOf(client, task)).not.toHaveProperty("progress");
});

test("a busy VM refuses other work, and other VMs do not", async () => {
  const client = await clientOf(slow);
  const task = await relocate(client);
  for (const method of ["PowerOnVM_Task", "PowerOffVM_Task"]) {
    const reply = await client.call(method, vmOf(client, "web"));
    expect(faultOf(reply)).toEqual(["TaskInProgress", { task: task.slice("Task:".length) }]);
    expect(client.simulators.log().at(-1)?.violation).toBeUndefined();
  }
  const own = await client.call(reconfigure, vmOf(client, "web"), nested(true));
  expect(faultOf(own)[0]).toBe("TaskInProgress");
  expect((await client.call(reconfigure, vmOf(client, "db"), nested(true))).status).toBe(200);
});

test("somebody else's task keeps a VM busy as well, and is told of", async () => {
  const client = await clientOf(slow);
  const web = vmOf(client, "web");
  await client.simulators.change({
    start_manager_task: { vm: "web", duration_ms: 500, operation: "RelocateVM_Task", user: "eve" },
  });
  expect(faultOf(await client.call("PowerOnVM_Task", web))[0]).toBe("TaskInProgress");
  const { recentTask } = await read(client, web, "recentTask");
  const [other] = listOf(recentTask?.element, "ManagedObjectReference").map(
    (each): Target => `Task:${textOf(each)}`,
  );
  if (other === undefined) throw new Error("no task");
  expect(await infoOf(client, other)).toMatchObject({ descriptionId: "VirtualMachine.relocate" });
  client.simulators.clock.advance(600);
  expect((await client.call("PowerOnVM_Task", web)).status).toBe(200);
});

describe("cancelling", () => {
  test("ends the task a while later, without effect", async () => {
    const client = await clientOf(slow);
    const task = await relocate(client);
    client.simulators.clock.advance(500);
    expect((await client.call("CancelTask", task)).status).toBe(200);
    expect(await infoOf(client, task)).toMatchObject({ state: "running", cancelled: "true" });
    client.simulators.clock.advance(10);
    expect(await taskState(client, task)).toEqual(["error", "RequestCanceled"]);
    expect(vmIn(client, "web").datastoreId).toBe("datastore-11");
    expect(faultOf(await client.call("CancelTask", task))[0]).toBe("InvalidState");
  });

  test("may be ignored, or come too late", async () => {
    const ignored = await clientOf({ ...slow, rules: { cancel: "ignored" } });
    const task = await relocate(ignored);
    await ignored.call("CancelTask", task);
    ignored.simulators.clock.advance(1100);
    expect(await taskState(ignored, task)).toEqual(["success"]);
    const late = await clientOf(slow);
    const other = await relocate(late);
    late.simulators.clock.advance(1095);
    await late.call("CancelTask", other);
    late.simulators.clock.advance(5);
    expect(await taskState(late, other)).toEqual(["success"]);
  });

  test("is not possible for every task", async () => {
    const client = await clientOf(slow);
    const task = targetOf(await client.call(reconfigure, vmOf(client, "web"), nested(true)));
    expect(faultOf(await client.call("CancelTask", task))[0]).toBe("NotSupported");
  });
});

describe("history", () => {
  async function history(client: Client, filter: string): Promise<readonly (string | undefined)[]> {
    const reply = await client.call(
      "CreateCollectorForTasks",
      "TaskManager:TaskManager",
      `<filter>${filter}</filter>`,
    );
    const collector = targetOf(reply);
    const names: (string | undefined)[] = [];
    for (;;) {
      const page = await client.call("ReadNextTasks", collector, "<maxCount>2</maxCount>");
      if (page.values.length === 0) break;
      names.push(...page.values.map((each) => textsOf(each)["descriptionId"]));
    }
    await client.call("DestroyCollector", collector);
    return names;
  }

  test("has tasks whose objects are gone", async () => {
    const client = await clientOf({ ...slow, rules: { task_minutes: 1 } });
    const { clock } = client.simulators;
    const web = vmOf(client, "web");
    const begin = new Date(clock.now() + 1).toISOString();
    await run(client, reconfigure, web, nested(true));
    const task = await relocate(client);
    clock.advance(61_100);
    expect(faultOf(await client.call("CancelTask", task))[0]).toBe("ManagedObjectNotFound");
    expect((await read(client, web, "recentTask"))["recentTask"]?.element.children).toEqual([]);
    await run(client, "PowerOnVM_Task", web);
    await run(client, "PowerOnVM_Task", vmOf(client, "db"));
    const self = `<entity><entity type="VirtualMachine">vm-101</entity><recursion>self</recursion></entity>`;
    const names = ["reconfigure", "relocate", "powerOn"].map((each) => `VirtualMachine.${each}`);
    expect(await history(client, self)).toEqual(names);
    const since = `<time><timeType>queuedTime</timeType><beginTime>${begin}</beginTime></time>`;
    expect(await history(client, `${self}${since}`)).toEqual(names.slice(1));
    const all =
      '<entity><entity type="Folder">group-d1</entity><recursion>children</recursion></entity>';
    expect(await history(client, all)).toHaveLength(4);
    const users = "<userName><systemUser>false</systemUser><userList>LAB.LOCAL\\eve</userList>";
    expect(await history(client, `${users}</userName>`)).toEqual([]);
    expect(await history(client, "<state>error</state>")).toEqual([]);
  });
});

describe("faults", () => {
  const withFault = (fault: Omit<FaultDocument, "on">): Promise<Client> =>
    clientOf(slow, {
      faults: { faults: [{ on: "POST /sdk", body: "*<RelocateVM_Task*", ...fault }] },
    });

  test.each<readonly [FaultDocument["task"] & {}, readonly string[], string]>([
    [{ end: "error" }, ["error", "GenericVmConfigFault"], "datastore-11"],
    [
      { end: "error", minor_code: "NoDiskSpace", message: "Full." },
      ["error", "NoDiskSpace"],
      "datastore-11",
    ],
    [{ end: "error", effect: true }, ["error", "GenericVmConfigFault"], "datastore-12"],
    [{ effect: false }, ["success"], "datastore-11"],
    [{ end: "vanquished" }, ["vanquished"], "datastore-11"],
  ])("the task %j", async (task, end, datastore) => {
    const client = await withFault({ task });
    const begun = await relocate(client);
    client.simulators.clock.advance(1100);
    expect(await taskState(client, begun)).toEqual(end);
    expect(vmIn(client, "web").datastoreId).toBe(datastore);
  });

  test("another word meanwhile, and a task that is gone at its end", async () => {
    const client = await withFault({ task: { meanwhile: "paused", lost: true } });
    const task = await relocate(client);
    client.simulators.clock.advance(500);
    expect(await taskState(client, task)).toEqual(["paused"]);
    client.simulators.clock.advance(600);
    await expect(taskState(client, task)).rejects.toThrow("ManagedObjectNotFound");
    expect(vmIn(client, "web").datastoreId).toBe("datastore-12");
  });

  test("busy, any refusal, only on this interface", async () => {
    const call = (client: Client) =>
      client.call("RelocateVM_Task", vmOf(client, "web"), relocateSpec);
    const busy = await withFault({ busy: true, interface: "manager" });
    expect(faultOf(await call(busy))[0]).toBe("TaskInProgress");
    const refusal = { status: 500, minor_code: "InvalidDatastore", message: "No & no" };
    const refused = await withFault({ refusal });
    const reply = await call(refused);
    expect(faultOf(reply)[0]).toBe("InvalidDatastore");
    expect(reply.text).toContain("<faultstring>No &amp; no</faultstring>");
    const other = await withFault({ busy: true, interface: "cloud" });
    expect((await call(other)).status).toBe(200);
  });
});

describe("the VM of a running task", () => {
  test("may be deleted: the task fails", async () => {
    const client = await clientOf(slow);
    const task = await relocate(client);
    await client.simulators.change({ delete_manager_vm: { vm: "web" } });
    client.simulators.clock.advance(1100);
    expect(await taskState(client, task)).toEqual(["error", "ManagedObjectNotFound"]);
  });

  test("may lose its task with the server's memory", async () => {
    const client = await clientOf(slow);
    const task = await relocate(client);
    await client.simulators.change({ forget_manager_tasks: { vm: "web" } });
    await expect(taskState(client, task)).rejects.toThrow("ManagedObjectNotFound");
    client.simulators.clock.advance(2000);
    expect(vmIn(client, "web").datastoreId).toBe("datastore-11");
  });
});

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

test("tasks and shutdowns go on between runs; sessions do not", async () => {
  const home = mkdtempSync(join(tmpdir(), "simulated-manager-"));
  homes.push(home);
  const persist = join(home, "world.json");
  const manager: ManagerDocument = { ...slow, vms: { ...slow.vms, up: { power: "on" } } };
  const first = await simulate({ world: { manager }, persist });
  const client = await logIn(first);
  const task = await relocate(client);
  await client.call("ShutdownGuest", vmOf(client, "up"));
  first.clock.advance(20);
  await first.change({ log_in_manager_user: { user: "eve" } });
  await stopNow(first);
  const second = await simulate({ world: {}, persist });
  const again = await logIn(second);
  expect(await taskState(again, task)).toEqual(["queued"]);
  expect(vmIn(again, "up").power).toBe("poweredOn");
  second.clock.advance(1080);
  expect(await taskState(again, task)).toEqual(["success"]);
  expect(vmIn(again, "up").power).toBe("poweredOff");
  const { cookie } = client;
  const late = await again.call("CurrentTime", "ServiceInstance:ServiceInstance", "", { cookie });
  expect(faultOf(late)[0]).toBe("NotAuthenticated");
});

test("ids of tasks on a host are made of the VM's", async () => {
  const client = await logIn(
    await simulate({ world: { manager: { rules: { kind: "host" }, vms: { web: {} } } } }),
    { target: "SessionManager:ha-sessionmgr" },
  );
  expect(vmOf(client, "web")).toBe("VirtualMachine:1");
  const task = targetOf(await client.call("PowerOnVM_Task", vmOf(client, "web")));
  expect(task).toMatch(/^Task:haTask-1-vim\.VirtualMachine\.powerOn-\d+$/);
});
