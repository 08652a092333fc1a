/**
 * A grown estate through ten edits in a row: 12 VMs, clones of clones among them, 20 shares and
 * every power state. Each step converges with no request refused, and the second plan is empty.
 */

import { expect, test } from "vitest";
import { planHasChanges } from "../../src/model/plan/plan-counts.ts";
import { amount } from "../helpers/amount.ts";
import {
  type Configuration,
  editConfiguration,
  emptyConfiguration,
  type VmConfig,
} from "./configuration.ts";
import type { Run } from "./engine-run.ts";
import { createRandom, type Random } from "./random.ts";
import { isRefusedByRule } from "./scenario.ts";
import { createWorld, planOnly, runApply, type World } from "./world.ts";

const powerStates = ["on", "off", "suspended", "paused"] as const;

const estates = Number(process.env.VMFORM_ESTATES ?? amount(1, 12));

function estate(random: Random): Configuration {
  const vms: VmConfig[] = [];
  for (let index = 0; index < 12; index += 1) {
    const parent = index > 2 && random.chance(0.6) ? random.pick(vms).name : undefined;
    vms.push({
      name: `v${index}`,
      id: `id-${index}`,
      label: random.chance(0.4) ? `label${random.int(3)}` : undefined,
      parent,
      power: powerStates[index % (powerStates.length + 1)],
      firmware: random.chance(0.3) ? "fw0" : undefined,
      share: random.chance(0.3) ? true : undefined,
      dependsOn: index > 0 && random.chance(0.3) ? [random.pick(vms).name] : [],
    });
  }
  const folders = Array.from({ length: 20 }, (_none, index) => ({
    name: `f${index}`,
    vm: random.pick(vms).name,
    path: `share-${index}`,
    host: `/srv/${random.int(3)}`,
    dependsOn: [],
  }));
  return { ...emptyConfiguration, vms, folders };
}

test("converges from nothing and through ten edits in a row", async () => {
  const problems: string[] = [];
  let steps = 0;
  let refused = 0;
  for (let seed = 1; seed <= estates; seed += 1) {
    const random = createRandom(seed * 31);
    const world = createWorld(createRandom(seed));
    let configuration = estate(random);
    for (let edit = 0; edit <= 10 && problems.length === 0; ) {
      const candidate = edit === 0 ? configuration : editConfiguration(configuration, random);
      const run = await runApply(world, candidate);
      if (run.end === "refused" && isRefusedByRule(run.plan, candidate)) {
        refused += 1;
        continue;
      }
      configuration = candidate;
      const where = `seed ${seed}, edit ${edit}`;
      problems.push(...(await judge(world, run, configuration)).map((text) => `${where}: ${text}`));
      edit += 1;
      steps += 1;
    }
  }
  console.log(`edits: ${steps} converged steps, ${refused} edits refused by rule`);
  expect(problems).toEqual([]);
});

async function judge(
  world: World,
  run: Run,
  configuration: Configuration,
): Promise<readonly string[]> {
  if (run.end === "refused") return run.plan.diagnostics.map((item) => item.detail);
  if (run.end !== "finished") return [run.end];
  const failed = run.applied.results.filter((item) => item.status === "failed");
  const repeated = await planOnly(world, configuration);
  return [
    ...failed.map(({ operation, message }) => `${operation.id}: ${message ?? ""}`),
    ...world.daemon.refusals.map((item) => `${item.operation.id}: ${item.message}`),
    ...(planHasChanges(repeated) ? ["the second plan is not empty"] : []),
  ];
}
