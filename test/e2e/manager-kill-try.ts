/**
 * One try of the kill loop of host management and the appliance: a new world, runs that are killed,
 * the next run, and the verdict, which looks at the world and at its log only.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { type Output, runInside } from "../helpers/program.ts";
import { type Ended, startChild } from "./child.ts";
import { outputText, requestText } from "./kill-bench.ts";
import type { Result } from "./kill-loop.ts";
import type { KillCounts, KillPoint, KillTry, Undisturbed } from "./kill-points.ts";
import { effectsOf, judgeRequests } from "./kill-verdict.ts";
import {
  type End,
  endOf,
  type ManagerKillScenario,
  managerYaml,
  type Resources,
  requestLimitMs,
  worldOf,
} from "./manager-kill-scenarios.ts";

export type ManagerTry = KillTry<ManagerKillScenario>;

/** Less than the limit: the next run must wait for what is still on its way. */
export const lingerMs = requestLimitMs - 800;

/** Consent to everything: refusals are tested elsewhere. */
const consent = [
  "--allow",
  "power-off,power-cycle,replace,destroy,discard-state,readopt,reclaim,grow",
];
const applyWords = ["apply", "--auto-approve", ...consent];

const hook = fileURLToPath(new URL("kill-hook.mjs", import.meta.url));

export type ManagerBench = { readonly main: string; readonly folder: string };

/** A world of its own, and recorded state to where A has been applied. */
type Place = ManagerBench & { readonly simulators: RunningSimulators };

async function open(bench: ManagerBench, scenario: ManagerKillScenario): Promise<Place> {
  rmSync(bench.folder, { recursive: true, force: true });
  mkdirSync(join(bench.folder, "state"), { recursive: true });
  writeFileSync(join(bench.folder, "secret"), "secret\n");
  const simulators = await startSimulators({ world: worldOf(scenario) });
  const place = { ...bench, simulators };
  if (scenario.a !== undefined) {
    // Limits that are recorded: what B removes takes them.
    const output = await run(place, scenario.a, true);
    if (output.code !== 0) throw new Error(`A of ${scenario.name}:\n${outputText(output)}`);
  }
  for (const change of scenario.between ?? []) await simulators.change(change);
  return place;
}

function write({ simulators, folder }: Place, resources: Resources, isKilled: boolean): void {
  const yaml = managerYaml(simulators.origins, join(folder, "secret"), resources, isKilled);
  writeFileSync(join(folder, "main.vmform.yaml"), yaml);
}

/** In the process of the test. */
function run(place: Place, resources: Resources, isKilled: boolean): Promise<Output> {
  write(place, resources, isKilled);
  return runInside(place.folder, applyWords);
}

async function runCalmly(place: Place, resources: Resources, child: boolean) {
  if (!child) return run(place, resources, false);
  write(place, resources, false);
  return startChild(place.main, applyWords, { cwd: place.folder }).ended;
}

/** In a process that ends itself at a moment. */
function runKilled(place: Place, resources: Resources, at: KillPoint): Promise<Ended> {
  write(place, resources, true);
  return startHooked(place, { KILL_AT: JSON.stringify(at) });
}

function startHooked(
  { main, folder }: Place,
  settings: { readonly [name: string]: string },
): Promise<Ended> {
  return startChild(main, applyWords, {
    cwd: folder,
    node: ["--import", hook],
    environment: { KILL_FOLDER: join(folder, "state"), ...settings },
  }).ended;
}

/** B without a disturbance: the moments there are, and the end that every try must reach. */
export async function runUndisturbed(
  bench: ManagerBench,
  scenario: ManagerKillScenario,
): Promise<Undisturbed> {
  const place = await open(bench, scenario);
  try {
    const before = place.simulators.log().length;
    const report = join(place.folder, "counts.json");
    write(place, scenario.b, false);
    const ended = await startHooked(place, { KILL_REPORT: report });
    const log = place.simulators.log().slice(before);
    const problems = [
      ...judgeRequests({ log, expected: undefined, mayRepeat: () => false }),
      ...differences(scenario.end, endOf(place.simulators.world())),
    ];
    if (ended.code !== 0 || problems.length > 0) {
      throw new Error(`B of ${scenario.name}: ${problems.join("; ")}\n${outputText(ended)}`);
    }
    const counts = JSON.parse(await readFile(report, "utf8")) as KillCounts;
    return { counts, mutations: log.filter((entry) => entry.class === "mutate") };
  } finally {
    await place.simulators.stop();
  }
}

/** `child`: the last run has a process of its own. */
export async function tryOnce(
  bench: ManagerBench,
  one: ManagerTry,
  undisturbed: Undisturbed,
  child: boolean,
): Promise<Result> {
  const place = await open(bench, one.scenario);
  try {
    return await tryIn(place, one, undisturbed, child);
  } finally {
    await place.simulators.stop();
  }
}

async function tryIn(
  place: Place,
  one: ManagerTry,
  undisturbed: Undisturbed,
  child: boolean,
): Promise<Result> {
  const { scenario, at, fault, again, edit } = one;
  const { simulators } = place;
  const start = simulators.log().length;
  if (fault !== undefined) await setFaults(place, [fault]);
  const first = await runKilled(place, scenario.b, at);
  await setFaults(place, []);
  const second = again === undefined ? [] : [await runKilled(place, scenario.b, again)];
  const last = edit === undefined ? undefined : scenario.edits[edit];
  const resources = last?.resources ?? scenario.b;
  const before = openSessions(simulators);
  const next = await runCalmly(place, resources, child);
  await untilQuiet(simulators);
  const plan = await runInside(place.folder, ["plan", "--detailed-exitcode", ...consent]);
  const log = simulators.log().slice(start);
  const left = openSessions(simulators) - before;
  const mayRepeat = (effect: string): boolean =>
    scenario.unseen?.test(effect) === true || last?.again?.test(effect) === true;
  const expected = last === undefined ? effectsOf(undisturbed.mutations) : undefined;
  const problems = [
    ...(next.code === 0 ? [] : [`the next run ended with ${next.code}`]),
    ...(plan.code === 0 ? [] : [`the plan after it ended with ${plan.code}`]),
    ...judgeRequests({ log, expected, mayRepeat }),
    ...differences(last?.end ?? scenario.end, endOf(simulators.world())),
    ...(left === 0 ? [] : [`${left} sessions are left behind`]),
  ];
  const reached = first.signal === "SIGKILL";
  if (problems.length === 0) return { reached, problems };
  const story = [
    `scenario ${scenario.name}, ${one.what}, ${JSON.stringify({ at, fault, again, edit })}`,
    `--- requests\n${log.map((entry) => requestLine(entry)).join("\n")}`,
    ...[first, ...second, next, plan].map((output) => `--- run\n${outputText(output)}`),
  ].join("\n");
  return { reached, problems: [`${problems.join("\n")}\n${story}`] };
}

async function setFaults({ simulators }: Place, faults: readonly object[]): Promise<void> {
  const url = `${simulators.origins.manager}/_simulator/faults`;
  const reply = await fetch(url, { method: "POST", body: JSON.stringify({ faults }) });
  if (!reply.ok) throw new Error(await reply.text());
}

/** Requests that killed runs have left in their sockets, and the tasks they begin, are over. */
async function untilQuiet(simulators: RunningSimulators): Promise<void> {
  for (;;) {
    const { manager, appliance } = simulators.world();
    const isBusy =
      simulators.log().some(({ ended }) => !ended) ||
      manager.tasks.some(({ ended }) => ended === null) ||
      appliance.resizes.some(({ ended }) => !ended);
    if (!isBusy) return;
    await sleep(20);
  }
}

/** Counted over the whole life of the simulators: those of killed runs stay. */
function openSessions(simulators: RunningSimulators): number {
  return [simulators.managerSessions(), simulators.applianceSessions()].reduce(
    (sum, { opened, loggedOut }) => sum + opened - loggedOut,
    0,
  );
}

/** What is told of the end and is otherwise. */
function differences(wanted: End, shown: End): readonly string[] {
  return differing(wanted, shown, "");
}

function differing(wanted: unknown, shown: unknown, path: string): readonly string[] {
  if (!isMap(wanted) || !isMap(shown)) {
    const [want, is] = [JSON.stringify(wanted), JSON.stringify(shown)];
    return want === is ? [] : [`${path} is ${is}, not ${want}`];
  }
  return Object.entries(wanted).flatMap(([name, value]) =>
    differing(value, shown[name], `${path} ${name}`.trim()),
  );
}

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function requestLine(entry: LoggedRequest): string {
  const { n, at, status, effect, fault, violation } = entry;
  return JSON.stringify({ n, at, request: requestText(entry), status, effect, fault, violation });
}
