/** Durations as people write them: a whole number and a unit, such as `90s`. */

const unitsMs: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Three thousand years: what is longer is as good as this, and dates can still be made with it. */
export const durationMaxMs = 1e14;

/** Milliseconds of `500ms`, `90s`, `2m` or `1h`; undefined for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+)(ms|s|m|h)$/.exec(text);
  const unitMs = unitsMs[match?.[2] ?? ""];
  if (match === null || unitMs === undefined) return undefined;
  return Math.min(Number(match[1]) * unitMs, durationMaxMs);
}
