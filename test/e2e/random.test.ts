/**
 * Random configurations over real HTTP: planning and drift only read, an apply sends exactly what
 * its plan showed, a second plan is empty, and destroying leaves nothing.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { amount, onlyInLongRun } from "../helpers/amount.ts";
import { type Build, buildProgram } from "../helpers/build.ts";
import { expectCode, type Output, runInside } from "../helpers/program.ts";
import { endChildren, startChild } from "./child.ts";
import { comparePreviewed, type ShownOperation } from "./previewed.ts";
import { configuration, type RandomConfiguration, toYaml, vmId } from "./random-configuration.ts";

let build: Build;
let folder: string;
let simulators: RunningSimulators;

beforeAll(async () => {
  build = buildProgram();
  folder = mkdtempSync(join(tmpdir(), "vmform-random-"));
  simulators = await startSimulators({ world: {} });
});

afterEach(endChildren);

afterAll(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs one command line to its end. */
type Runner = (words: readonly string[]) => Promise<Output>;

const inside: Runner = (words) => runInside(folder, words);
const outside: Runner = async (words) => {
  const { code, stdout, stderr } = await startChild(build.main, words, { cwd: folder }).ended;
  return { code: code ?? -1, stdout, stderr };
};

const allow = ["--allow", "power-off,power-cycle,replace,destroy,discard-state"];
const runsInside = Number(process.env.VMFORM_FC_RUNS ?? amount(1, 8));

test("converging random configurations, one after the other", async () => {
  await fc.assert(
    fc.asyncProperty(configuration, configuration, async (first, second) => {
      expect(await tellStory(inside, [first, second])).toEqual([]);
    }),
    { numRuns: runsInside },
  );
});

test("the same in processes of their own", onlyInLongRun, async () => {
  const seed = Date.now();
  for (const sample of fc.sample(configuration, { numRuns: amount(1, 3), seed })) {
    const left = await tellStory(outside, [sample]).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${JSON.stringify(sample)}`, { cause: error });
    });
    expect(left).toEqual([]);
  }
});

/** Converges to one version after the other and destroys; returns the VMs that are left. */
async function tellStory(
  run: Runner,
  versions: readonly RandomConfiguration[],
): Promise<readonly string[]> {
  await clear();
  for (const version of versions) {
    writeFileSync(join(folder, "main.vmform.yaml"), toYaml(simulators.origins.daemon, version));
    await converge(run);
    await checkConverged(run, version);
  }
  await runWell(run, ["destroy", "--auto-approve"]);
  const { stdout } = await runWell(run, ["state", "list", "--json"]);
  expect(JSON.parse(stdout)).toEqual({ format_version: "1.0", addresses: [] });
  return simulators.world().daemon.vms.map((vm) => vm.id);
}

/** Also after a story that failed in the middle: a shrunken one begins at the beginning. */
async function clear(): Promise<void> {
  rmSync(join(folder, "state"), { recursive: true, force: true });
  await simulators.change((world) => ({
    ...world,
    daemon: { ...world.daemon, vms: [], operations: [] },
  }));
}

async function converge(run: Runner): Promise<void> {
  const file = run === inside ? join(folder, "saved.plan") : "saved.plan";
  const planned = await sentBy(() => runWell(run, ["plan", "--out", file, ...allow]));
  expect(planned.filter((entry) => entry.class === "mutate")).toEqual([]);
  const { stdout } = await runWell(run, ["show", file, "--json"]);
  const { operations } = JSON.parse(stdout) as { operations: readonly ShownOperation[] };
  const applied = await sentBy(() => runWell(run, ["apply", file]));
  const mutations = applied.filter((entry) => entry.class === "mutate");
  expect(comparePreviewed(operations, mutations)).toEqual([]);
  expect(mutations.filter((entry) => entry.refused)).toEqual([]);
}

async function checkConverged(run: Runner, version: RandomConfiguration): Promise<void> {
  const sent = await sentBy(async () => {
    await runWell(run, ["plan", "--detailed-exitcode"]);
    await runWell(run, ["drift"]);
  });
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter((entry) => entry.class === "mutate")).toEqual([]);
  const { vms } = simulators.world().daemon;
  expect(vms.map((vm) => vm.id).toSorted()).toEqual(version.map((_, index) => vmId(index)));
  for (const [index, wanted] of version.entries()) {
    const vm = vms.find((one) => one.id === vmId(index));
    if (wanted.power !== undefined) expect(vm?.power).toBe(wanted.power);
    if (wanted.name !== undefined) expect(vm?.name).toBe(wanted.name);
    if (wanted.sharing !== undefined) expect(vm?.sharing).toBe(wanted.sharing);
    const folders = wanted.sharing === true ? Object.keys(wanted.folders).toSorted() : [];
    expect(vm?.folders.map((one) => one.guestPath).toSorted()).toEqual(folders);
  }
}

async function sentBy(work: () => Promise<unknown>): Promise<readonly LoggedRequest[]> {
  const before = simulators.log().length;
  await work();
  return simulators.log().slice(before);
}

async function runWell(run: Runner, words: readonly string[]): Promise<Output> {
  return expectCode(0, words, await run(words));
}
