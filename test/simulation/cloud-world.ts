/** A world with a cloud that outlives processes. Runs one apply after another in it. */

import type { Plan } from "../../src/model/plan/plan.ts";
import { allRules, type Rules } from "../../src/model/plan/rules.ts";
import { type CloudConfiguration, toCloudDesired } from "./cloud-configuration.ts";
import { cloudSession } from "./cloud-session.ts";
import { type Host, planDesired, type Run, runDesired } from "./engine-run.ts";
import { copyCloudVms, createFakeCloud, type FakeCloud } from "./fake-cloud.ts";
import type { CloudVm } from "./fake-cloud-objects.ts";
import { fakeCloudTypes } from "./fake-cloud-types.ts";
import { cloneDisk, createDisk, type Disk } from "./memory-store.ts";
import type { KillAt } from "./process.ts";
import type { Random } from "./random.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export type CloudWorld = Host & { readonly cloud: FakeCloud };

/** Taken while no task runs. */
export type SavedCloud = {
  readonly vms: ReadonlyMap<string, CloudVm>;
  readonly skewMs: number;
  readonly disk: Disk;
  readonly nowMs: number;
  readonly plans: number;
};

export function createCloudWorld(
  random: Random,
  vms: readonly CloudVm[],
  rules: Rules = allRules,
): CloudWorld {
  const skewMs = random.int(1_200_000) - 600_000;
  const saved = { vms: byId(vms), skewMs, disk: createDisk(), nowMs: 1_000_000, plans: 0 };
  return restoreCloud(saved, random, rules);
}

function byId(vms: readonly CloudVm[]): ReadonlyMap<string, CloudVm> {
  return new Map(vms.map((vm) => [vm.id, vm]));
}

export function saveCloud(world: CloudWorld): SavedCloud {
  const { cloud, disk, clock, plans } = world;
  const vms = copyCloudVms(cloud.vms);
  return { vms, skewMs: cloud.skewMs, disk: cloneDisk(disk), nowMs: clock.now(), plans };
}

export function restoreCloud(saved: SavedCloud, random: Random, rules: Rules): CloudWorld {
  const { nowMs, plans, skewMs } = saved;
  const clock = createVirtualClock(nowMs);
  const cloud = createFakeCloud(clock, random, skewMs);
  for (const [id, vm] of copyCloudVms(saved.vms)) cloud.vms.set(id, vm);
  return {
    clock,
    disk: cloneDisk(saved.disk),
    rules,
    plans,
    types: fakeCloudTypes,
    session: (process) => cloudSession(cloud, process),
    cloud,
  };
}

export function runCloud(
  world: CloudWorld,
  configuration: CloudConfiguration,
  killAt?: KillAt,
): Promise<Run> {
  return runDesired(world, toCloudDesired(configuration), killAt);
}

/** A plan in memory only, as `vmform plan` makes it. */
export function planCloud(world: CloudWorld, configuration: CloudConfiguration): Promise<Plan> {
  return planDesired(world, toCloudDesired(configuration));
}
