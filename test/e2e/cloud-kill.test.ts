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
import { type Build, buildProgram } from "../helpers/build.ts";
import { endChildren } from "./child.ts";
import { begin, type CloudBench, countMoments, createCloudBench } from "./cloud-kill-bench.ts";
import { type CloudKillScenario, cloudKillScenarios } from "./cloud-kill-scenarios.ts";
import {
  type CloudTry,
  fileTriesOf,
  triesOf,
  tryOnce,
  type Undisturbed,
} from "./cloud-kill-try.ts";

/** Most of a try is waiting: for limits, and for the simulated cloud's tasks. */
const benchCount = 8;
/** One in so many of the runs after a kill has a process of its own; the others run in this one. */
const childEvery = 6;
/** Only tries whose kind or scenario contains this text, for looking at one of them by hand. */
const only = process.env.VMFORM_KILL_ONLY ?? "";
/** All points, not one in so many; the loop on the virtual clock tries tens of thousands anyway. */
const every = process.env.VMFORM_KILL_ALL !== undefined;
const sampled = 7;

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
  build.remove();
});

type Tally = { count: number; reached: number };

test(
  "a run against the cloud that is killed anywhere is converged by the next one",
  async () => {
    const undisturbed = new Map<CloudKillScenario, Undisturbed>();
    const tries: CloudTry[] = [];
    await spread([...cloudKillScenarios], async (bench, scenario) => {
      undisturbed.set(scenario, await runUndisturbed(bench, scenario));
    });
    for (const [index, scenario] of cloudKillScenarios.entries()) {
      const run = undisturbed.get(scenario)!;
      tries.push(...triesOf(scenario, run), ...(index === 0 ? fileTriesOf(scenario, run) : []));
    }
    const chosen = choose(tries);
    const problems: string[] = [];
    const tallies = new Map<string, Tally>();
    const startedMs = Date.now();
    await spread(chosen, async (bench, one, index) => {
      const run = undisturbed.get(one.scenario)!;
      const result = await tryOnce(bench, one, run, index % childEvery === 0);
      const tally = tallies.get(one.what) ?? { count: 0, reached: 0 };
      tally.count += 1;
      if (result.reached) tally.reached += 1;
      tallies.set(one.what, tally);
      problems.push(...result.problems);
      // At once, so that they are seen even if something hangs later.
      for (const problem of result.problems) console.log(`${problem}\n==========`);
    });
    const seconds = Math.round((Date.now() - startedMs) / 1000);
    const lines = [...tallies].map(([what, { count, reached }]) => `${what}: ${reached}/${count}`);
    const points = `${chosen.length} of ${tries.length} points`;
    console.log(`kill loop of the cloud: ${points} in ${seconds} s\n  ${lines.join("\n  ")}`);
    expect(problems.map((problem) => problem.split("\n---")[0])).toEqual([]);
    // A moment may not come when polls take another rhythm; most of each kind must.
    for (const [what, { count, reached }] of tallies) {
      expect(reached / count, `${what}: moments that came`).toBeGreaterThan(0.6);
    }
  },
  hangMs,
);

/** One in so many of each kind, or all. */
function choose(tries: readonly CloudTry[]): readonly CloudTry[] {
  if (only !== "") {
    return tries.filter(({ what, scenario }) => `${scenario.name} ${what}`.includes(only));
  }
  const seen = new Map<string, number>();
  return tries.filter(({ what }) => {
    const count = seen.get(what) ?? 0;
    seen.set(what, count + 1);
    return every || count % sampled === 0;
  });
}

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

/** Each bench takes the next piece of work when it has ended the one before. */
async function spread<T>(
  items: readonly T[],
  work: (bench: CloudBench, item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = [...items.entries()];
  await Promise.all(
    benches.map(async (bench) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await work(bench, next[1], next[0]);
      }
    }),
  );
}
