/** Power of a VM: states, the words that change it, and the table of transitions. */

import type { Disruption } from "./disruption.ts";
import type { AttributeExpectation } from "./expectation.ts";

/** `off-deployed`: off, while the server still holds the resources of a running VM for it. */
export type PowerState = "on" | "off" | "suspended" | "paused" | "off-deployed";
/** Observed power while a transition runs: equals no wanted state, so that waits go on polling. */
export const changingPower = "changing";
export const powerStates: readonly PowerState[] = [
  "on",
  "off",
  "suspended",
  "paused",
  "off-deployed",
];

/** One power request of an interface, such as `shutdown`. */
export type PowerWord = {
  readonly verb: string;
  /** What it does, for people. Default: `power` and the verb. */
  readonly summary?: string;
  readonly reaches: PowerState;
  /** Word that is tried when this one fails, such as a hard `off` behind a graceful shutdown. */
  readonly fallback?: PowerWord;
  /** The guest's tools must be running first (graceful shutdown). */
  readonly needsTools?: boolean;
  /**
   * Asks the guest, which takes its time whatever was answered, and whether or not a remote task
   * has ended well: nothing harder is sent before the time limit while it is still on.
   */
  readonly graceful?: boolean;
  /** Done when it is answered, where other words of the type begin a remote task. */
  readonly taskless?: boolean;
  readonly disrupts?: readonly Disruption[];
};

/** Words by state before and after. An interface that knows no such state has no row for it. */
export type PowerTable = {
  readonly [from in PowerState]?: { readonly [to in PowerState]?: readonly PowerWord[] };
};

/** The wait for the guest's tools: a verb without a request, and what a read then shows. */
export type ToolsWait = {
  readonly verb: string;
  readonly expect: readonly AttributeExpectation[];
};

/** How a resource type is powered. Only the type that owns the VM has one. */
export type PowerModel = {
  /** Attribute with the wanted power; unset means "leave it as it is". */
  readonly wanted: string;
  /** Computed attribute with the observed power state. */
  readonly observed: string;
  /** State of a VM just created. */
  readonly initial: PowerState;
  readonly table: PowerTable;
  /** Words before a delete, from each state (daemon: a hard off). */
  readonly beforeDelete: { readonly [from in PowerState]?: readonly PowerWord[] };
  /** Absent where no read tells whether the tools answer. */
  readonly toolsWait?: ToolsWait;
};

export function isPowerState(value: unknown): value is PowerState {
  return powerStates.some((state) => state === value);
}
