/**
 * A scenario of the cloud: configuration A is applied, somebody meddles, B is applied and killed at
 * a point, C (B or an edit of it) is applied and must converge. The oracles look at the cloud.
 */

import type { Plan } from "../../src/model/plan/plan.ts";
import type { Rules } from "../../src/model/plan/rules.ts";
import type { CloudConfiguration } from "./cloud-configuration.ts";
import { editCloud, meddle, randomCloud, randomVms } from "./cloud-edits.ts";
import { judgeCloud, leftOffCloud } from "./cloud-oracles.ts";
import {
  type CloudWorld,
  createCloudWorld,
  restoreCloud,
  runCloud,
  type SavedCloud,
  saveCloud,
} from "./cloud-world.ts";
import { failures, type Run } from "./engine-run.ts";
import { beginForeign, type CloudFaults, noCloudFaults, takeSnapshot } from "./fake-cloud.ts";
import { createRandom } from "./random.ts";

export type CloudScenario = {
  readonly seed: number;
  readonly a: CloudConfiguration;
  readonly b: CloudConfiguration;
  readonly c: CloudConfiguration;
  /** The world after A, and after others have meddled with it. */
  readonly start: SavedCloud;
  /** Points of an undisturbed run of B. */
  readonly points: number;
};

/**
 * Undefined when one of the configurations cannot be planned even undisturbed. Throws when it can
 * be planned and fails: nothing had gone wrong yet.
 */
export async function createCloudScenario(
  seed: number,
  rules: Rules,
): Promise<CloudScenario | undefined> {
  const random = createRandom(seed);
  const world = createCloudWorld(createRandom(seed + 1), randomVms(random), rules);
  const { vms } = world.cloud;
  const a = randomCloud(vms, random);
  if (!isGood(world, await runCloud(world, a))) return undefined;
  let known = a;
  if (random.chance(0.4)) {
    for (let count = 1 + random.int(2); count > 0; count -= 1) known = meddle(vms, known, random);
  }
  const b = editCloud(known, vms, random);
  const c = random.chance(0.6) ? b : editCloud(b, vms, random);
  const start = saveCloud(world);
  const second = await runCloud(world, b);
  if (!isGood(world, second)) return undefined;
  if (!isGood(world, await runCloud(world, c))) return undefined;
  return { seed, a: known, b, c, start, points: second.points };
}

function isGood({ cloud }: CloudWorld, run: Run): boolean {
  const violations = cloud.violations.join("; ");
  if (violations !== "") throw new Error(`undisturbed and all the same: ${violations}`);
  if (run.end !== "finished") return false;
  if (!run.applied.succeeded) throw new Error(`undisturbed and all the same: ${failures(run)}`);
  return true;
}

/** B killed at a point, perhaps C as well, then C to the end. Returns what went wrong. */
export async function tryCloudKill(
  scenario: CloudScenario,
  killAt: number,
  rules: Rules,
): Promise<readonly string[]> {
  const random = createRandom(scenario.seed * 7919 + killAt);
  const world = restoreCloud(scenario.start, random, rules);
  const killed = await runCloud(world, scenario.b, killAt);
  if (random.chance(0.5)) await world.clock.advance(random.int(9_000));
  if (random.chance(0.3)) await runCloud(world, scenario.c, random.int(scenario.points + 20));
  if (random.chance(0.2)) disturb(world);
  const last = await lastRun(world, scenario);
  const where = killed.end === "killed" ? `killed at ${killAt} (${killed.at})` : "not killed";
  const problems = await judgeCloud(world, scenario, last);
  return problems.map((problem) => `seed ${scenario.seed}, ${where}: ${problem}`);
}

/** Somebody else is at work when the last run begins. */
function disturb({ cloud }: CloudWorld): void {
  const vm = cloud.random.pick([...cloud.vms.values()]);
  const busy = cloud.tasks.some((task) => task.status === "running" && task.vapp === vm.vapp);
  if (!busy) beginForeign(cloud, vm, 3_000);
}

/**
 * C to its end; a plan that waits for a remote task is made again when that has ended, and so is one
 * that somebody's snapshot came between.
 */
async function lastRun(world: CloudWorld, scenario: CloudScenario): Promise<Run> {
  const run = await runCloud(world, scenario.c);
  if (run.end === "finished" && failures(run).includes("there is one already")) {
    return runCloud(world, scenario.c);
  }
  if (run.end !== "refused" || !waitsFor(run.plan)) return run;
  await world.clock.advance(100_000);
  return runCloud(world, scenario.c);
}

function waitsFor({ diagnostics }: Plan): boolean {
  return diagnostics.some(({ code }) => code === "RUN007" || code === "PLN014");
}

const rough: CloudFaults = {
  refuse: 0.03,
  lose: 0.04,
  reset: 0.05,
  error: 0.04,
  cancel: 0.02,
  idle: 0.03,
  late: 0.05,
  foreign: 0.06,
  slow: 0.02,
  blind: 0.02,
};

/**
 * Somebody makes a snapshot while the run with faults is at work, or before the last one. Not where
 * a task of ours has just made one, or says so: nobody could tell theirs from ours.
 */
function sneak({ cloud }: CloudWorld): void {
  if (cloud.faults === noCloudFaults) return;
  const free = [...cloud.vms.values()].filter(({ id, snapshot }) => {
    return snapshot === undefined && !cloud.struck.has(id);
  });
  const busy = cloud.tasks.filter(({ status }) => status === "running").map(({ vapp }) => vapp);
  const vm = free.find(({ vapp }) => !busy.includes(vapp));
  if (vm !== undefined) takeSnapshot(cloud, vm);
}

/**
 * B with faults, to its end or killed; then C without, which must converge. `killAt` is undefined
 * where nothing is killed.
 */
export async function tryCloudFaults(
  scenario: CloudScenario,
  round: number,
  rules: Rules,
): Promise<readonly string[]> {
  const random = createRandom(scenario.seed * 104_729 + round);
  const world = restoreCloud(scenario.start, random, rules);
  world.cloud.faults = rough;
  if (random.chance(0.3)) world.clock.at(world.clock.now() + random.int(8_000), () => sneak(world));
  const killAt = random.chance(0.4) ? random.int(scenario.points) : undefined;
  const run = await runCloud(world, scenario.b, killAt);
  const left = run.end === "finished" ? leftOffCloud(world, scenario) : [];
  world.cloud.faults = noCloudFaults;
  const last = await lastRun(world, scenario);
  const problems = [...left, ...(await judgeCloud(world, scenario, last))];
  const where = `faults ${round}${killAt === undefined ? "" : `, killed at ${killAt}`}`;
  return problems.map((problem) => `seed ${scenario.seed}, ${where}: ${problem}`);
}
