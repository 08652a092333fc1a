/** What the small scenarios of single rules are made of. */

import type { PreparedOperation } from "../../src/model/operation/operation.ts";
import type { Rules } from "../../src/model/plan/rules.ts";
import {
  type Configuration,
  emptyConfiguration,
  type FolderConfig,
  type VmConfig,
} from "./configuration.ts";
import { failureOf } from "./engine-run.ts";
import { createRandom } from "./random.ts";
import { createWorld, runApply, type World } from "./world.ts";

export type RuleScenario = {
  readonly rule: keyof Rules;
  readonly name: string;
  /** What went wrong; nothing when it went well. */
  readonly problems: (rules: Rules) => Promise<readonly string[]>;
};

export function vm(name: string, parts: Partial<VmConfig> = {}): VmConfig {
  return {
    name,
    id: `id-${name}`,
    label: undefined,
    parent: undefined,
    power: undefined,
    firmware: undefined,
    share: undefined,
    dependsOn: [],
    ...parts,
  };
}

export function folder(
  name: string,
  inVm: string,
  parts: Partial<FolderConfig> = {},
): FolderConfig {
  return { name, vm: inVm, path: name, host: "/srv", dependsOn: [], ...parts };
}

export function configuration(
  vms: readonly VmConfig[],
  folders: readonly FolderConfig[] = [],
): Configuration {
  return { ...emptyConfiguration, vms, folders };
}

/** A request on its way: deliver it, or do something else to the world. */
export type Meddle = (operation: PreparedOperation, deliver: () => Promise<void>) => Promise<void>;

export function meddle(world: World, meddling: Meddle): void {
  const { daemon } = world;
  const mutate = daemon.mutate.bind(daemon);
  daemon.mutate = (operation, deadlineMs) =>
    meddling(operation, () => mutate(operation, deadlineMs));
}

/** The words sent, as `id verb`. */
export function logWords(world: World): readonly string[] {
  const words: string[] = [];
  meddle(world, (operation, deliver) => {
    words.push(`${operation.subject.identity} ${operation.verb}`);
    return deliver();
  });
  return words;
}

export function worldOf(rules: Rules): World {
  return createWorld(createRandom(1), rules);
}

/** Sets the world up; what fails here is a fault of the scenario. */
export async function given(world: World, base: Configuration): Promise<void> {
  const problem = failureOf(await runApply(world, base));
  if (problem !== undefined) throw new Error(`cannot be set up: ${problem}`);
}

/** Problems unless the condition holds. */
export function unless(condition: boolean, problem: string): readonly string[] {
  return condition ? [] : [problem];
}

export async function fails(world: World, wanted: Configuration): Promise<readonly string[]> {
  const problem = failureOf(await runApply(world, wanted));
  return problem === undefined ? [] : [problem];
}

export const on = { power: "on" } as const;

export function refusals(world: World): readonly string[] {
  return world.daemon.refusals.map(({ operation, message }) => `${operation.id}: ${message}`);
}
