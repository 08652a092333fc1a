/** Snapshot and entries between rows and values. Throws `StoreError` for rows that are no such. */

import { JsonError, type JsonValue, parseJson, stringifyJson } from "../../lib/json.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal, SealedAt } from "../../model/recorded/seal.ts";
import { type StoredState, StoreError } from "../../model/recorded/store.ts";
import { isMap } from "../../model/value/value.ts";
import { decodeStateValue } from "../../state/form/encode.ts";
import { describeSchemaProblems, StateFormatError } from "../../state/form/format-error.ts";
import { decodeJournalEntry, isEntryNew } from "../../state/form/journal-lines.ts";
import {
  type EntrySeal,
  entrySeal,
  isStateNew,
  openState,
  sealState,
} from "../../state/form/sealed-text.ts";
import { checkState } from "../../state/form/state-schema.ts";
import { verifyState } from "../../state/integrity.ts";
import { compareObjects, objectKeyOf } from "../../state/working.ts";
import { describeProblems } from "../kit/problems.ts";
import { damagedRecords, otherVersion } from "./problems.ts";
import type { Row, Session } from "./session.ts";
import type { Statements } from "./statements.ts";

/** Objects by address and key. */
export type ObjectsByKey = ReadonlyMap<string, RecordedObject>;

/** Where rows are read, and how what is in them is sealed. */
export type Contents = {
  readonly statements: Statements;
  readonly location: string;
  readonly seal: Seal;
};

export type Found = Pick<StoredState, "journal"> & {
  readonly snapshot: RecordedState;
  readonly rowKeys: readonly string[];
  /** Something of it is not sealed as it would be now. */
  readonly isStale: boolean;
};

/** All of it as of one moment. Undefined when there is no snapshot yet. */
export async function readContents(
  session: Session,
  { statements, location, seal }: Contents,
  id: string,
): Promise<Found | undefined> {
  await session.query("begin transaction isolation level repeatable read read only");
  const [[head = null, position = null] = []] = await session.query(statements.head, [id]);
  const records = await session.query(statements.records, [id]);
  const entries = await session.query(statements.entries, [id, position ?? "0"]);
  await session.query("commit");
  if (head === null) return undefined;
  try {
    const { snapshot, isStale } = decodeSnapshot(head, records, seal);
    const problems = verifyState(snapshot);
    if (problems.length > 0) {
      throw damagedRecords(location, `contradicts itself: ${describeProblems(problems)}`);
    }
    const sealed = entrySeal(seal, snapshot);
    const journal = decodeEntries(entries, Number(position), sealed);
    const isOld = entries.some(([text]) => !isEntryNew(text ?? "", sealed));
    const rowKeys = records.map(([, key]) => key ?? "");
    return { snapshot, journal, rowKeys, isStale: isStale || isOld };
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
function decodeSnapshot(
  head: string,
  records: readonly Row[],
  seal: Seal,
): Pick<Found, "snapshot" | "isStale"> {
  const value = parseJson(openState(seal, head), { duplicateKeys: "error" });
  if (!isMap(value) || typeof value.lineage !== "string") {
    throw new StateFormatError("damaged", "has a malformed head");
  }
  const { lineage } = value;
  const objects = records.map(([text, key]) => {
    const opened = seal.open(text ?? "", rowPlace(lineage, key ?? ""));
    return parseJson(opened, { duplicateKeys: "error" });
  });
  if (value.objects !== objects.length) {
    const counted = `another count of objects than its head tells: ${objects.length}`;
    throw new StateFormatError("damaged", `has ${counted}`);
  }
  const state = decodeStateValue({ ...value, objects } satisfies JsonValue);
  const isNew = isStateNew(seal, head) && records.every(([text]) => seal.isNew(text ?? ""));
  const snapshot = { ...state, objects: state.objects.toSorted(compareObjects) };
  return { snapshot, isStale: !isNew };
}

function rowPlace(lineage: string, key: string): SealedAt {
  return { what: "object", lineage, key };
}

function decodeEntries(rows: readonly Row[], after: number, seal: EntrySeal) {
  return rows.map(([text, position], index) => {
    if (Number(position) !== after + 1 + index) {
      throw new StateFormatError("damaged", `has no entry at position ${after + 1 + index}`);
    }
    return decodeJournalEntry(text ?? "", Number(position), seal);
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
export function changeTo(state: RecordedState, before: ObjectsByKey, seal: Seal): Change {
  const after = byKey(state.objects);
  const changed = state.objects.filter((one) => {
    const old = before.get(objectKeyOf(one.address, one.objectKey));
    return old === undefined || (old !== one && encodeRecord(old) !== encodeRecord(one));
  });
  const problems = checkState({ ...state, objects: changed });
  if (problems.length > 0) throw new TypeError(`state: ${describeSchemaProblems(problems)}`);
  const gone = [...before].flatMap(([key, old]) => (after.has(key) ? [] : [rowKeyOf(old, seal)]));
  const head = stringifyJson({ ...state, objects: state.objects.length }, { sortKeys: true });
  const keys = changed.map((one) => rowKeyOf(one, seal));
  const { lineage } = state;
  return {
    head: sealState(seal, state, head),
    gone,
    keys,
    addresses: changed.map(({ address }) => (seal.writes === "plain" ? printable(address) : "")),
    records: changed.map((one, index) =>
      seal.seal(encodeRecord(one), rowPlace(lineage, keys[index] ?? "")),
    ),
  };
}

/** Every row anew; `rowKeys` are those that are there. */
export function wholeChange(state: RecordedState, rowKeys: readonly string[], seal: Seal): Change {
  const change = changeTo(state, new Map(), seal);
  const kept = new Set(change.keys);
  return { ...change, gone: rowKeys.filter((key) => !kept.has(key)) };
}

export function rowKeysOf(objects: ObjectsByKey, seal: Seal): readonly string[] {
  return [...objects.values()].map((one) => rowKeyOf(one, seal));
}

/**
 * A hash of address and key, by which a row of an object is known; with a key where it is sealed,
 * or addresses could be guessed.
 */
function rowKeyOf({ address, objectKey }: RecordedObject, seal: Seal): string {
  return seal.hide(JSON.stringify([address, objectKey]));
}

function encodeRecord(object: RecordedObject): string {
  return stringifyJson(object, { sortKeys: true });
}

/** For people who look at the table: PostgreSQL has no text with U+0000, nor half characters. */
function printable(text: string): string {
  return text.replaceAll(/\u0000|\p{Surrogate}/gu, "\uFFFD");
}
