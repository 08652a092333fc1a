/**
 * Reclaiming space through the object browser, in every way that its pages and tasks can go wrong:
 * a wipe is never begun twice and always over before its shrink, and what was wiped is only shrunk.
 */

import { afterEach, expect, test } from "vitest";
import { some } from "../helpers/amount.ts";
import { isMutation } from "./cloud-place.ts";
import { apply, blank, meets, poll, type Row, timeouts } from "./manager-fault-run.ts";
import { createManagerPlace, type ManagerPlace, nameOf } from "./manager-place.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

const wipe = { on: "POST /mob/", query: "*method=wipeDisk*" };
const shrink = { on: "POST /mob/", query: "*method=shrinkDisk*" };
const [wipeName, shrinkName] = ["POST wipeDisk", "POST shrinkDisk"];
const both = [wipeName, shrinkName];

const reclaims: readonly Row[] = [
  {
    name: "what each disk gives back is told, nothing at all included",
    faults: [],
    code: 0,
    says: [/disk 2001: 12884901888 bytes \(12 GB\) reclaimed, disk 2002: 0 bytes reclaimed/],
  },
  {
    name: "an object browser that is not there",
    rules: { browser: "absent" },
    faults: [],
    code: 1,
    says: [/404.*turned off/, "enableDebugBrowse"],
    left: both,
  },
  {
    name: "an object browser that is turned off",
    rules: { browser: "unavailable" },
    faults: [],
    code: 1,
    says: [/503.*turned off/, "enableMob"],
    left: both,
  },
  {
    name: "a page without nonce",
    rules: { browser_nonce: "absent" },
    faults: [],
    code: 1,
    says: ["without the field vmware-session-nonce"],
    left: both,
  },
  {
    name: "a nonce without quotes",
    rules: { browser_nonce: "unquoted" },
    faults: [],
    code: 0,
    says: [],
  },
  {
    name: "a page that is another one",
    faults: [{ on: "GET /mob/", foreign: {} }],
    code: 1,
    says: ["not the form of a method"],
    left: both,
  },
  {
    name: "a fault that comes with status 200, with its type",
    faults: [{ ...wipe, change: { change_manager_vm: { vm: "web", tools: "absent" } } }],
    code: 1,
    says: ["ToolsUnavailable"],
    left: both,
  },
  {
    name: "a fault that comes with status 200, as a mere table",
    rules: { browser_fault: "table" },
    faults: [{ ...wipe, change: { change_manager_vm: { vm: "web", tools: "absent" } } }],
    code: 1,
    says: [/wipe failed.*the object browser answered/],
    silent: /lists no task of it/,
    left: both,
  },
  {
    name: "a busy VM is waited for, also where a mere table tells it",
    rules: { browser_fault: "table" },
    faults: [{ ...wipe, change: { start_manager_task: { vm: "web", duration_ms: 3000 } } }],
    code: 0,
    says: ["shrink complete"],
  },
  {
    name: "a session that ends between the page and its form",
    faults: [{ ...wipe, change: { end_manager_sessions: {} } }],
    code: 1,
    excuse: true,
    says: [/wipe failed/],
    left: both,
  },
  {
    name: "a session that ends before a poll",
    faults: [{ ...poll, change: { end_manager_sessions: {} } }],
    code: 0,
    says: ["shrink complete"],
  },
  {
    name: "a poll that says nothing of the task is no end of it",
    faults: [{ ...blank, times: 2 }],
    code: 0,
    says: ["wipe complete", "shrink complete"],
  },
  {
    name: "a busy VM is waited for",
    faults: [{ ...wipe, change: { start_manager_task: { vm: "web", duration_ms: 3000 } } }],
    code: 0,
    says: ["shrink complete"],
  },
  {
    name: "a wipe that fails is not shrunk",
    faults: [
      {
        ...wipe,
        task: { end: "error", message: "The guest said no.", minor_code: "WipeDiskFault" },
      },
    ],
    code: 1,
    says: ["The guest said no"],
    left: both,
  },
  {
    name: "a wipe whose page is lost is not begun twice",
    faults: [{ ...wipe, reset: "after" }],
    code: 0,
    says: ["wipe complete", "shrink complete"],
  },
  {
    name: "a wipe whose page is cut short is not begun twice",
    faults: [{ ...wipe, cut: 60 }],
    code: 0,
    says: ["wipe complete", "shrink complete"],
  },
  {
    name: "a wipe that the server forgets is done again",
    faults: [{ ...wipe, task: { lost: true, effect: true } }],
    code: 1,
    says: ["nobody saw its end"],
    left: both,
  },
  {
    name: "a shrink that fails is all that the next run does",
    faults: [{ ...shrink, task: { end: "error", message: "Disk is locked." } }],
    code: 1,
    says: ["wipe complete", "Disk is locked"],
    left: [shrinkName],
  },
  {
    name: "a disk that cannot be shrunk after all is wiped again",
    faults: [{ ...shrink, task: { end: "error", minor_code: "ShrinkDiskFault" } }],
    code: 1,
    says: ["wipe complete", "the next run wipes again"],
    left: both,
  },
  {
    name: "a shrink whose page is lost is not begun twice",
    faults: [{ ...shrink, reset: "after" }],
    code: 0,
    says: ["shrink complete"],
  },
  {
    name: "a shrink that never arrives is all that the next run does",
    faults: [{ ...shrink, reset: "before" }],
    code: 1,
    says: ["wipe complete"],
    left: [shrinkName],
  },
];

test.each(some(reclaims, 2))("space is reclaimed: $name", async (row) => {
  place = await createManagerPlace(row.rules === undefined ? {} : { rules: row.rules });
  await meets(place, row, {
    "manager_vm.web": { name: "web" },
    "manager_disk_reclaim.web": { vm: "${manager_vm.web.moref}", timeouts },
  });
  expect(place.disk("web", 2001)).toEqual({ size: 40, used: 18 });
});

test("a shrink that is refused for want of a wipe: the next run wipes again", async () => {
  place = await createManagerPlace();
  place.excuse("violation");
  place.write({
    "manager_vm.web": { name: "web" },
    "manager_disk_reclaim.web": { vm: "${manager_vm.web.moref}", timeouts },
  });
  await place.setFaults({ ...wipe, task: { effect: false } });
  const refused = await place.run(1, ...apply);
  expect(`${refused.stdout}${refused.stderr}`).toMatch(/not been wiped.*the next run wipes again/);
  const sent = await place.logged(() => place.run(0, ...apply));
  expect(sent.filter(isMutation).map(nameOf)).toEqual(both);
  expect(place.disk("web", 2001)).toEqual({ size: 40, used: 18 });
  await place.run(0, "plan", "--detailed-exitcode");
});
