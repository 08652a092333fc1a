/**
 * What one expression may cost: size of its value, and time. Values grow by sharing (a list of
 * twice the same list), so sizes are counted as if everything was written out; each shared part is
 * looked at once.
 */

import { Script } from "node:vm";
import type { PlannedValue } from "../../model/value/value.ts";
import { textLengthMax } from "../functions/limits.ts";
import type { ExpressionProblem } from "./problem.ts";

/** Leaves, lists and maps of one value, and thousands of characters of its texts. */
const sizeMax = 1_000_000;
/** Far beyond what any sound expression takes, on any machine. */
const timeMaxMs = 10_000;

const sizes = new WeakMap<object, number>();

/** The problem of a value that is too large; undefined for every other. */
export function sizeProblem(value: PlannedValue): ExpressionProblem | undefined {
  if (typeof value === "string") return textProblem(value.length);
  if (sizeOf(value) <= sizeMax) return undefined;
  const message = `The value of this expression has more than ${sizeMax} parts.`;
  return { message, fix: "Make it of fewer parts; lists of lists grow by multiplying.", offset: 0 };
}

/** The problem of a text of so many characters. */
export function textProblem(length: number): ExpressionProblem | undefined {
  if (length <= textLengthMax) return undefined;
  const message = `The text of this expression has more than ${textLengthMax} characters.`;
  return { message, fix: "Make it shorter; texts that hold each other twice double.", offset: 0 };
}

/** Depth is bounded by the expression that made the value, and by the reader of configurations. */
function sizeOf(value: PlannedValue): number {
  if (typeof value === "string") return 1 + value.length / 1_000;
  if (value === null || typeof value !== "object") return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  for (const member of Object.values(value)) size += sizeOf(member);
  sizes.set(value, size);
  return size;
}

/** Thrown for an expression that took too long. */
export class ExpressionTimeout extends Error {}

/** Only these can run for long: they repeat, and a pattern may try the same text in many ways. */
const repeaters = [
  ...["map", "filter", "all", "exists", "exists_one", "bind", "range", "sort", "split", "product"],
  ...["matches", "find", "findAll", "captures", "replaceMatches", "cidrsubnets"],
  ...[String.raw`\w+decode`, String.raw`\w+encode`, String.raw`template\w+`],
];
const repeats = new RegExp(String.raw`\b(?:${repeaters.join("|")})\s*\(`);

const workName = "vmform.expressions.work";
const watched = new Script(`globalThis[Symbol.for("${workName}")]()`);

/** Ends work that takes too long by `ExpressionTimeout`. Only what may repeat is watched. */
export function withinTime<T>(source: string, work: () => T): T {
  if (!repeats.test(source)) return work();
  const key = Symbol.for(workName);
  const place = globalThis as { [name: symbol]: unknown };
  let result: { readonly value: T } | undefined;
  place[key] = () => {
    result = { value: work() };
  };
  try {
    watched.runInThisContext({ timeout: timeMaxMs });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === timeoutCode) {
      throw new ExpressionTimeout("the expression takes too long");
    }
    throw error;
  } finally {
    delete place[key];
  }
  if (result === undefined) throw new Error("the work did not end");
  return result.value;
}

const timeoutCode = "ERR_SCRIPT_EXECUTION_TIMEOUT";

export const timeProblem: ExpressionProblem = {
  message: `This expression takes longer than ${timeMaxMs / 1000} s.`,
  fix: "Repeat less within it; a pattern must not repeat what repeats, as (a+)+ does.",
  offset: 0,
};
