/** Verbs of the fake cloud: how long each takes, where it leads, and what it must find. */

import type { PowerState } from "../../src/model/operation/power.ts";
import type { CloudVm } from "./fake-cloud-objects.ts";

const durations: { readonly [verb: string]: readonly [number, number] } = {
  relocate: [2_000, 9_000],
  create: [300, 2_500],
  remove: [200, 1_500],
  "undeploy-shutdown": [600, 1_500],
};
const otherDurations = [80, 500] as const;

/** Least and most, milliseconds. */
export function durationOf(verb: string): readonly [number, number] {
  return durations[verb] ?? otherDurations;
}

/** What a list of tasks calls it: words that end alike are one kind. */
export function kindOf(verb: string): string {
  return verb === "undeploy-shutdown" ? "undeploy" : verb;
}

/** Power that a word leads to, by word. */
export const powerOf: { readonly [verb: string]: PowerState } = {
  "power-on": "on",
  undeploy: "off",
  "undeploy-shutdown": "off",
  discard: "off",
  suspend: "suspended",
  shutdown: "off-deployed",
  "power-off": "off-deployed",
  deploy: "off-deployed",
};
const powerBefore: { readonly [verb: string]: readonly PowerState[] } = {
  "power-on": ["off", "off-deployed", "suspended"],
  undeploy: ["on", "off-deployed", "suspended"],
  "undeploy-shutdown": ["on"],
  discard: ["suspended"],
  suspend: ["on"],
  shutdown: ["on"],
  "power-off": ["on"],
  deploy: ["off"],
};

/** Why the server refuses at once; undefined when it begins a task. */
export function preconditions(vm: CloudVm, verb: string): string | undefined {
  const allowed = powerBefore[verb];
  if (allowed !== undefined && !allowed.includes(vm.power)) return `it is ${vm.power}`;
  if (verb === "undeploy" && vm.power === "suspended" && vm.shelved) return "it is shelved";
  if (verb === "remove" && vm.snapshot === undefined) return "it has no snapshot";
  if (verb !== "set-nested" || vm.offersNested) return undefined;
  return vm.power === "off" || vm.power === "off-deployed" ? undefined : `it is ${vm.power}`;
}
