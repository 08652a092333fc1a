/**
 * Whatever goes wrong, a run is never silent for longer than a beat: every kind of fault of the
 * simulators, on each interface, where it is read from, logged in to and changed. A beat is short
 * here. Silence is counted in turns of the event loop, so that a slow machine makes nothing fail.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Clock } from "../../src/model/clock.ts";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { some } from "../helpers/amount.ts";
import { runInside } from "../helpers/program.ts";

/** Pauses and limits of the program pass so much faster. */
const speed = 5;
const beatMs = 200;
const turnMs = 10;
/** Turns of one timer fall between those of the other, and of other runs; each fault lasts longer. */
const silentTurnsMax = (4 * beatMs) / turnMs;

const fast: Clock = {
  now: () => startMs + (Date.now() - startMs) * speed,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms / speed)),
};
const startMs = Date.now();

type Interface = keyof RunningSimulators["origins"];
type Requests = {
  readonly [when in "read" | "login" | "change"]?: Pick<FaultDocument, "on" | "body">;
};

type Subject = {
  readonly requests: Requests;
  /** With every limit as given. */
  readonly resources: (limit: string) => object;
  readonly settings: object;
};

const login = { user: "admin", password: { env: "PASSWORD" } };

const subjects: { readonly [name in Interface]: Subject } = {
  daemon: {
    requests: { read: { on: "GET /api/vms/**" }, change: { on: "POST /api/vms" } },
    resources: (limit) => ({
      "daemon_vm.b": { id: "b", timeouts: { create: limit } },
    }),
    settings: {},
  },
  cloud: {
    requests: {
      read: { on: "GET /api/**" },
      login: { on: "POST /api/sessions" },
      change: { on: "POST /api/vApp/**" },
    },
    resources: (limit) => ({
      "cloud_vm.a": {
        name: "a",
        vapp_name: "shop",
        power: "suspended",
        timeouts: { power: limit, request: limit },
      },
    }),
    settings: { ...login, org: "system" },
  },
  manager: {
    requests: {
      read: { on: "POST /sdk", body: "*<RetrievePropert*" },
      login: { on: "POST /sdk", body: "*<Login *" },
      change: { on: "POST /sdk", body: "*<SuspendVM_Task *" },
    },
    resources: (limit) => ({
      "manager_vm.a": { name: "a", power: "suspended", timeouts: { power: limit, request: limit } },
    }),
    settings: login,
  },
  appliance: {
    requests: {
      read: { on: "GET /rest/appliance/**" },
      login: { on: "POST /rest/com/vmware/cis/session" },
      change: { on: "POST /rest/appliance/system/storage/resize" },
    },
    resources: (limit) => ({
      "appliance_storage.a": { sizes_gb: { log: 25 }, timeouts: { update: limit } },
    }),
    settings: { ...login, release: "6.5" },
  },
};

type Fault = Omit<FaultDocument, "on" | "body" | "name">;

/** Each kind of a fault script. */
const faults: { readonly [name: string]: Fault } = {
  "a reply of 500": { reply: { status: 500 } },
  "a reply of 503 that names a time": { reply: { status: 503, headers: { "retry-after": "4" } } },
  "a foreign page": { foreign: {} },
  busy: { busy: true },
  "a refusal": { refusal: { status: 403, message: "No." } },
  "a reset before the effect": { reset: "before" },
  "a reset during it": { reset: "during" },
  "a reset after it": { reset: "after" },
  "a reply cut short": { cut: 20 },
  "no reply": { hang: "before" },
  "no reply, though it is done": { hang: "after" },
  "a late reply": { delay_ms: 1_200 },
};
/** Of a request that begins a task. */
const taskFaults: { readonly [name: string]: Fault } = {
  "a task that fails": { task: { end: "error", message: "Full." } },
  "a task of unknown words": { task: { end: "success", meanwhile: "dreaming" } },
  "a task that is lost": { task: { end: "success", lost: true } },
  "a task that never ends": { task: { end: "dreaming" } },
};

type Case = readonly [Interface, keyof Requests, string, Fault];

const cases = Object.entries(subjects).flatMap(([name, { requests }]) =>
  Object.keys(requests).flatMap((when) => {
    const isTask = when === "change" && name !== "daemon";
    const all = isTask ? { ...faults, ...taskFaults } : faults;
    return Object.entries(all).map(
      ([fault, action]) => [name, when, fault, action] as unknown as Case,
    );
  }),
);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-silence-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const world = {
  daemon: { durations_ms: { create: 1_000 } },
  cloud: {
    users: [{ name: "admin", password: "secret" }],
    vapps: { shop: { vms: { a: { power: "on" } } } },
    durations_ms: { suspend: 1_000 },
  },
  manager: {
    users: [{ name: "admin", password: "secret" }],
    vms: { a: { power: "on" }, vcsa: { power: "on", disks: "appliance" } },
    durations_ms: { suspend: 1_000 },
  },
  appliance: { users: [{ name: "admin", password: "secret" }], durations_ms: { resize: 1_000 } },
} as const;

test.concurrent.each(some(cases, 1))("%s, %s: %s", async (name, when, fault, action) => {
  const simulators = await startSimulators({ world });
  const place = mkdtempSync(join(folder, "place-"));
  try {
    await simulators.change({ change_manager_disk: { vm: "vcsa", disk: 2004, size_gb: 25 } });
    configure(place, simulators, name, action);
    const request = subjects[name].requests[when];
    const rule: FaultDocument = {
      interface: name,
      on: "GET /none",
      ...request,
      times: "always",
      ...action,
    };
    await setFaults(simulators, rule);
    for (const words of commandsFor(when)) {
      const said = await watch(place, words);
      expect(said.silent, `${fault}\n${said.text}`).toBeLessThanOrEqual(silentTurnsMax);
    }
    expect(simulators.log().some((entry) => entry.fault !== undefined)).toBe(true);
  } finally {
    await simulators.stop();
  }
});

/** What is changed is changed by an apply, and looked for by what comes after it. */
function commandsFor(when: keyof Requests): readonly (readonly string[])[] {
  const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle"];
  return when === "change" ? [apply, ["plan"]] : [["plan"], ["doctor"], apply];
}

function configure(place: string, { origins }: RunningSimulators, name: Interface, fault: Fault) {
  const { settings, resources } = subjects[name];
  // A client that waits for a reply knows no other time than the real one.
  const limit = fault.hang === undefined ? "8s" : "2s";
  const provider = { url: origins[name], request_timeout: "1s", ...settings };
  const configuration = { providers: { [name]: provider }, resources: resources(limit) };
  writeFileSync(join(place, "main.vmform.yaml"), JSON.stringify(configuration));
}

async function setFaults({ origins }: RunningSimulators, rule: FaultDocument): Promise<void> {
  const body = JSON.stringify({ faults: [rule] });
  const reply = await fetch(`${origins.daemon}/_simulator/faults`, { method: "POST", body });
  if (!reply.ok) throw new Error(await reply.text());
}

/** Runs a command, and counts how many turns in a row went by without a word. */
async function watch(
  place: string,
  words: readonly string[],
): Promise<{ readonly silent: number; readonly text: string }> {
  let silent = 0;
  let turns = 0;
  let text = "";
  const timer = setInterval(() => {
    // What is read before the first word concerns no endpoint.
    if (text === "") return;
    turns += 1;
    silent = Math.max(silent, turns);
  }, turnMs);
  try {
    await runInside(place, words, {
      clock: fast,
      environment: { PASSWORD: "secret", VMFORM_HEARTBEAT: `${beatMs}ms` },
      onWrite: (written) => {
        turns = 0;
        text += written;
      },
    });
  } finally {
    clearInterval(timer);
  }
  return { silent, text };
}
