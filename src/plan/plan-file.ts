/** Saved plans: a text with a checksum, which only an unchanged plan of this format passes. */

import { createHash } from "node:crypto";
import { parseJson, stringifyJson } from "../lib/json.ts";
import type { Plan } from "../model/plan.ts";
import { isUnknown, type PlannedValue, unknown, type Value } from "../model/value.ts";

const magic = "vmform-plan";
/** Stands for an unknown value; no attribute can have this name. */
const unknownMark = "$unknown";

export class PlanFileError extends Error {}

/** Holds no secret: sensitive values cannot be in a plan. */
export function encodePlan(plan: Plan): string {
  const body = stringifyJson(mark(plan));
  return `${magic} 1 ${checksum(body)}\n${body}\n`;
}

/** Whether a text is, or was before it was damaged, a saved plan. */
export function isPlanText(text: string): boolean {
  return text.startsWith(`${magic} `);
}

/** Throws `PlanFileError` for anything that is not a whole, unchanged plan. */
export function decodePlan(text: string): Plan {
  const [head = "", body = "", ...rest] = text.split("\n");
  const [word, version, sum] = head.split(" ");
  if (word !== magic) throw new PlanFileError("it is not a plan saved by vmform");
  if (version !== "1")
    throw new PlanFileError(`its format ${version} is not known to this version`);
  if (checksum(body) !== sum || rest.join("\n") !== "") {
    throw new PlanFileError("it was cut or changed after it was saved");
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checksum proves it is ours
  return unmark(parseJson(body)) as unknown as Plan;
}

function checksum(body: string): string {
  return createHash("sha256").update(body).digest("hex");
}

/** A plan is plain data: values, lists and maps, with members that are left out where absent. */
function mark(value: unknown): Value {
  if (isUnknown(value)) return { [unknownMark]: true };
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (Array.isArray(value)) return value.map(mark);
  if (typeof value !== "object") throw new TypeError(`a plan holds no ${typeof value}`);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [name, mark(member)]));
}

function unmark(value: Value): PlannedValue {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(unmark);
  if (unknownMark in value) return unknown;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unmark(member)]));
}
