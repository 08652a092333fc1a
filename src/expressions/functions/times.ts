/** Time as texts of RFC 3339. The library's own `timestamp(text)` and `duration(text)` compute. */

import { functionContext } from "./function-context.ts";
import { type FunctionEntry, failure } from "./function-entry.ts";

export const timeFunctions: readonly FunctionEntry[] = [
  {
    name: "timestamp",
    group: "Time",
    form: "timestamp()",
    sentence:
      "The time of the plan as a text: one value for all places of a plan, which is kept in a " +
      "saved plan, so that its apply uses the same. Each plan has another one.",
    examples: [{ expression: "timestamp()", value: '"2026-03-01T12:00:00Z"' }],
    overloads: {
      "timestamp(): string": () => {
        const { time } = functionContext();
        if (time === undefined)
          throw failure("there is no time of a plan here; a template is handed what it needs");
        return time;
      },
    },
  },
  {
    name: "timeadd",
    group: "Time",
    form: "timeadd(time, duration)",
    sentence: "A time so much later, such as `90m` or `-24h`.",
    examples: [
      { expression: 'timeadd("2026-03-01T12:00:00Z", "36h")', value: '"2026-03-03T00:00:00Z"' },
    ],
    overloads: { "timeadd(string, string): string": later },
  },
  {
    name: "formatdate",
    group: "Time",
    form: "formatdate(pattern, time)",
    sentence:
      "A time in UTC by a pattern: YYYY, MM (M, MMM, MMMM), DD (D), EEE (EEEE), hh (h), mm (m), " +
      "ss (s); letters within '…' stand as they are.",
    examples: [
      { expression: 'formatdate("YYYY-MM-DD", "2026-03-01T12:00:00Z")', value: '"2026-03-01"' },
      {
        expression: `formatdate("D MMM 'at' hh:mm", "2026-03-01T12:00:00Z")`,
        value: '"1 Mar at 12:00"',
      },
    ],
    overloads: { "formatdate(string, string): string": formatted },
  },
];

const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[-+]\d{2}:\d{2})$/;

function timeOf(name: string, text: string): Date {
  const date = new Date(timePattern.test(text) ? text : Number.NaN);
  if (!Number.isNaN(date.getTime())) return date;
  throw failure(`${name} takes a time such as 2026-03-01T12:00:00Z`);
}

const unitsMs: { readonly [unit: string]: number } = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const partPattern = /(\d{1,15}(?:\.\d{1,9})?)(ms|h|m|s)/g;

function later(time: string, duration: string): string {
  const start = timeOf("timeadd()", time).getTime();
  const [, sign, parts = ""] =
    /^([-+]?)((?:\d{1,15}(?:\.\d{1,9})?(?:ms|h|m|s)){1,8})$/.exec(duration) ?? [];
  if (parts === "") throw failure("timeadd() takes a duration such as 90m or 1h30m");
  let ms = 0;
  for (const [, count, unit] of parts.matchAll(partPattern)) {
    ms += Number(count) * (unitsMs[unit ?? ""] ?? 0);
  }
  const end = new Date(start + (sign === "-" ? -ms : ms));
  const year = end.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9_999) {
    throw failure("the result of timeadd() is no year from 0 to 9999");
  }
  return end.toISOString().replace(/\.000Z$/, "Z");
}

const months =
  "January February March April May June July August September October November December".split(
    " ",
  );
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

function formatted(pattern: string, time: string): string {
  const date = timeOf("formatdate()", time);
  return pattern.replaceAll(
    /'((?:[^']|'')*)'|([A-Za-z])\2*/g,
    (all, literal: string | undefined) =>
      literal === undefined ? datePart(all, date) : literal.replaceAll("''", "'"),
  );
}

function datePart(verb: string, date: Date): string {
  const month = months[date.getUTCMonth()] ?? "";
  const day = days[date.getUTCDay()] ?? "";
  const two = (value: number): string => String(value).padStart(2, "0");
  const parts: { readonly [verb: string]: string } = {
    YYYY: String(date.getUTCFullYear()).padStart(4, "0"),
    YY: two(date.getUTCFullYear() % 100),
    MMMM: month,
    MMM: month.slice(0, 3),
    MM: two(date.getUTCMonth() + 1),
    M: String(date.getUTCMonth() + 1),
    DD: two(date.getUTCDate()),
    D: String(date.getUTCDate()),
    EEEE: day,
    EEE: day.slice(0, 3),
    hh: two(date.getUTCHours()),
    h: String(date.getUTCHours()),
    mm: two(date.getUTCMinutes()),
    m: String(date.getUTCMinutes()),
    ss: two(date.getUTCSeconds()),
    s: String(date.getUTCSeconds()),
    Z: "Z",
  };
  const part = Object.hasOwn(parts, verb) ? parts[verb] : undefined;
  if (part !== undefined) return part;
  throw failure(`formatdate() has no ${verb}; letters as they are stand within '…'`);
}
