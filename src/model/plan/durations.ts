/**
 * How long operations took in earlier runs, by kind. It is kept beside recorded state and is no
 * part of it: nothing depends on it, and whatever cannot be read of it counts as not known.
 */

import type { Operation } from "../operation/operation.ts";
import { isList, isMap, type Value } from "../value/value.ts";

/** Milliseconds of the latest successes of a kind, the last one last. Never empty. */
export type KindDurations = readonly number[];
/** By kind, see `durationKind`. */
export type Durations = ReadonlyMap<string, KindDurations>;

/** Successes of a kind that are kept. */
const keptMax = 20;
/** Below this, a plan takes no time that anybody would want to be told. */
const worthKeepingMs = 1000;

/** What takes about the same time each time: a verb on a type of a provider. */
export function durationKind({
  verb,
  subject: { type, provider },
}: Pick<Operation, "verb"> & {
  readonly subject: Pick<Operation["subject"], "type" | "provider">;
}): string {
  return `${provider} ${type} ${verb}`;
}

/** The median: one that was stuck, or had nothing to do, says little of the others. */
export function usualMs(durations: KindDurations): number {
  const sorted = durations.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[half - 1], sorted[half]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

export type Sample = { readonly kind: string; readonly ms: number };

/** Undefined where what was learned is not worth a file. */
export function learned(earlier: Durations, samples: readonly Sample[]): Durations | undefined {
  if (samples.length === 0) return undefined;
  if (earlier.size === 0 && samples.every(({ ms }) => ms < worthKeepingMs)) return undefined;
  const all = new Map(earlier);
  for (const { kind, ms } of samples) {
    all.set(kind, [...(all.get(kind) ?? []), Math.max(0, Math.round(ms))].slice(-keptMax));
  }
  return all;
}

const format = "vmform durations 1";

/** As the file has it. */
export function durationsValue(durations: Durations): Value {
  return { format, kinds: Object.fromEntries(durations) };
}

/** What can be understood of a file; nothing of one of another form. */
export function durationsOf(value: Value): Durations {
  const known = new Map<string, KindDurations>();
  if (!isMap(value) || value["format"] !== format) return known;
  const kinds = value["kinds"] ?? null;
  if (!isMap(kinds)) return known;
  for (const [kind, listed] of Object.entries(kinds)) {
    if (!isList(listed)) continue;
    const durations = listed.filter((one): one is number => isDuration(one)).slice(-keptMax);
    if (durations.length > 0) known.set(kind, durations);
  }
  return known;
}

function isDuration(value: Value): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
