/**
 * One place where runs against the cloud are killed: a simulator process and a folder of its own,
 * brought back to the beginning of a scenario before each try.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CloudWorld } from "../../src/simulators/cloud/world/cloud-state.ts";
import { type Output, runInside } from "../helpers/program.ts";
import { type Ended, startChild } from "./child.ts";
import {
  type CloudKillScenario,
  type CloudStates,
  cloudKillScenarios,
  cloudYaml,
  consent,
  type Resources,
} from "./cloud-kill-scenarios.ts";
import { outputText, untilQuiet } from "./kill-bench.ts";
import type { KillCounts, KillPoint } from "./kill-points.ts";
import { type SimulatorProcess, startSimulator } from "./simulator.ts";

const datastores = ["hdd", "ssd", "nvme"];

/** Tasks take so long that a kill meets them running, and a second poll too. */
const world = JSON.stringify({
  cloud: {
    durations_ms: {
      ...{ relocate: 350, power_on: 250, undeploy: 250, shutdown: 250, suspend: 150 },
      ...{ create_snapshot: 250, remove_snapshots: 250, nested: 250, discard: 250 },
    },
    // The same in every bench, as behind a proxy: bodies that name a datastore are compared.
    rules: { public_url: "https://cloud.example" },
    datastores: Object.fromEntries(datastores.map((name) => [name, {}])),
    vapps: Object.fromEntries(
      cloudKillScenarios.map(({ name, start }) => [
        name,
        { vms: Object.fromEntries(Object.keys(start).map((vm) => [vm, {}])) },
      ]),
    ),
  },
});

const applyWords = ["apply", "--auto-approve", ...consent];

/** A request that a killed run began shows as a task within this time, or was never sent. */
export const requestLimitMs = 2_000;
const killedLimits = { request: `${requestLimitMs}ms` };
/** Runs that must succeed have the provider's own limits, however loaded the machine is. */
const calmLimits = {};

/** Longer than every task takes, and than a session of a killed run lives. */
const pauseMs = 3_600_000;

const hook = fileURLToPath(new URL("kill-hook.mjs", import.meta.url));

export type CloudBench = {
  readonly main: string;
  readonly folder: string;
  readonly simulator: SimulatorProcess;
};

export async function createCloudBench(main: string, folder: string): Promise<CloudBench> {
  const simulatorFolder = join(folder, "simulator");
  mkdirSync(simulatorFolder, { recursive: true });
  writeFileSync(join(folder, "secret"), "secret\n");
  const simulator = await startSimulator(main, simulatorFolder, world);
  return { main, folder, simulator };
}

/** Brings everything to where A has been applied. */
export async function begin(bench: CloudBench, scenario: CloudKillScenario): Promise<void> {
  const { simulator, folder } = bench;
  await untilQuiet(simulator);
  await simulator.setFaults([]);
  await simulator.advance(pauseMs);
  for (const [vm, state] of Object.entries(scenario.start)) {
    const { power, deployed = power !== "off", datastore, nested } = state;
    const tools = scenario.toolless.includes(vm) ? "absent" : "running";
    await simulator.change({ power_cloud_vm: { vm, power, deployed } });
    await simulator.change({ move_cloud_vm: { vm, datastore } });
    await simulator.change({ nest_cloud_vm: { vm, enabled: nested } });
    await simulator.change({ tools_cloud_vm: { vm, tools } });
    await simulator.change({ snapshot_cloud_vm: { vm, remove: true } });
  }
  rmSync(join(folder, "state"), { recursive: true, force: true });
  mkdirSync(join(folder, "state"));
  if (scenario.a === undefined) return;
  // Limits that are recorded: what B removes takes them.
  writeConfiguration(bench, scenario.a, killedLimits);
  const output = await runInside(folder, applyWords);
  if (output.code !== 0) throw new Error(`A of ${scenario.name} fails:\n${outputText(output)}`);
  await simulator.advance(pauseMs);
}

function writeConfiguration(
  { folder, simulator }: CloudBench,
  resources: Resources,
  limits: { readonly [group: string]: string },
): void {
  const secret = join(folder, "secret");
  const yaml = cloudYaml(simulator.cloudOrigin, secret, resources, limits);
  writeFileSync(join(folder, "main.vmform.yaml"), yaml);
}

/** To the end, in the process of the test or in one of its own. */
export async function applyCalmly(
  bench: CloudBench,
  resources: Resources,
  child: boolean,
): Promise<Output | Ended> {
  writeConfiguration(bench, resources, calmLimits);
  if (!child) return runInside(bench.folder, applyWords);
  return startChild(bench.main, applyWords, { cwd: bench.folder }).ended;
}

export async function planCode({ folder }: CloudBench): Promise<Output> {
  return runInside(folder, ["plan", "--detailed-exitcode", ...consent]);
}

/** An undisturbed run of B: how many moments there are to kill it at. */
export async function countMoments(bench: CloudBench, b: Resources): Promise<KillCounts> {
  writeConfiguration(bench, b, calmLimits);
  const report = join(bench.folder, "counts.json");
  const ended = await startHooked(bench, { KILL_REPORT: report });
  if (ended.code !== 0) throw new Error(`an undisturbed run fails:\n${outputText(ended)}`);
  return JSON.parse(await readFile(report, "utf8")) as KillCounts;
}

/** In a process that ends itself at a moment; without one, only faults disturb it. */
export async function runKilled(
  bench: CloudBench,
  resources: Resources,
  at: KillPoint | undefined,
): Promise<Ended> {
  writeConfiguration(bench, resources, killedLimits);
  return startHooked(bench, at === undefined ? {} : { KILL_AT: JSON.stringify(at) });
}

function startHooked(
  { main, folder }: CloudBench,
  settings: { readonly [name: string]: string },
): Promise<Ended> {
  return startChild(main, applyWords, {
    cwd: folder,
    node: ["--import", hook],
    environment: { KILL_FOLDER: join(folder, "state"), ...settings },
  }).ended;
}

/** The VMs with these keys, as they are now. */
export function statesOf(cloud: CloudWorld, vms: readonly string[]): CloudStates {
  const powers: { readonly [status: number]: "on" | "off" | "suspended" } = {
    3: "suspended",
    4: "on",
    8: "off",
  };
  return Object.fromEntries(
    vms.map((key) => {
      const vm = cloud.vms.find((one) => one.key === key);
      const power = powers[vm?.status ?? 0];
      const datastore = cloud.datastores.find((one) => one.id === vm?.datastoreId);
      if (vm === undefined || power === undefined || datastore === undefined) {
        throw new Error(`there is no VM ${key} that is at rest`);
      }
      const { deployed, nested, snapshot } = vm;
      const state = { power, deployed, datastore: datastore.key, nested };
      return [key, { ...state, snapshot: snapshot !== null }];
    }),
  );
}
