/** Times of a file of tests. */

import type { ConfigValue } from "../read/value.ts";
import type { Report } from "../report.ts";
import type { Placed } from "./tests.ts";

/** The schema has seen to the form; the calendar says whether there is such a time. */
export function instantMs(
  member: ConfigValue | undefined,
  report: Report,
): Placed<number> | undefined {
  if (member?.kind !== "constant" || typeof member.value !== "string") return undefined;
  const { value: text, place } = member;
  const ms = Date.parse(text);
  const day = Number(text.slice(8, 10));
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0));
  if (!Number.isNaN(ms) && day >= 1 && day <= days.getUTCDate()) return { value: ms, place };
  const detail = `The calendar and the clock know no ${text}.`;
  report.add("CFG114", { detail, fix: "Write it as 2026-01-05T08:00:00Z.", place });
  return undefined;
}

const unitsMs: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Undefined where nothing is said. */
export function passingMs(member: ConfigValue | undefined): number | undefined {
  if (member?.kind !== "constant" || typeof member.value !== "string") return undefined;
  const [, count = "0", unit = "ms"] = /^(\d+)(ms|s|m|h|d)$/.exec(member.value) ?? [];
  return Number(count) * (unitsMs[unit] ?? 0);
}
