/**
 * One place where runs are killed: a simulator process and a folder of its own, brought back to the
 * beginning of a scenario before each try.
 */

import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { VirtualMachine } from "../../src/simulators/daemon/virtual-machine.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { type Output, runInside } from "../helpers/program.ts";
import { type Ended, startChild } from "./child.ts";
import { type KillScenario, type Limits, type Spec, specYaml } from "./kill-scenarios.ts";
import { powerVm, remake, type SimulatorProcess, startSimulator } from "./simulator.ts";

/** Durations so long that a kill meets the work in progress. */
const world = JSON.stringify({
  daemon: {
    durations_ms: {
      ...{ create: 100, clone: 500, delete: 80, tools: 60, address: 60 },
      ...{ power_on: 80, power_off: 80, shutdown: 120, suspend: 80, resume: 80 },
      ...{ pause: 50, unpause: 50 },
    },
  },
});

/** Consent to everything: refusals are tested elsewhere. */
const consent = ["--allow", "power-off,power-cycle,replace,destroy,discard-state"];
const applyWords = ["apply", "--auto-approve", ...consent];

const groups = ["create", "update", "delete", "power", "wait"];
const limitsOf = (limit: string): Limits =>
  Object.fromEntries(groups.map((group) => [group, limit]));
/** What a killed run leaves open is waited for until this limit. */
export const killedLimitMs = 2_000;
const killedLimits = limitsOf(`${killedLimitMs}ms`);
/** Runs that must succeed get limits that only a hang reaches, however loaded the machine is. */
const calmLimits = limitsOf("5m");
/**
 * Limits that A records: the killed run takes them for what B removes, and so does the run after it.
 */
const recordedLimits = limitsOf("5s");

const hook = fileURLToPath(new URL("kill-hook.mjs", import.meta.url));

/** Recorded state and world at the beginning of a scenario. */
type Start = { readonly vms: readonly VirtualMachine[]; readonly stateFolder: string };

export type Bench = {
  readonly main: string;
  readonly folder: string;
  readonly stateFolder: string;
  readonly simulator: SimulatorProcess;
  readonly starts: Map<string, Start>;
};

/** What `kill-hook.mjs` takes; `during` is watched from here. */
export type KillAt =
  | { readonly kind: "append" | "file"; readonly n: number; readonly phase: string }
  | { readonly kind: "request"; readonly request: string; readonly phase: string };

/** A request as the hook and the judge name it: without what is made up for each session. */
export function requestText({ method, path, body }: LoggedRequest): string {
  return `${method} ${path} ${body.replace(/^(vmware-session-nonce)=[^&]*/, "$1=*")}`;
}

export async function createBench(main: string, folder: string): Promise<Bench> {
  const simulatorFolder = join(folder, "simulator");
  mkdirSync(simulatorFolder, { recursive: true });
  const simulator = await startSimulator(main, simulatorFolder, world);
  const stateFolder = join(folder, "state");
  return { main, folder, stateFolder, simulator, starts: new Map() };
}

/** Brings everything to the beginning of the scenario; returns the VMs that are there. */
export async function begin(
  bench: Bench,
  scenario: KillScenario,
): Promise<readonly VirtualMachine[]> {
  const start = bench.starts.get(scenario.name) ?? (await prepare(bench, scenario));
  bench.starts.set(scenario.name, start);
  await clear(bench);
  for (const vm of start.vms) await bench.simulator.change(remake(vm));
  copyFiles(start.stateFolder, bench.stateFolder);
  return start.vms;
}

/** Applies A, with what happens behind its back, and keeps what that leaves. */
async function prepare(bench: Bench, scenario: KillScenario): Promise<Start> {
  const { simulator, folder, stateFolder } = bench;
  await clear(bench);
  for (let round = 0; round < 2; round += 1) {
    const output = await applyCalmly(bench, scenario.a);
    if (output.code !== 0) throw new Error(`A of ${scenario.name} fails:\n${outputText(output)}`);
    for (const [id, power] of Object.entries(scenario.outside ?? {})) {
      await simulator.change(powerVm(id, power));
    }
  }
  writeSpec(bench, scenario.a, recordedLimits);
  const output = await runInside(folder, applyWords);
  if (output.code !== 0) throw new Error(`A of ${scenario.name} fails:\n${outputText(output)}`);
  const kept = join(folder, `start-${scenario.name}`);
  copyFiles(stateFolder, kept);
  return { vms: await simulator.vms(), stateFolder: kept };
}

async function clear({ simulator, stateFolder }: Bench): Promise<void> {
  await untilQuiet(simulator);
  await simulator.setFaults([]);
  for (const { id } of await simulator.vms()) await simulator.change({ delete_vm: { id } });
  rmSync(stateFolder, { recursive: true, force: true });
  mkdirSync(stateFolder);
}

function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
}

/** Waits until every request has ended, also those whose senders are dead. */
export async function untilQuiet(simulator: SimulatorProcess): Promise<readonly LoggedRequest[]> {
  for (;;) {
    const log = await simulator.log();
    if (log.every((entry) => entry.ended)) return log;
    await sleep(20);
  }
}

function writeSpec(bench: Bench, spec: Spec, limits: Limits): string {
  const yaml = specYaml(bench.simulator.origin, spec, limits);
  writeFileSync(join(bench.folder, "main.vmform.yaml"), yaml);
  return yaml;
}

/** To the end, in the process of the test. */
export async function applyCalmly(bench: Bench, spec: Spec): Promise<Output> {
  writeSpec(bench, spec, calmLimits);
  return runInside(bench.folder, applyWords);
}

/** To the end, in a process of its own. */
export async function applyInChild(bench: Bench, spec: Spec): Promise<Ended> {
  writeSpec(bench, spec, calmLimits);
  return startChild(bench.main, applyWords, { cwd: bench.folder }).ended;
}

export async function planCode(bench: Bench): Promise<Output> {
  return runInside(bench.folder, ["plan", "--detailed-exitcode", ...consent]);
}

export type Counts = { readonly append: number; readonly file: number };

/** An undisturbed run of B: how many moments there are to kill it at. */
export async function countMoments(bench: Bench, spec: Spec): Promise<Counts> {
  writeSpec(bench, spec, calmLimits);
  const report = join(bench.folder, "counts.json");
  const { code, stdout, stderr } = await startHooked(bench, undefined, report).ended;
  if (code !== 0) throw new Error(`an undisturbed run ended with ${code}:\n${stdout}\n${stderr}`);
  return JSON.parse(await readFile(report, "utf8")) as Counts;
}

/** B in a process that ends itself at a moment, or is killed while the simulator works. */
export async function runKilled(bench: Bench, spec: Spec, at: KillAt): Promise<Ended> {
  writeSpec(bench, spec, killedLimits);
  if (at.kind === "request" && at.phase === "during") return killDuring(bench, at.request);
  return startHooked(bench, at, undefined).ended;
}

/** B with short limits, in the process of the test: only the fault disturbs it. */
export async function runDisturbed(bench: Bench, spec: Spec): Promise<Output> {
  writeSpec(bench, spec, killedLimits);
  return runInside(bench.folder, applyWords);
}

async function killDuring(bench: Bench, request: string): Promise<Ended> {
  const { simulator } = bench;
  const before = (await simulator.log()).length;
  const child = startHooked(bench, undefined, undefined);
  const over = new AbortController();
  void child.ended.finally(() => over.abort());
  while (!over.signal.aborted) {
    const log = await simulator.log(before);
    const target = log.find((entry) => requestText(entry) === request);
    if (target?.effect === true && !target.ended) child.kill("SIGKILL");
    await sleep(10);
  }
  return child.ended;
}

function startHooked(bench: Bench, at: KillAt | undefined, report: string | undefined) {
  return startChild(bench.main, applyWords, {
    cwd: bench.folder,
    node: ["--import", hook],
    environment: {
      KILL_FOLDER: join(bench.folder, "state"),
      ...(at === undefined ? {} : { KILL_AT: JSON.stringify(at) }),
      ...(report === undefined ? {} : { KILL_REPORT: report }),
    },
  });
}

export function outputText({ code, stdout, stderr }: Output | Ended): string {
  return `exit code ${code}\n${stdout}\n${stderr}`;
}
