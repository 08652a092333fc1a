/**
 * One machine that both a cloud and its host manager show, which the simulators do not: a script
 * tells the other server of each word as it arrives at the one. What both want is sent once, and
 * what is done through the one is no drift of the other.
 */

import { afterEach, expect, test } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";
import { isMutation, password, type Resources } from "./cloud-place.ts";
import { createManagerPlace, type ManagerPlace, nameOf } from "./manager-place.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,discard-state"];

/** In the cloud `w` is the manager's `web`. */
async function open(): Promise<void> {
  place = await createManagerPlace({
    vms: {
      web: { moref: "vm-500", power: "on", disks: [{ size_gb: 10 }] },
      vcsa: { disks: "appliance" },
    },
    cloud: {
      users: [{ name: "admin", password }],
      datastores: { hdd: {}, ssd: {} },
      vapps: { app: { vms: { w: { moref: "vm-500", power: "on", datastore: "hdd" } } } },
    },
  });
  await place.setFaults(
    {
      interface: "cloud",
      on: "POST /api/vApp/**/suspend",
      times: "always",
      change: { power_manager_vm: { vm: "web", power: "suspended" } },
    },
    {
      interface: "manager",
      on: "POST /sdk",
      body: "*<SuspendVM_Task *",
      times: "always",
      change: { power_cloud_vm: { vm: "w", power: "suspended" } },
    },
    {
      interface: "cloud",
      on: "POST /api/vApp/**/relocate",
      times: "always",
      change: { change_manager_vm: { vm: "web", datastore: "ssd" } },
    },
  );
}

async function changes(): Promise<readonly string[]> {
  const sent = await place.logged(() => place.run(0, ...apply));
  return sent.filter(isMutation).map((request) => `${request.interface} ${nameOf(request)}`);
}

async function nothingIsLeft(): Promise<void> {
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
}

/** Both are recorded before, or found by the run that changes them. */
async function known(isKnown: boolean): Promise<void> {
  await open();
  if (!isKnown) return;
  place.write({ "cloud_vm.w": { name: "w" }, "manager_vm.web": { name: "web" } });
  await place.run(0, ...apply);
}

test.each([
  ["known", true],
  ["found just now", false],
])("both want the same power of a machine, %s: it is sent once", async (_name, isKnown) => {
  await known(isKnown);
  place.write({
    "cloud_vm.w": { name: "w", power: "suspended" },
    "manager_vm.web": { name: "web", power: "suspended" },
  });
  expect(await changes()).toHaveLength(1);
  expect(place.vm("web").power).toBe("suspended");
  await nothingIsLeft();
});

test.each<readonly [string, Resources]>([
  ["through the cloud", { "cloud_vm.w": { name: "w", power: "suspended" } }],
  ["through the manager", { "manager_vm.web": { name: "web", power: "suspended" } }],
  ["to another datastore", { "cloud_vm.w": { name: "w", datastore: "ssd" } }],
])("a machine changed %s is not drift of the other", async (_name, wanted) => {
  await known(true);
  place.write({ "cloud_vm.w": { name: "w" }, "manager_vm.web": { name: "web" }, ...wanted });
  expect(await changes()).toHaveLength(1);
  await nothingIsLeft();
});

test("a machine changed by somebody is drift of both", onlyInLongRun, async () => {
  await known(true);
  await place.change({ power_cloud_vm: { vm: "w", power: "suspended" } });
  await place.change({ power_manager_vm: { vm: "web", power: "suspended" } });
  const { stdout } = await place.run(2, "drift");
  expect(stdout).toContain("cloud_vm.w");
  expect(stdout).toContain("manager_vm.web");
});
