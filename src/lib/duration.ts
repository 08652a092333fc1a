/** Durations as people write them: a whole number and a unit, such as `90s`. */

const unitsMs: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `500ms`, `90s`, `2m` or `1h`; undefined for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+)(ms|s|m|h)$/.exec(text);
  const unitMs = unitsMs[match?.[2] ?? ""];
  if (match === null || unitMs === undefined) return undefined;
  const ms = Number(match[1]) * unitMs;
  return Number.isSafeInteger(ms) ? ms : undefined;
}
