/**
 * Saved plans: a text with a checksum, which a plan passes that was not changed by accident. One
 * that was changed on purpose is held against the shape of a plan, and against what holds in every
 * plan.
 */

import { createHash } from "node:crypto";
import { JsonError, parseJson, stringifyJson } from "../lib/json.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { Seal, SealedAt } from "../model/recorded/seal.ts";
import { isUnknown, type PlannedValue, unknown, type Value } from "../model/value/value.ts";
import { textOfFile } from "../state/form/file-text.ts";
import { describeSchemaProblems, StateFormatError } from "../state/form/format-error.ts";
import { checkSavedPlan } from "../state/form/plan-schema.ts";
import { sealedMark } from "../state/form/sealed-text.ts";
import { verifyPlan } from "./plan-integrity.ts";

const magic = "vmform-plan";
/** Stands for an unknown value; no attribute can have this name. */
const unknownMark = "$unknown";

/** Its message completes "the file …", as in "was cut". */
export class PlanFileError extends Error {}

/** Stands in the place of the version where the rest is sealed. */
const sealedWord = "sealed";
const sealedPlan: SealedAt = { what: "saved plan" };

/** Holds no secret: sensitive values cannot be in a plan. Names are in it, unless it is sealed. */
export function encodePlan(plan: Plan, seal: Seal): string {
  const body = stringifyJson(mark(plan));
  const text = `${magic} 1 ${checksum(body)}\n${body}\n`;
  if (seal.writes === "plain") return text;
  return `${magic} ${sealedWord}\n${seal.seal(text, sealedPlan)}\n`;
}

/** What names a saved plan where consent to it is given: sha256 of its text, as hex. */
export function savedPlanSum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** As people type it: a beginning that is no other plan's by accident. */
export function shortPlanSum(sum: string): string {
  return sum.slice(0, shortSumLength);
}

const shortSumLength = 12;

/** Whether a text is, or was before it was damaged, a saved plan. */
export function isPlanText(text: string): boolean {
  return text.startsWith(`${magic} `);
}

/** Whether it can be read only with the key that it was saved with. */
export function isSealedPlan(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, 30)).startsWith(`${magic} ${sealedWord}`);
}

/**
 * Throws `PlanFileError` for anything that is not a whole, unchanged plan, and what `seal` throws.
 * Without a seal, a plan that is not sealed is read whatever is configured.
 */
export function decodePlan(bytes: Uint8Array, seal: Seal | undefined): Plan {
  const text = read(() => opened(textOfFile(bytes), seal));
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

function opened(text: string, seal: Seal | undefined): string {
  const [head, sealed = "", ...rest] = text.split("\n");
  if (head !== `${magic} ${sealedWord}`) {
    seal?.acceptPlain();
    return text;
  }
  if (seal === undefined) throw new Error("a sealed plan is opened without a seal");
  if (!sealed.startsWith(sealedMark) || rest.join("\n") !== "") {
    throw new PlanFileError("was cut or changed after it was saved");
  }
  return seal.open(sealed, sealedPlan);
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
