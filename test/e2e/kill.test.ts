/**
 * The kill loop over real HTTP: the command is killed with SIGKILL at every journal append, at the
 * file operations around recorded state, and around every request that changes something; the next
 * run, of the same configuration or of an edited one, must converge.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { amount, some } from "../helpers/amount.ts";
import { type Build, buildProgram } from "../helpers/build.ts";
import { endChildren } from "./child.ts";
import { type Bench, begin, countMoments, createBench } from "./kill-bench.ts";
import { effectsOf } from "./kill-judge.ts";
import { type KillScenario, killScenarios } from "./kill-scenarios.ts";
import { fileTriesOf, type Try, triesOf, tryOnce, type Undisturbed } from "./kill-try.ts";

/** Most of a try is waiting: for time limits, and for the simulated daemon's work. */
const benchCount = 8;
/** One in so many of the runs after a kill has a process of its own; the others run in this one. */
const childEvery = 6;
/** Only tries whose kind or scenario contains this text, for looking at one of them by hand. */
const only = process.env.VMFORM_KILL_ONLY ?? "";

/** All points, not two of five or fewer; the loop on the virtual clock tries tens of thousands anyway. */
const every = process.env.VMFORM_KILL_ALL !== undefined;

/** Some three minutes on two idle cores. */
const hangMs = 3_600_000;

let build: Build;
let folder: string;
const benches: Bench[] = [];

beforeAll(async () => {
  build = buildProgram();
  folder = mkdtempSync(join(tmpdir(), "vmform-kill-"));
  for (let index = 0; index < benchCount; index += 1) {
    benches.push(await createBench(build.main, join(folder, `bench-${index}`)));
  }
});

afterAll(async () => {
  await endChildren();
  rmSync(folder, { recursive: true, force: true });
});

type Tally = { count: number; reached: number };

test(
  "a run killed anywhere is converged by the next one",
  async () => {
    const undisturbed = new Map<KillScenario, Undisturbed>();
    const tries: Try[] = [];
    for (const [index, scenario] of some(killScenarios, 1).entries()) {
      const run = await runUndisturbed(scenario);
      undisturbed.set(scenario, run);
      tries.push(...triesOf(scenario, run), ...(index === 0 ? fileTriesOf(scenario, run) : []));
    }
    const chosen = tries
      .filter(({ what, scenario }) => `${scenario.name} ${what}`.includes(only))
      .filter((_one, index) => only !== "" || every || index % amount(200, 8) === 0);
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
    console.log(
      `kill loop over HTTP: ${chosen.length} points in ${seconds} s\n  ${lines.join("\n  ")}`,
    );
    expect(problems.map((problem) => problem.split("\n---")[0])).toEqual([]);
    // A moment may not come when concurrent work takes another order; nearly all must.
    for (const [what, { count, reached }] of tallies) {
      const missedMax = Math.max(1, count / 5);
      expect(count - reached, `${what}: moments that did not come`).toBeLessThanOrEqual(missedMax);
    }
  },
  hangMs,
);

async function runUndisturbed(scenario: KillScenario): Promise<Undisturbed> {
  const [bench] = benches;
  if (bench === undefined) throw new Error("no bench");
  await begin(bench, scenario);
  const before = (await bench.simulator.log()).length;
  const counts = await countMoments(bench, scenario.b);
  const log = await bench.simulator.log(before);
  const mutations = log.filter((entry) => entry.class === "mutate");
  expect(mutations.filter((entry) => entry.refused)).toEqual([]);
  return { counts, mutations, effects: effectsOf(log) };
}

/** Each bench takes the next try when it has ended the one before. */
async function spread(
  tries: readonly Try[],
  work: (bench: Bench, one: Try, index: number) => Promise<void>,
): Promise<void> {
  const queue = [...tries.entries()];
  await Promise.all(
    benches.map(async (bench) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await work(bench, next[1], next[0]);
      }
    }),
  );
}
