/**
 * The kill loop of the cloud over real HTTP: the command is killed with SIGKILL at every journal
 * append, at the file operations around recorded state, after every reply (so after every poll of a
 * remote task) and around every request that changes something; the next run, of the same
 * configuration or of an edited one, must converge, and no change may be made twice.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { type Build, buildProgram } from "../helpers/build.ts";
import { endChildren } from "./child.ts";
import { begin, type CloudBench, countMoments, createCloudBench } from "./cloud-kill-bench.ts";
import { type CloudKillScenario, cloudKillScenarios } from "./cloud-kill-scenarios.ts";
import { type CloudTry, lingerMs, tryOnce } from "./cloud-kill-try.ts";
import { choose, makeTries, type Result, spread } from "./kill-loop.ts";
import { fileTriesOf, triesOf, type Undisturbed } from "./kill-points.ts";

/** Most of a try is waiting: for limits, and for the simulated cloud's tasks. */
const benchCount = 8;
/** One in so many of the runs after a kill has a process of its own; the others run in this one. */
const childEvery = 6;
/** One in so many; the loop on the virtual clock tries tens of thousands anyway. */
const sampled = 11;
const scenarios = cloudKillScenarios;

const hangMs = 3_600_000;

let build: Build;
let folder: string;
const benches: CloudBench[] = [];

beforeAll(async () => {
  build = buildProgram();
  folder = mkdtempSync(join(tmpdir(), "vmform-cloud-kill-"));
  for (let index = 0; index < benchCount; index += 1) {
    benches.push(await createCloudBench(build.main, join(folder, `bench-${index}`)));
  }
});

afterAll(async () => {
  await endChildren();
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(isLongRun)(
  "a run against the cloud that is killed anywhere is converged by the next one",
  async () => {
    const undisturbed = new Map<CloudKillScenario, Undisturbed>();
    const tries: CloudTry[] = [];
    await spread(benches, scenarios, async (bench, scenario) => {
      undisturbed.set(scenario, await runUndisturbed(bench, scenario));
    });
    for (const [index, scenario] of scenarios.entries()) {
      const run = undisturbed.get(scenario)!;
      tries.push(...triesOf(scenario, run, lingerMs));
      if (index === 0) tries.push(...fileTriesOf(scenario, run));
    }
    const chosen = choose(tries, sampled);
    const make = (bench: CloudBench, one: CloudTry, index: number): Promise<Result> =>
      tryOnce(bench, one, undisturbed.get(one.scenario)!, index % childEvery === 0);
    const outcome = await makeTries("kill loop of the cloud", benches, chosen, make);
    expect(outcome).toEqual({ problems: [], rare: [] });
  },
  hangMs,
);

async function runUndisturbed(
  bench: CloudBench,
  scenario: CloudKillScenario,
): Promise<Undisturbed> {
  await begin(bench, scenario);
  const before = (await bench.simulator.log()).length;
  const counts = await countMoments(bench, scenario.b);
  const log = await bench.simulator.log(before);
  const mutations = log.filter((entry) => entry.class === "mutate");
  expect(mutations.filter((entry) => entry.refused)).toEqual([]);
  expect(log.filter((entry) => entry.violation !== undefined)).toEqual([]);
  return { counts, mutations };
}
