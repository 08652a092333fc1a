/**
 * Recorded state as text, and back. Both directions check the schema: what could not be read again
 * is not written. Equal states give equal bytes.
 */

import { JsonError, type JsonValue, parseJson, stringifyJson } from "../../lib/json.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { describeSchemaProblems, StateFormatError } from "./format-error.ts";
import { checkState } from "./state-schema.ts";
import { upgradeState } from "./upgrade.ts";

/** The text of a state file, members sorted. Throws `TypeError` for a state that is malformed. */
export function encodeState(state: RecordedState): string {
  const problems = checkState(state);
  if (problems.length > 0) throw new TypeError(`state: ${describeSchemaProblems(problems)}`);
  return `${stringifyJson(state, { indent: 2, sortKeys: true })}\n`;
}

/** The same on one line, for where nobody reads it. */
export function encodeStateLine(state: RecordedState): string {
  const problems = checkState(state);
  if (problems.length > 0) throw new TypeError(`state: ${describeSchemaProblems(problems)}`);
  return stringifyJson(state, { sortKeys: true });
}

/**
 * The recorded state of a text, of this or an older format version. Throws `StateFormatError`. Says
 * nothing of integrity: that is `verifyState`.
 */
export function decodeState(text: string): RecordedState {
  return decodeStateValue(parseState(text));
}

/** The same of what a text was parsed to. */
export function decodeStateValue(parsed: JsonValue): RecordedState {
  const value = upgradeState(parsed);
  if (isRecordedState(value)) return value;
  throw new StateFormatError(
    "damaged",
    `is malformed: ${describeSchemaProblems(checkState(value))}`,
  );
}

function parseState(text: string): JsonValue {
  if (text.trim() === "") throw new StateFormatError("damaged", "is empty");
  try {
    return parseJson(text, { duplicateKeys: "error" });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = `line ${error.line}, column ${error.column}`;
    throw new StateFormatError("damaged", `is not JSON (${place}: ${error.reason})`);
  }
}

function isRecordedState(value: unknown): value is RecordedState {
  return checkState(value).length === 0;
}
