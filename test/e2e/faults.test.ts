/**
 * Replies that are late, lost, foreign or refusals, over real HTTP: the run says what it was told,
 * goes on with everything else, does nothing twice, and the next run finishes.
 */

import { afterEach, beforeEach, expect, test } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { createPlace, type Place } from "./place.ts";

/** Time limits that a test can wait for. */
const timeouts = "timeouts: { create: 2s, power: 2s, delete: 2s, update: 2s }";
const two = [
  `  daemon_vm.a: { id: a, power: on, ${timeouts} }`,
  `  daemon_vm.b: { id: b, ${timeouts} }`,
].join("\n");
const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,replace,destroy"];

let place: Place;
beforeEach(async () => {
  place = await createPlace();
  place.write(two);
});
afterEach(() => place.remove());

async function setFaults(...faults: readonly FaultDocument[]): Promise<void> {
  const url = `${place.simulators.origins.daemon}/_simulator/faults`;
  const reply = await fetch(url, { method: "POST", body: JSON.stringify({ faults }) });
  expect(reply.status).toBe(200);
}

/** `METHOD path body` of what changed the world, sorted. */
async function effects(work: () => Promise<unknown>): Promise<readonly string[]> {
  const sent = await place.mutations(work);
  return sent
    .filter((entry) => entry.effect)
    .map(({ method, path, body }) => `${method} ${path} ${body}`)
    .toSorted();
}

const create = { on: "POST /api/vms", body: '*"id":"a"*' } as const;
const powerOn = { on: "PATCH /api/vms/power/a" } as const;
const page = "<!DOCTYPE html><p>Bad gateway";
const vix = (words: string) => `VIX Error: ${words}, operation: vm.PowerOn`;

type Row = {
  readonly name: string;
  readonly fault: FaultDocument;
  /** Exit code of the run that meets the fault; what it says. */
  readonly code: number;
  readonly says?: readonly string[];
};

const rows: readonly Row[] = [
  {
    name: "a create refused as too busy is sent again after the pause the server asks for",
    fault: { ...create, refusal: { status: 503, message: "starting up" } },
    code: 0,
    says: ["starting up; next try in 1 s"],
  },
  {
    name: "a create whose answer is lost is found",
    fault: { ...create, reset: "after" },
    code: 0,
  },
  {
    name: "a create whose answer is lost while it runs is waited for",
    fault: { ...create, reset: "during" },
    code: 0,
  },
  {
    name: "a create answered with a page, and done, is found",
    fault: { ...create, foreign: { effect: true } },
    code: 0,
  },
  {
    name: "a create that a proxy gave up on, and done, is found",
    fault: { ...create, reply: { status: 504, body: page, effect: true } },
    code: 0,
  },
  {
    name: "a create whose answer is cut is found",
    fault: { ...create, cut: 5 },
    code: 0,
  },
  {
    name: "a create that never arrived is not taken for done",
    fault: { ...create, reset: "before" },
    code: 1,
    says: ["connection reset"],
  },
  {
    name: "a create that a proxy did not pass on is not taken for done",
    fault: { ...create, reply: { status: 502, body: page } },
    code: 1,
    says: ["status 502", "Bad gateway"],
  },
  {
    name: "a create without an answer is not waited for without end",
    fault: { ...create, hang: "before" },
    code: 1,
    says: ["no reply from 127.0.0.1"],
  },
  {
    name: "a busy VM is asked again",
    fault: { ...powerOn, busy: true },
    code: 0,
    says: ["next try in 1 s"],
  },
  {
    name: "a word whose answer is lost is not sent again",
    fault: { ...powerOn, reset: "after" },
    code: 0,
  },
  {
    name: "a word answered with an empty 500, and done, is seen",
    fault: { ...powerOn, reply: { status: 500, effect: true } },
    code: 0,
  },
  {
    name: "the daemon's own words are told, with the operation and the VM",
    fault: {
      ...powerOn,
      refusal: { status: 500, message: vix("Not enough physical memory, code: 3011") },
    },
    code: 1,
    says: ["on VM a", "Not enough physical memory, code: 3011", "give it more memory"],
  },
  {
    name: "words that explain nothing are told as well, with a hint where there is one",
    fault: {
      ...powerOn,
      refusal: {
        status: 500,
        message: "VIX Error: One of the parameters was invalid, code: 3, operation: vix.Connect",
      },
    },
    code: 1,
    says: ["One of the parameters was invalid, code: 3", "could not reach its own hypervisor"],
  },
  {
    name: "words without a number are told as they are",
    fault: { ...powerOn, refusal: { status: 500, message: "Power on was canceled." } },
    code: 1,
    says: ["on VM a", "Power on was canceled."],
  },
];

test.each(some(rows, 2))("$name", async ({ fault, code, says = [] }) => {
  await setFaults(fault);
  const done = await effects(async () => {
    const { stdout, stderr } = await place.run(code, ...apply);
    const said = `${stdout}\n${stderr}`;
    for (const words of says) expect(said).toContain(words);
    // Whatever happened to the one, the other is there.
    expect(place.power("b")).toBe("off");
    if (code !== 0) await place.run(0, ...apply);
  });
  expect(done).toEqual([
    "PATCH /api/vms/power/a on",
    'POST /api/vms {"id":"a"}',
    'POST /api/vms {"id":"b"}',
  ]);
  expect(place.power("a")).toBe("on");
  await place.run(0, "plan", "--detailed-exitcode");
});

test(
  "a clone that fails leaves its parent as it was, and the window closed",
  onlyInLongRun,
  async () => {
    place.write(`  daemon_vm.parent: { id: parent, ${timeouts} }`);
    await place.run(0, ...apply);
    await place.simulators.change({ power_vm: { id: "parent", power: "on" } });
    const child = `  daemon_vm.child: { id: child, parent_id: "\${daemon_vm.parent.id}", ${timeouts} }`;
    place.write(`  daemon_vm.parent: { id: parent, ${timeouts} }\n${child}`);
    const planned = await place.run(0, "plan", "--allow", "power-cycle,power-off");
    expect(planned.stdout).toMatch(/Plan: 1 to add, .*1 power cycle/);
    const words = "VIX Error: There is not enough disk space, code: 8, operation: vm.Clone";
    await setFaults({ on: "POST /api/vms", refusal: { status: 500, message: words } });
    const sent = await place.mutations(async () => {
      const { stdout, stderr } = await place.run(1, ...apply);
      expect(stdout + stderr).toContain("There is not enough disk space, code: 8");
    });
    expect(sent.map(({ method, body, refused }) => `${method} ${body} ${refused}`)).toEqual([
      "PATCH shutdown false",
      expect.stringMatching(/^POST .* true$/),
      "PATCH on false",
    ]);
    expect([place.power("parent"), place.power("child")]).toEqual(["on", undefined]);
    await place.run(0, ...apply);
    expect([place.power("parent"), place.power("child")]).toEqual(["on", "off"]);
    await place.run(0, "plan", "--detailed-exitcode");
  },
);
