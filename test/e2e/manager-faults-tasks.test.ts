/**
 * Requests to host management and its remote tasks, in every way they can go wrong: what was sent
 * is never sent again before it is known to be without effect, only success with its effect is
 * success, and the next run carries on where this one has ended.
 */

import { afterEach, expect, test } from "vitest";
import { some } from "../helpers/amount.ts";
import { blank, meets, poll, type Row, timeouts } from "./manager-fault-run.ts";
import { createManagerPlace, type ManagerPlace } from "./manager-place.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

const reconfigure = { on: "POST /sdk", body: "*<ReconfigVM_Task*" };

const growth: readonly Row[] = [
  {
    name: "a task that fails is told in the server's words",
    faults: [
      {
        ...reconfigure,
        task: { end: "error", message: "No space left on hdd.", minor_code: "NoDiskSpace" },
      },
    ],
    code: 1,
    says: ["No space left on hdd", "NoDiskSpace"],
    left: ["ReconfigVM_Task"],
  },
  {
    name: "a task that ends with success and without effect is no success",
    faults: [{ ...reconfigure, task: { effect: false } }],
    code: 1,
    says: ["its task succeeded, but size_gb is 10, which is less than 20"],
    left: ["ReconfigVM_Task"],
  },
  {
    name: "a task with a word that nobody knows is waited for",
    faults: [{ ...reconfigure, task: { meanwhile: "postRunning" } }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a task that the server forgets is settled by looking at the disk",
    faults: [{ ...reconfigure, task: { lost: true, effect: true } }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a busy VM is waited for",
    faults: [{ ...reconfigure, change: { start_manager_task: { vm: "web", duration_ms: 3000 } } }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "TaskInProgress as the answer of one request is waited out",
    faults: [{ ...reconfigure, times: 2, busy: true }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a refusal is told in the server's words",
    faults: [
      {
        ...reconfigure,
        refusal: { status: 500, message: "Not today.", minor_code: "InvalidState" },
      },
    ],
    code: 1,
    says: ["Not today"],
    left: ["ReconfigVM_Task"],
  },
  {
    name: "a reply that never comes is no failure: the task is found",
    faults: [{ ...reconfigure, reset: "after" }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a request that never arrives is told so after a while",
    faults: [{ ...reconfigure, reset: "before" }],
    code: 1,
    says: [/grow/],
    left: ["ReconfigVM_Task"],
  },
  {
    name: "a page of somebody in between, after the effect, is looked behind",
    faults: [{ ...reconfigure, foreign: { effect: true } }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a reply that is cut short is looked behind",
    faults: [{ ...reconfigure, cut: 200 }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a session that ends before the change is opened again (500 NotAuthenticated)",
    faults: [{ ...reconfigure, change: { end_manager_sessions: {} } }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a poll that is answered with a page is repeated",
    faults: [{ ...poll, times: 2, foreign: {} }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a poll that says nothing of the task is repeated",
    faults: [{ ...blank, times: 2 }],
    code: 0,
    says: ["grow complete"],
  },
  {
    name: "a session that ends before a poll is opened again (200 with missingSet)",
    faults: [{ ...poll, change: { end_manager_sessions: {} } }],
    code: 0,
    says: ["grow complete"],
  },
];

test.each(some(growth, 1))("a disk grows: $name", async (row) => {
  place = await createManagerPlace(row.rules === undefined ? {} : { rules: row.rules });
  await meets(place, row, {
    "manager_vm.web": { name: "web" },
    "manager_disk.web": {
      ...{ vm: "${manager_vm.web.moref}", label: "Hard disk 1", size_gb: 20, timeouts },
    },
  });
  expect(place.disk("web", 2000)).toEqual({ size: 20, used: 20 });
});

const relocate = { on: "POST /sdk", body: "*<RelocateVM_Task*" };
const shutdown = { on: "POST /sdk", body: "*<ShutdownGuest*" };
const powerOn = { on: "POST /sdk", body: "*<PowerOnVM_Task*" };

const windows: readonly Row[] = [
  {
    name: "a guest that does not shut down is turned off hard",
    rules: { guest_shutdown: "ignored" },
    faults: [],
    code: 0,
    says: ["power-off complete", "power-on complete"],
  },
  {
    name: "a guest without tools is turned off hard",
    faults: [{ ...shutdown, change: { change_manager_vm: { vm: "web", tools: "absent" } } }],
    code: 0,
    says: ["power-off complete", "power-on complete"],
  },
  {
    name: "a change that fails while the VM is off: it is turned on again",
    faults: [{ ...reconfigure, task: { end: "error", message: "The host does not support it." } }],
    code: 1,
    says: ["The host does not support it", "power-on complete"],
    left: ["ShutdownGuest", "ReconfigVM_Task", "PowerOnVM_Task"],
  },
  {
    name: "a VM that does not come back is owed its power, which the next run gives",
    faults: [{ ...powerOn, times: "always", task: { end: "error", message: "No host has room." } }],
    code: 1,
    closesAgain: true,
    says: ["No host has room"],
    left: ["PowerOnVM_Task"],
  },
];

test.each(some(windows, 1))("nested virtualization: $name", async (row) => {
  place = await createManagerPlace(row.rules === undefined ? {} : { rules: row.rules });
  await meets(place, row, {
    "manager_vm.web": {
      ...{ name: "web", nested_hv_enabled: true, timeouts: { ...timeouts, power: "30s" } },
    },
  });
  expect(place.vm("web")).toMatchObject({ power: "poweredOn", nested: true });
});

const moves: readonly Row[] = [
  {
    name: "that ends with success where the VM is as before is no success",
    rules: { relocate: "ignored" },
    faults: [],
    code: 1,
    says: [/its task succeeded, but datastore is still hdd/],
    left: ["RelocateVM_Task"],
  },
  {
    name: "that the server cancels is no success",
    faults: [{ ...relocate, task: { end: "error", minor_code: "RequestCanceled" } }],
    code: 1,
    says: ["RequestCanceled"],
    left: ["RelocateVM_Task"],
  },
];

test.each(some(moves, 1))("a move $name", async (row) => {
  place = await createManagerPlace(row.rules === undefined ? {} : { rules: row.rules });
  await meets(place, row, { "manager_vm.web": { name: "web", datastore: "ssd", timeouts } });
  const ssd = place.simulators.world().manager.datastores.find(({ key }) => key === "ssd");
  expect(place.vm("web").datastoreId).toBe(ssd?.id);
});
