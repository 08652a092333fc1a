/**
 * The kill loop of host management and the appliance over real HTTP: the command is killed with
 * SIGKILL at every journal append, at the file operations around recorded state, after every reply
 * (so after every poll of a remote task) and around every request that changes something: between a
 * wipe and its shrink, and between the growth of disks and the resize of what is on them, too. The
 * next run, of the same configuration or of an edited one, must carry on at the right step, and no
 * step is done twice.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { type Build, buildProgram } from "../helpers/build.ts";
import { endChildren } from "./child.ts";
import { choose, makeTries, type Result, spread } from "./kill-loop.ts";
import { fileTriesOf, triesOf, type Undisturbed } from "./kill-points.ts";
import { type ManagerKillScenario, managerKillScenarios } from "./manager-kill-scenarios.ts";
import {
  lingerMs,
  type ManagerBench,
  type ManagerTry,
  runUndisturbed,
  tryOnce,
} from "./manager-kill-try.ts";

/** Most of a try is waiting: for limits, and for the simulated servers' work. */
const benchCount = 8;
/** One in so many of the runs after a kill has a process of its own; the others run in this one. */
const childEvery = 6;
const sampled = 21;
const scenarios = managerKillScenarios;

const hangMs = 3_600_000;

let build: Build;
let folder: string;
let benches: readonly ManagerBench[];

beforeAll(() => {
  build = buildProgram();
  folder = mkdtempSync(join(tmpdir(), "vmform-manager-kill-"));
  benches = Array.from({ length: benchCount }, (_, index) => {
    return { main: build.main, folder: join(folder, `bench-${index}`) };
  });
});

afterAll(async () => {
  await endChildren();
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(isLongRun)(
  "a run against host management that is killed anywhere is converged by the next one",
  async () => {
    const undisturbed = new Map<ManagerKillScenario, Undisturbed>();
    await spread(benches, scenarios, async (bench, scenario) => {
      undisturbed.set(scenario, await runUndisturbed(bench, scenario));
    });
    const tries = scenarios.flatMap((scenario, index): readonly ManagerTry[] => {
      const run = undisturbed.get(scenario)!;
      const files = index === 0 ? fileTriesOf(scenario, run) : [];
      return [...triesOf(scenario, run, lingerMs), ...files];
    });
    const make = (bench: ManagerBench, one: ManagerTry, index: number): Promise<Result> =>
      tryOnce(bench, one, undisturbed.get(one.scenario)!, index % childEvery === 0);
    const name = `kill loop of host management: of ${tries.length} points`;
    const outcome = await makeTries(name, benches, choose(tries, sampled), make);
    expect(outcome).toEqual({ problems: [], rare: [] });
  },
  hangMs,
);
