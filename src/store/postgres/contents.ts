/** Snapshot and entries between rows and values. Throws `StoreError` for rows that are no such. */

import { JsonError, type JsonValue, parseJson, stringifyJson } from "../../lib/json.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import { type StoredState, StoreError } from "../../model/recorded/store.ts";
import { decodeStateValue } from "../../state/encode.ts";
import { describeSchemaProblems, StateFormatError } from "../../state/format-error.ts";
import { verifyState } from "../../state/integrity.ts";
import { decodeJournalEntry } from "../../state/journal-lines.ts";
import { checkState } from "../../state/state-schema.ts";
import { compareObjects, objectKeyOf } from "../../state/working.ts";
import { describeProblems } from "../kit/problems.ts";
import { damagedRecords, otherVersion } from "./problems.ts";
import type { Row, Session } from "./session.ts";
import { rowKeyOf, type Statements } from "./statements.ts";

/** Objects by address and key. */
export type ObjectsByKey = ReadonlyMap<string, RecordedObject>;

/** All of it as of one moment. Undefined when there is no snapshot yet. */
export async function readContents(
  session: Session,
  statements: Statements,
  id: string,
  location: string,
): Promise<StoredState | undefined> {
  await session.query("begin transaction isolation level repeatable read read only");
  const [[head = null, position = null] = []] = await session.query(statements.head, [id]);
  const records = await session.query(statements.records, [id]);
  const entries = await session.query(statements.entries, [id, position ?? "0"]);
  await session.query("commit");
  if (head === null) return undefined;
  try {
    const snapshot = decodeSnapshot(head, records);
    const problems = verifyState(snapshot);
    if (problems.length > 0) {
      throw damagedRecords(location, `contradicts itself: ${describeProblems(problems)}`);
    }
    return { snapshot, journal: decodeEntries(entries, Number(position)) };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (!(error instanceof StateFormatError || error instanceof JsonError)) throw error;
    if (error instanceof StateFormatError && error.problem === "newer") {
      throw otherVersion(location, error.message, error);
    }
    const what = error instanceof JsonError ? `is not JSON: ${error.reason}` : error.message;
    throw damagedRecords(location, what);
  }
}

/** The head counts the objects, so that a row that was lost is missed. */
function decodeSnapshot(head: string, records: readonly Row[]): RecordedState {
  const value = parseJson(head, { duplicateKeys: "error" });
  if (!isMap(value)) {
    throw new StateFormatError("damaged", "has a malformed head");
  }
  const objects = records.map(([text]) => parseJson(text ?? "", { duplicateKeys: "error" }));
  if (value.objects !== objects.length) {
    const counted = `another count of objects than its head tells: ${objects.length}`;
    throw new StateFormatError("damaged", `has ${counted}`);
  }
  const state = decodeStateValue({ ...value, objects } satisfies JsonValue);
  return { ...state, objects: state.objects.toSorted(compareObjects) };
}

export function isMap(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function decodeEntries(rows: readonly Row[], after: number) {
  return rows.map(([text, position], index) => {
    if (Number(position) !== after + 1 + index) {
      throw new StateFormatError("damaged", `has no entry at position ${after + 1 + index}`);
    }
    return decodeJournalEntry(text ?? "");
  });
}

export function byKey(objects: readonly RecordedObject[]): Map<string, RecordedObject> {
  return new Map(objects.map((one) => [objectKeyOf(one.address, one.objectKey), one]));
}

/** What a snapshot changes of the rows of the one before; values of the statement that does it. */
export type Change = {
  readonly head: string;
  readonly gone: readonly string[];
  readonly keys: readonly string[];
  readonly addresses: readonly string[];
  readonly records: readonly string[];
};

/**
 * What is not the same object as before is encoded, the rest is not looked at. Throws `TypeError`
 * for what could not be read again.
 */
export function changeTo(state: RecordedState, before: ObjectsByKey): Change {
  const after = byKey(state.objects);
  const changed = state.objects.filter((one) => {
    const old = before.get(objectKeyOf(one.address, one.objectKey));
    return old === undefined || (old !== one && encodeRecord(old) !== encodeRecord(one));
  });
  const problems = checkState({ ...state, objects: changed });
  if (problems.length > 0) throw new TypeError(`state: ${describeSchemaProblems(problems)}`);
  const gone = [...before].flatMap(([key, old]) => (after.has(key) ? [] : [rowKeyOf(old)]));
  return {
    head: stringifyJson({ ...state, objects: state.objects.length }, { sortKeys: true }),
    gone,
    keys: changed.map(rowKeyOf),
    addresses: changed.map(({ address }) => printable(address)),
    records: changed.map(encodeRecord),
  };
}

function encodeRecord(object: RecordedObject): string {
  return stringifyJson(object, { sortKeys: true });
}

/** For people who look at the table: PostgreSQL has no text with U+0000, nor half characters. */
function printable(text: string): string {
  return text.replaceAll(/\u0000|\p{Surrogate}/gu, "\uFFFD");
}
