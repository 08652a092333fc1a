/**
 * The frame of a VM that exists already, whichever interface it is reached through: what it is
 * called, what it shares with its other address, how it is moved and what becomes of it.
 */

import type { PowerState } from "../../../model/operation/power.ts";
import type { LoweredStep, ResourceType } from "../../../model/provider/provider.ts";
import type { Told } from "../../../model/said/problem.ts";
import { type PlannedAttributes, unknown } from "../../../model/value/value.ts";
import { loadSchema } from "../schema/schema-file.ts";
import { limitOf } from "../schema/settings.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A request that has not shown as a task by then never arrived. */
export const requestLimitMs = 2 * minuteMs;

/** Specification, section D: nested virtualization and sparse disks need it. */
export const hardwareNeeded = 9;

type Own = Pick<ResourceType, "name" | "identityOf" | "entity" | "lower" | "request"> &
  Partial<ResourceType> & {
    /** Of verbs that take longer, or shorter, than those of other VMs. */
    readonly limitsMs?: { readonly [verb: string]: number };
  };

/** The type; `own` is what the interface adds, or has in another way. */
export function attachedVm({ limitsMs = {}, ...own }: Own): ResourceType {
  return {
    get schema() {
      return loadSchema("resources", own.name);
    },
    ownership: "attached",
    links: [],
    shared: ["power", "nested_hv_enabled", "datastore"],
    movedBy: {
      power_state: ["power_state"],
      nested_hv_enabled: ["nested_hv_enabled"],
      datastore: ["datastore"],
    },
    parting: ({ on_destroy: parting }) => (parting === "power_off" ? "power-off" : "keep"),
    needsFacts: true,
    wordRequestLimitMs: requestLimitMs,
    poolLimit: (pool, settings) =>
      pool.startsWith(datastorePool) ? limitOf(settings, "relocates_per_datastore") : undefined,
    limitMs: (verb) => limitsMs[verb] ?? usualLimitsMs[verb] ?? 15 * minuteMs,
    ...own,
  };
}

const usualLimitsMs: { readonly [verb: string]: number } = {
  relocate: 24 * hourMs,
  // Memory is written to, or read from, a datastore.
  suspend: hourMs,
  "power-on": 30 * minuteMs,
};

/** One VM that is reached through a cloud and its host manager is one lock: both know its id. */
export function aliasesOfMoref(moref: string | undefined): readonly string[] {
  return moref === undefined ? [] : [`virtual machine ${moref}`];
}

/** A unit of it is used by each move into or out of the datastore. */
const datastorePool = "datastore ";

/** A unit of the one it leaves, and of the one it comes to. */
export function datastorePools(...names: readonly (string | undefined)[]): readonly string[] {
  return names.flatMap((name) => (name === undefined ? [] : [`${datastorePool}${name}`]));
}

/** A move; `target` names the datastore as the server does. */
export type Move = {
  readonly label: string;
  readonly from: string | undefined;
  /** Undefined while it is not known. */
  readonly to: string | undefined;
  readonly target: PlannedAttributes;
};

/** Works whatever the power is, and may take hours. */
export function relocateStep({ label, from, to, target }: Move): LoweredStep {
  const name = to ?? unknown;
  return {
    verb: "relocate",
    effect: "update",
    summary: `move VM ${label} to datastore ${to ?? "(not known yet)"}`,
    request: { inputs: { datastore: { name, ...target } }, repeat: "unsafe" },
    applied: { datastore: name },
    proof: { expect: [{ attribute: "datastore", equals: name }], requestLimitMs },
    order: { pools: datastorePools(from, to) },
  };
}

export type Nesting = {
  readonly label: string;
  readonly wanted: boolean;
  readonly verb: string;
  readonly inputs: PlannedAttributes;
  readonly needs: PowerState;
};

export function nestedStep({ label, wanted, verb, inputs, needs }: Nesting): LoweredStep {
  return {
    verb,
    effect: "update",
    summary: `${wanted ? "enable" : "disable"} nested virtualization of VM ${label}`,
    request: { inputs, repeat: "safe" },
    order: { needs },
    proof: { expect: [{ attribute: "nested_hv_enabled", equals: wanted }], requestLimitMs },
    applied: { nested_hv_enabled: wanted },
  };
}

/** Nothing of ours runs while planning: what runs was begun by somebody else. */
export function busyWith(task: string, where = ""): Told {
  return { detail: `Running now${where}: ${task}. The change waits until it has ended.` };
}
