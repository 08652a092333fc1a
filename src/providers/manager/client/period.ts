/** Periods as people write them: durations, with days and weeks besides. */

import { durationMaxMs, parseDurationMs } from "../../../lib/time/duration.ts";

const dayMs = 86_400_000;
const unitsMs: { readonly [unit: string]: number } = { d: dayMs, w: 7 * dayMs };

/** Milliseconds of `30d`, `2w` or a duration in smaller units; undefined for any other text. */
export function periodMs(text: string): number | undefined {
  const match = /^(\d+)([dw])$/.exec(text);
  const unitMs = unitsMs[match?.[2] ?? ""];
  const ms = unitMs === undefined ? parseDurationMs(text) : Number(match?.[1]) * unitMs;
  return ms !== undefined && ms > 0 ? Math.min(ms, durationMaxMs) : undefined;
}
