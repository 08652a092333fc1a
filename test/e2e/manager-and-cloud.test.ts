/**
 * One VM that is reached through a cloud and through its host manager: the servers know nothing of
 * each other's tasks, so that nothing but one lock keeps two pieces of work on it apart. The logs
 * and the tasks of both servers are the witnesses.
 */

import { afterEach, expect, test } from "vitest";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { isMutation, password, type Resources } from "./cloud-place.ts";
import { createManagerPlace, type ManagerPlace, nameOf } from "./manager-place.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

/** Simulated milliseconds: long enough that work side by side is seen to be. */
const longMs = 20_000;
const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,discard-state,grow"];

/** In the cloud `w` is the manager's `web`, and nothing there is its `other`. */
async function open(power: "on" | "suspended" = "on"): Promise<void> {
  place = await createManagerPlace({
    durations: { reconfigure: longMs, tools: longMs },
    vms: {
      web: { moref: "vm-500", power, disks: [{ size_gb: 10 }] },
      other: { moref: "vm-600", power: "on", disks: [{ size_gb: 10 }] },
      vcsa: { disks: "appliance" },
    },
    cloud: {
      users: [{ name: "admin", password }],
      durations_ms: { relocate: longMs, nested: longMs },
      datastores: { old: {}, fast: {} },
      vapps: {
        app: { vms: { w: { moref: "vm-500", power: "on" } } },
        lab: { vms: { a: { moref: "vm-700", power: "on" } } },
      },
    },
  });
}

function grown(vm: string, size_gb: number): Resources {
  return {
    [`manager_vm.${vm}`]: { name: vm },
    [`manager_disk.${vm}`]: { vm: `\${manager_vm.${vm}.moref}`, label: "Hard disk 1", size_gb },
  };
}

type Span = { readonly from: number; readonly to: number };

/** When the work of a task went on, from the arrival of its request. */
function spans(): { readonly cloud: readonly Span[]; readonly manager: readonly Span[] } {
  const { cloud, manager } = place.simulators.world();
  const ended = (at: { readonly atMs: number } | null): number => {
    if (at === null) throw new Error("a task still runs");
    return at.atMs;
  };
  return {
    cloud: cloud.tasks.map((task) => ({ from: task.startMs, to: ended(task.ended) })),
    manager: manager.tasks.map((task) => ({ from: task.queueMs, to: ended(task.ended) })),
  };
}

function overlaps(): boolean {
  const { cloud, manager } = spans();
  expect(cloud.length).toBeGreaterThan(0);
  expect(manager.length).toBeGreaterThan(0);
  return cloud.some((one) => manager.some((two) => one.from < two.to && two.from < one.to));
}

/** Which server each change went to, in order of arrival, without repeats of one behind itself. */
async function turns(): Promise<readonly string[]> {
  const sent = (await place.logged(() => place.run(0, ...apply))).filter(isMutation);
  return sent
    .map((request) => request.interface)
    .filter((name, index, all) => name !== all[index - 1]);
}

const beginnings = [
  ["adopted by the same run", false],
  ["recorded before", true],
] as const;

test.each(some(beginnings, 1))(
  "a VM moves through the cloud and grows through the manager, %s: in turn",
  async (_, known) => {
    await open();
    if (known) {
      place.write({ "cloud_vm.w": { name: "w" }, ...grown("web", 10) });
      await place.run(0, ...apply);
    }
    place.write({ "cloud_vm.w": { name: "w", datastore: "fast" }, ...grown("web", 20) });
    expect(await turns()).toHaveLength(2);
    expect(overlaps()).toBe(false);
    expect(place.disk("web", 2000).size).toBe(20);
    await place.run(0, "plan", "--detailed-exitcode");
  },
);

test(
  "a disk of a VM that is not recorded itself waits for the VM's move through the cloud",
  onlyInLongRun,
  async () => {
    await open();
    place.write({
      "cloud_vm.w": { name: "w", datastore: "fast" },
      "manager_disk.web": { vm: "vm-500", label: "Hard disk 1", size_gb: 20 },
    });
    expect(await turns()).toHaveLength(2);
    expect(overlaps()).toBe(false);
  },
);

test("two VMs do so side by side", onlyInLongRun, async () => {
  await open();
  place.write({ "cloud_vm.w": { name: "w", datastore: "fast" }, ...grown("other", 20) });
  expect((await turns()).toSorted()).toEqual(["cloud", "manager"]);
  expect(overlaps()).toBe(true);
  await place.run(0, "plan", "--detailed-exitcode");
});

test(
  "a power cycle through the one is over before one through the other begins",
  onlyInLongRun,
  async () => {
    await open();
    place.write({
      "cloud_vm.w": { name: "w", nested_hv_enabled: true },
      "manager_vm.web": { name: "web", nested_hv_enabled: true },
    });
    const sent = await place.logged(() => place.run(0, ...apply));
    const names = sent
      .filter(isMutation)
      .map((request) => `${request.interface} ${nameOf(request)}`);
    expect(names.length).toBeGreaterThanOrEqual(6);
    const servers = names.map((name) => name.split(" ")[0]);
    expect(servers.filter((name, index) => name !== servers[index - 1])).toHaveLength(2);
    expect(overlaps()).toBe(false);
    expect(place.vm("web")).toMatchObject({ power: "poweredOn", nested: true });
    await place.run(0, "plan", "--detailed-exitcode");
  },
);

test(
  "a move through the cloud stays out of a power cycle that has begun",
  onlyInLongRun,
  async () => {
    await open("suspended");
    place.write({
      "cloud_vm.a": { name: "a", datastore: "fast" },
      // Ready while the VM is off, and before its next word in the order of the plan.
      "cloud_vm.w": { name: "w", datastore: "fast", depends_on: ["cloud_vm.a"] },
      "manager_vm.web": { name: "web", power: "on", nested_hv_enabled: true },
    });
    const sent = await place.logged(() => place.run(0, ...apply));
    const w = place.simulators.world().cloud.vms.find(({ key }) => key === "w");
    const names = sent.filter(isMutation).map((request) => nameOf(request));
    expect(names.filter((name) => !name.endsWith("/relocate"))).toEqual([
      ...["PowerOnVM_Task", "ShutdownGuest", "ReconfigVM_Task", "PowerOnVM_Task"],
    ]);
    const moved = names.indexOf(`POST /api/vApp/vm-${w?.id}/action/relocate`);
    expect([names.indexOf("PowerOnVM_Task") - 1, names.length - 1]).toContain(moved);
    await place.run(0, "plan", "--detailed-exitcode");
  },
);

test("power cycles of two VMs go on side by side", onlyInLongRun, async () => {
  await open();
  place.write({
    "cloud_vm.w": { name: "w", nested_hv_enabled: true },
    "manager_vm.other": { name: "other", nested_hv_enabled: true },
  });
  await place.run(0, ...apply);
  expect(overlaps()).toBe(true);
});
