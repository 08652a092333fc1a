/**
 * How long the rest of an apply takes, by what the same work took before in it, else in earlier
 * runs. While a kind of work is to come that has not ended once, nobody knows.
 */

import type { Operation, OperationId } from "../../model/operation/operation.ts";
import { type Durations, durationKind, usualMs } from "../../model/plan/durations.ts";

/** How a run goes, times in milliseconds. */
export type RunSoFar = {
  readonly elapsedMs: number;
  /** How long each operation took that has ended. */
  readonly ended: ReadonlyMap<OperationId, number>;
  /** How long each of those that run has run. */
  readonly running: ReadonlyMap<OperationId, number>;
};

/** Milliseconds; undefined where nobody knows. */
export type Remaining = (run: RunSoFar) => number | undefined;

type Planned = Pick<Operation, "id" | "verb" | "subject" | "effect" | "order">;

export function remainingOf(
  operations: readonly Planned[],
  earlier: Durations = new Map(),
): Remaining {
  const kinds = new Map(operations.map((one) => [one.id, durationKind(one)]));
  const usual = new Map([...earlier].map(([kind, durations]) => [kind, usualMs(durations)]));
  // What only makes up for a failure is not counted on, and looking takes no time to speak of.
  const expected = operations.filter(
    ({ effect, order }) => effect.kind !== "wait" && order.fallbackFor === undefined,
  );
  return ({ elapsedMs, ended, running }) => {
    const means = meanByKind(kinds, ended);
    let workMs = 0;
    for (const { id } of expected) {
      if (ended.has(id)) continue;
      const kind = kinds.get(id) ?? "";
      const mean = means.get(kind) ?? usual.get(kind);
      if (mean === undefined) return undefined;
      workMs += Math.max(0, mean - (running.get(id) ?? 0));
    }
    const busyMs = sum(ended.values()) + sum(running.values());
    // As much goes on at once as has so far.
    return workMs / Math.max(1, elapsedMs === 0 ? 1 : busyMs / elapsedMs);
  };
}

function meanByKind(
  kinds: ReadonlyMap<OperationId, string>,
  ended: ReadonlyMap<OperationId, number>,
): ReadonlyMap<string, number> {
  const sums = new Map<string, { ms: number; count: number }>();
  for (const [id, ms] of ended) {
    const kind = kinds.get(id) ?? "";
    const known = sums.get(kind) ?? { ms: 0, count: 0 };
    sums.set(kind, { ms: known.ms + ms, count: known.count + 1 });
  }
  return new Map([...sums].map(([kind, { ms, count }]) => [kind, ms / count]));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
