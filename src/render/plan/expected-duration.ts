/** How long a plan takes, by how long such operations took in earlier runs. */

import { plural } from "../../lib/text.ts";
import type { Operation } from "../../model/operation/operation.ts";
import { type Durations, durationKind, usualMs } from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { type StyledLine, textLine } from "../text/styled-line.ts";
import { scheduleOf } from "./schedule.ts";

export type ExpectedWith = {
  readonly durations: Durations;
  /** How many operations go on at once in a pool; without a number: as many as there are. */
  readonly poolLimits: { readonly [pool: string]: number };
};

export type ExpectedDuration = {
  readonly ms: number;
  /** Earlier operations that tell it. */
  readonly samples: number;
  /** Some kinds of work were never seen to end: it takes longer. */
  readonly atLeast: boolean;
};

/** Undefined where nothing is known. */
export function expectedDuration(
  plan: Pick<Plan, "operations" | "joins">,
  { durations, poolLimits }: ExpectedWith,
): ExpectedDuration | undefined {
  const kinds = new Set<string>();
  let atLeast = false;
  const msOf = (operation: Operation): number => {
    const kind = durationKind(operation);
    const known = durations.get(kind);
    if (known === undefined) {
      // Looking takes no time to speak of.
      atLeast ||= operation.effect.kind !== "wait";
      return 0;
    }
    kinds.add(kind);
    return usualMs(known);
  };
  // What only makes up for a failure is not counted on.
  const expected = plan.operations.filter(
    ({ order: { fallbackFor, branch, after } }) =>
      fallbackFor === undefined &&
      branch?.when !== "kept" &&
      after.every(({ on }) => on !== "failure"),
  );
  const { endMs } = scheduleOf({ operations: expected, joins: plan.joins }, msOf);
  if (kinds.size === 0) return undefined;
  let samples = 0;
  for (const kind of kinds) samples += durations.get(kind)?.length ?? 0;
  return { ms: Math.max(endMs, inPoolsMs(expected, msOf, poolLimits)), samples, atLeast };
}

/** The time that the work in the busiest pool takes. */
function inPoolsMs(
  operations: readonly Operation[],
  msOf: (operation: Operation) => number,
  limits: ExpectedWith["poolLimits"],
): number {
  const sums = new Map<string, number>();
  for (const operation of operations) {
    for (const pool of operation.order.pools) {
      sums.set(pool, (sums.get(pool) ?? 0) + msOf(operation));
    }
  }
  return Math.max(0, ...[...sums].map(([pool, ms]) => ms / (limits[pool] ?? Infinity)));
}

/** A plan that takes less needs no word about it. */
const toldFromMs = 60_000;

export function expectedSection(plan: Plan, given: ExpectedWith | undefined): StyledLine[] {
  const expected = given === undefined ? undefined : expectedDuration(plan, given);
  if (expected === undefined || expected.ms < toldFromMs) return [];
  const { ms, samples, atLeast } = expected;
  const how = atLeast ? "at least" : "about";
  const but = atLeast ? "; of some of its work nothing is known" : "";
  const from = `from ${plural(samples, "earlier operation")}${but}`;
  return [textLine(`Expected to take ${how} ${aboutText(ms)} (${from}).`, undefined, 2)];
}

/** Minutes, and hours from two on. */
export function aboutText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}
