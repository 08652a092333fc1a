/**
 * Saved plans: a text with a checksum, which a plan passes that was not changed by accident. One
 * that was changed on purpose is held against the shape of a plan, and against what holds in every
 * plan.
 */

import { createHash } from "node:crypto";
import { JsonError, parseJson, stringifyJson } from "../lib/json.ts";
import type { Plan } from "../model/plan/plan.ts";
import { isUnknown, type PlannedValue, unknown, type Value } from "../model/value/value.ts";
import { textOfFile } from "../state/file-text.ts";
import { describeSchemaProblems, StateFormatError } from "../state/format-error.ts";
import { checkSavedPlan } from "../state/plan-schema.ts";
import { verifyPlan } from "./plan-integrity.ts";

const magic = "vmform-plan";
/** Stands for an unknown value; no attribute can have this name. */
const unknownMark = "$unknown";

/** Its message completes "the file …", as in "was cut". */
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
export function decodePlan(bytes: Uint8Array): Plan {
  const text = read(() => textOfFile(bytes));
  const [head = "", body = "", ...rest] = text.split("\n");
  const [word, version, sum] = head.split(" ");
  if (word !== magic) throw new PlanFileError("is not a plan saved by vmform");
  if (version !== "1")
    throw new PlanFileError(`has format ${version}, which this version does not know`);
  if (checksum(body) !== sum || rest.join("\n") !== "") {
    throw new PlanFileError("was cut or changed after it was saved");
  }
  const value = read(() => parseJson(body, { duplicateKeys: "error" }));
  const problems = checkSavedPlan(value);
  if (problems.length > 0) {
    throw new PlanFileError(`holds no plan: ${describeSchemaProblems(problems)}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is that of a plan
  const plan = unmark(value) as unknown as Plan;
  const [wrong] = verifyPlan(plan);
  if (wrong !== undefined) throw new PlanFileError(`contradicts itself: ${wrong}`);
  return plan;
}

function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StateFormatError) throw new PlanFileError(error.message);
    if (error instanceof JsonError) throw new PlanFileError(`is not JSON: ${error.reason}`);
    throw error;
  }
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
