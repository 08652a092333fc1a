/**
 * Replies of a host manager that cannot be read, and sessions that end, while it is only read:
 * nothing is taken for "nothing there", nothing is planned on it, and recorded state stays.
 */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { some } from "../helpers/amount.ts";
import { isMutation, type Resources } from "./cloud-place.ts";
import { apply } from "./manager-fault-run.ts";
import { createManagerPlace, type ManagerPlace, nameOf } from "./manager-place.ts";

const lab: Resources = {
  "manager_vm.web": { name: "web", power: "on", nested_hv_enabled: false },
  "manager_disk.web": { vm: "${manager_vm.web.moref}", label: "Hard disk 1", size_gb: 10 },
  "manager_login_alarm.a": { name: "adm logs in", user_name: "LAB.LOCAL\\adm" },
};

let place: ManagerPlace;
beforeEach(async () => {
  place = await createManagerPlace();
  place.write(lab);
  await place.run(0, ...apply);
});
afterEach(() => place.remove());

const read = { on: "POST /sdk", body: "*<RetrievePropertiesEx*", times: "always" } as const;
const login = { on: "POST /sdk", body: "*<Login *", times: "always" } as const;
const about = { on: "POST /sdk", body: "*<RetrieveServiceContent*", times: "always" } as const;
const xml = { "content-type": "text/xml; charset=utf-8" };
const soap = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>';
const response = '<RetrievePropertiesExResponse xmlns="urn:vim25">';
const reply = (body: string, status = 200, headers: { [name: string]: string } = xml) => ({
  reply: { status, body, headers },
});

const result = (inner: string) =>
  reply(
    `${soap}${response}<returnval>${inner}</returnval></RetrievePropertiesExResponse></e:Body>` +
      "</e:Envelope>",
  );

type Row = readonly [name: string, fault: FaultDocument, says: RegExp];

const unreadable: readonly Row[] = [
  ["a page for people", { ...read, foreign: {} }, /an HTML page.* instead of SOAP/],
  ["nothing", { ...read, ...reply("") }, /empty body/],
  ["a reply that is cut", { ...read, cut: 300 }, /connection closed/],
  ["half a reply, as if it were whole", { ...read, ...reply(`${soap}${response}`) }, /SOAP/],
  ["a document type", { ...read, ...reply(`<!DOCTYPE x>${soap}`) }, /SOAP/],
  ["elements without end", { ...read, ...reply(`${soap}${"<a>".repeat(5000)}`) }, /SOAP/],
  ["ten megabytes of something", { ...read, ...reply(`${soap}${"x".repeat(10e6)}`) }, /SOAP/],
  ["properties of nothing", { ...read, ...result("<objects/>") }, /not of which object/],
  [
    "an empty result",
    { ...read, ...result("") },
    /shows no VM vm-\d+[^]*is not shown|is not shown[^]*shows no VM vm-\d+/,
  ],
  [
    "a fault in the server's words",
    { ...read, refusal: { status: 500, message: "Out of memory.", minor_code: "SystemError" } },
    /SystemError: Out of memory/,
  ],
  ["a proxy's 502", { ...read, ...reply("<html>Bad gateway", 502) }, /status 502/],
  [
    "no rights",
    { ...read, refusal: { status: 500, message: "No.", minor_code: "NoPermission" } },
    /NoPermission/,
  ],
  ["a login page", { ...login, foreign: {} }, /an HTML page/],
  ["something else that serves /sdk", { ...about, ...reply("<html/>", 404) }, /status 404/],
];

test.each(some(unreadable, 2))(
  "%s: nothing is missing for it, and nothing planned",
  async (...row) => {
    const [, fault, says] = row;
    await place.setFaults(fault);
    for (const command of ["drift", "plan"]) {
      const state = readFileSync(place.file("state/default.json"), "utf8");
      const { stdout, stderr } = await place.run(1, command);
      const said = `${stdout}\n${stderr}`;
      expect(said).toMatch(says);
      for (const address of Object.keys(lab)) expect(said).toContain(address);
      expect(said).not.toMatch(/is missing|deleted|will be/);
      expect(readFileSync(place.file("state/default.json"), "utf8")).toBe(state);
    }
    expect((await place.logged(() => place.run(1, ...apply))).filter(isMutation)).toEqual([]);
    await place.setFaults();
    await place.run(0, "plan", "--detailed-exitcode");
    await place.run(0, "drift");
  },
);

const passing: readonly (readonly [name: string, fault: FaultDocument])[] = [
  ["a session that somebody ends", { ...read, times: 1, change: { end_manager_sessions: {} } }],
  ["a connection that breaks", { ...read, times: 1, reset: "before" }],
  ["a server that says not now", { ...read, times: 2, ...reply("", 503, { "retry-after": "1" }) }],
  ["a slow reply", { ...read, times: 1, delay_ms: 5000 }],
];

test.each(some(passing, 2))("%s is gone with the next request", async (_, fault) => {
  for (const words of [["drift"], ["plan", "--detailed-exitcode"]]) {
    await place.setFaults(fault);
    const sent = await place.logged(() => place.run(0, ...words));
    expect(sent.filter((entry) => entry.fault !== null)).toHaveLength(fault.times as number);
  }
});

test("a VM that is out of touch is not what it is shown as", async () => {
  await place.change({ change_manager_vm: { vm: "web", connection: "disconnected" } });
  await place.change({ power_manager_vm: { vm: "web", power: "off" } });
  const { stdout, stderr } = await place.run(1, "plan");
  expect(`${stdout}${stderr}`).toMatch(/web is disconnected/);
  expect((await place.logged(() => place.run(1, ...apply))).filter(isMutation)).toEqual([]);
});

test("somebody else's task is told while planning, waited for, and named", async () => {
  place.write({ ...lab, "manager_vm.web": { name: "web", datastore: "ssd" } });
  const backup = { vm: "web", user: "eve", operation: "Backup_Task" };
  await place.change({ start_manager_task: { ...backup, duration_ms: 3_600_000 } });
  const planned = await place.run(0, "plan");
  const named = /MGR019.*VirtualMachine\.backup, by \S*eve/s;
  expect(`${planned.stdout}${planned.stderr}`).toMatch(named);
  await place.change({ forget_manager_tasks: {} });
  // Begun when the request arrives: nothing depends on how fast the run gets there.
  const change = { start_manager_task: { ...backup, duration_ms: 3000 } };
  await place.setFaults({ on: "POST /sdk", body: "*<RelocateVM_Task*", change });
  let said = "";
  const sent = await place.logged(async () => {
    const { stdout, stderr } = await place.run(0, ...apply);
    said = `${stdout}${stderr}`;
  });
  expect(said).toMatch(/TaskInProgress.*VirtualMachine\.backup, by \S*eve.*next try in/);
  const moves = sent.filter((entry) => nameOf(entry) === "RelocateVM_Task");
  expect(moves.filter(({ effect }) => effect)).toHaveLength(1);
  expect(moves.length).toBeGreaterThan(1);
  await place.run(0, "plan", "--detailed-exitcode");
});
