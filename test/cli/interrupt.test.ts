/** Requests to stop, and what a killed run leaves: the lock is never left in the way. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { endChildren, startChild } from "../e2e/child.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { type Command, installCommand } from "./command.ts";
import { recordedVms } from "./recorded-vms.ts";

let command: Command;
let folder: string;
let simulators: RunningSimulators;

beforeAll(() => {
  command = installCommand();
});
afterAll(() => command.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-interrupt-"));
});
afterEach(async () => {
  await endChildren();
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A configuration of two VMs, against a daemon that never answers what a fault names. */
async function setUp(...faults: readonly FaultDocument[]): Promise<void> {
  simulators = await startSimulators({ world: {}, faults: { faults } });
  const provider = `providers: { daemon: { url: "${simulators.origins.daemon}" } }`;
  const resource = "resources: { daemon_vm.web: { count: 2, id: 'web-${count.index}' } }";
  writeFileSync(join(folder, "main.vmform.yaml"), `${provider}\n${resource}\n`);
}

function start(...words: readonly string[]) {
  return startChild(command.main, words, { cwd: folder });
}

const lock = () => existsSync(join(folder, "state", "default.json.lock"));
const mutations = () => simulators.log().filter((entry) => entry.class === "mutate").length;

const never: FaultDocument = { on: "GET /api/vms", times: "always", hang: "before" };

const early: readonly (readonly [NodeJS.Signals, readonly string[]])[] = [
  ["SIGINT", ["plan"]],
  ["SIGINT", ["apply", "--auto-approve"]],
  ["SIGINT", ["apply", "--auto-approve", "--json"]],
  ["SIGTERM", ["apply", "--auto-approve"]],
  ["SIGINT", ["drift"]],
  ["SIGTERM", ["doctor"]],
  ["SIGHUP", ["destroy", "--auto-approve"]],
];

test.each(some(early, 1))(
  "%s while planning, in %j: it ends with 130 and leaves nothing",
  async (signal, words) => {
    await setUp(never);
    if (words[0] === "destroy" || words[0] === "drift") recordOne();
    const before = filesOfState();
    const child = start(...words);
    await arrived("GET");
    child.kill(signal);
    const { code, stdout, stderr } = await child.ended;
    expect(code).toBe(130);
    expect(stdout + stderr).toContain("Asked to stop before any operation was begun.");
    expect(stdout + stderr).not.toContain("next try in");
    expect(filesOfState()).toEqual(before);
    expect(mutations()).toBe(0);
  },
);

function recordOne(): void {
  mkdirSync(join(folder, "state"));
  const text = recordedVms(1, simulators.origins.daemon);
  writeFileSync(join(folder, "state", "default.json"), text);
}

/** Names in the state folder; a folder that is not there is as good as an empty one. */
function filesOfState(): readonly string[] {
  const state = join(folder, "state");
  return existsSync(state) ? readdirSync(state) : [];
}

test("a first request during an apply lets the running operations end, and begins no more", async () => {
  await setUp({ on: "POST /api/vms", times: "always", delay_ms: 1_500 });
  const child = start("apply", "--auto-approve", "--parallelism", "1");
  await child.printed("create VM web-0...");
  child.kill("SIGINT");
  const { code, stdout } = await child.ended;
  expect(code).toBe(130);
  expect(stdout).toContain("Stopping: waiting for 1 running operation to end.");
  expect(stdout).toContain("daemon_vm.web[0]: create complete");
  expect(stdout).toContain("Apply was interrupted. Resources: 1 added");
  expect(mutations()).toBe(1);
  expect(lock()).toBe(false);
});

test(
  "a second request ends at once; the next run settles what was begun",
  onlyInLongRun,
  async () => {
    // Longer than a busy machine needs to begin the plan that finds it open.
    await setUp({ on: "POST /api/vms", nth: 1, delay_ms: 10_000 });
    const child = start("apply", "--auto-approve", "--parallelism", "1");
    await arrived("POST");
    child.kill("SIGINT");
    await child.printed("Stopping:");
    child.kill("SIGINT");
    const stopped = await child.ended;
    expect(stopped.code).toBe(130);
    expect(stopped.stdout).toContain(
      "Apply was stopped at once: 0 of 2 operations done, 1 open, 1 not begun.\n" +
        "Open: daemon_vm.web[0] (create VM web-0).",
    );
    expect(stopped.stdout + stopped.stderr).not.toContain("next try in");
    const plan = await start("plan", "--out", "p.plan").ended;
    expect(plan.stdout).toContain("Operation of an interrupted run is open (RUN016)");
    expect(plan.stdout).toContain("An earlier run was interrupted.");
    expect(plan.stderr).toContain("an interrupted run has left operations open");
    expect(existsSync(join(folder, "p.plan"))).toBe(false);
    const apply = await start("apply", "--auto-approve").ended;
    expect(apply.code).toBe(0);
    expect(Object.keys(simulators.world().daemon.vms)).toHaveLength(2);
    expect(lock()).toBe(false);
  },
);

test("the lock of a killed run is taken over by the next one", onlyInLongRun, async () => {
  await setUp({ ...never, times: 1 });
  const child = start("apply", "--auto-approve");
  await arrived("GET");
  child.kill("SIGKILL");
  await child.ended;
  expect(lock()).toBe(true);
  const next = await start("apply", "--auto-approve").ended;
  expect(next.code).toBe(0);
  expect(lock()).toBe(false);
});

test(
  "waiting for a lock can be given up, and the lock stays its holder's",
  onlyInLongRun,
  async () => {
    await setUp({ on: "POST /api/vms", nth: 1, delay_ms: 300_000 });
    const holder = start("apply", "--auto-approve");
    await holder.printed("create VM web-0...");
    const waiting = start("apply", "--auto-approve", "--lock-timeout", "5m");
    await waiting.printed("Waiting for the lock on recorded state");
    waiting.kill("SIGINT");
    expect((await waiting.ended).code).toBe(130);
    expect(lock()).toBe(true);
    // It runs on, until it is killed.
    holder.kill("SIGKILL");
    expect((await holder.ended).code).not.toBe(0);
  },
);

/** Resolves when the simulator has received such a request. */
function arrived(method: string): Promise<void> {
  return until(() => simulators.log().some((entry) => entry.method === method));
}

async function until(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error("it does not happen");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a log of requests that cannot be begun is an error before anything is sent", async () => {
  await setUp();
  const { code, stderr } = await start("plan", "--debug-http", "nowhere/log").ended;
  expect(code).toBe(1);
  expect(stderr).toContain("nowhere/log cannot be written: there is no folder nowhere.");
  expect(simulators.log()).toEqual([]);
  const logged = await start("plan", "--debug-http", "log").ended;
  expect(logged.code).toBe(0);
  expect(readFileSync(join(folder, "log"), "utf8")).toContain("/api/vms");
});
