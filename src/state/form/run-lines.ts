/**
 * Records of runs as text: one line for each, the later of two with one id counts. A line that
 * cannot be read is passed over: history is worth having, and never worth stopping for.
 */

import { parseJson, stringifyJson } from "../../lib/json.ts";
import type { RunHead, RunRecord } from "../../model/recorded/run-record.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { StateFormatError } from "./format-error.ts";

/** Begins what is long of a record; quotes make it something else within any text. */
export const longPart = ',"operations":[';

/** Without an end of line; what is long stands last. */
export function encodeRun({ operations, changes, said, ...short }: RunRecord): string {
  return stringifyJson({ ...short, operations, changes, said });
}

/** Undefined where it is none. */
function decoded<T>(text: string, isOne: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = parseJson(text);
    return isOne(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The latest of each id, in the order in which they began. */
export function inOrder<T extends RunHead>(records: readonly T[]): readonly T[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  return [...byId.values()].toSorted((a, b) => a.position - b.position || a.beganMs - b.beganMs);
}

/** What is sealed of it stands nowhere else. */
const place = { what: "run" } as const;

/** As it is kept, without an end of line. */
export function sealRun(record: RunRecord, seal: Seal): string {
  return seal.seal(encodeRun(record), place);
}

/** Throws `StoreError` for a key that is missing. */
export function openRun(text: string, seal: Seal): RunRecord | undefined {
  const opened = openedOf(text, seal);
  return opened === undefined ? undefined : decoded(opened, isRunRecord);
}

/** As `openRun`, of a text that was written to its end, or of what stands before its long part. */
export function openRunHead(text: string, seal: Seal): RunHead | undefined {
  const opened = openedOf(text, seal);
  // Only a disk that lost its power puts zeros there.
  if (opened === undefined || opened.includes("\0")) return undefined;
  const at = opened.indexOf(longPart);
  return decoded(at === -1 ? opened : `${opened.slice(0, at)}}`, isRunHead);
}

function openedOf(text: string, seal: Seal): string | undefined {
  try {
    return seal.open(text, place);
  } catch (error) {
    if (error instanceof StateFormatError) return undefined;
    throw error;
  }
}

export function decodeRuns(text: string, seal: Seal): readonly RunRecord[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return inOrder(lines.flatMap((line) => openRun(line, seal) ?? []));
}

export function encodeRuns(records: readonly RunRecord[], seal: Seal): string {
  return records.map((record) => `${sealRun(record, seal)}\n`).join("");
}

/** The records with these among them, and without those that are dropped. */
export function withRuns(
  before: readonly RunRecord[],
  records: readonly RunRecord[],
  drop: readonly string[],
): readonly RunRecord[] {
  const dropped = new Set(drop);
  return inOrder([...before, ...records]).filter(({ id }) => !dropped.has(id));
}

/**
 * As many of the last as there is room for, characters of all together; of one that is larger than
 * a quarter of that, operations and changes are left out from the end, those that failed last.
 */
export function roomFor(records: readonly RunRecord[], lengthMax: number): readonly RunRecord[] {
  let room = lengthMax;
  const kept: RunRecord[] = [];
  for (const record of records.toReversed()) {
    const short = shortened(record, lengthMax / 4);
    room -= encodeRun(short).length;
    if (room < 0 && kept.length > 0) break;
    kept.unshift(short);
  }
  return kept;
}

function shortened(record: RunRecord, lengthMax: number): RunRecord {
  let [short, count] = [record, record.operations.length + record.changes.length];
  while (count > 0 && encodeRun(short).length > lengthMax) {
    count = Math.floor(count / 2);
    const failed = record.operations.filter(({ outcome }) => outcome !== "success");
    const others = record.operations.filter(({ outcome }) => outcome === "success");
    const operations = [...failed, ...others].slice(0, count);
    const changes = record.changes.slice(0, count - operations.length);
    const all = record.operations.length + record.changes.length;
    const leftOut = (record.leftOut ?? 0) + all - operations.length - changes.length;
    short = { ...record, operations, changes, leftOut };
  }
  return short;
}

function isRunRecord(value: unknown): value is RunRecord {
  if (typeof value !== "object" || value === null) return false;
  const { command, who, host, operations, changes, said } = value as Partial<RunRecord>;
  const texts = [command, who, host].every((text) => typeof text === "string");
  const lists = [operations, changes, said].every((list) => Array.isArray(list));
  return isRunHead(value) && texts && lists;
}

function isRunHead(value: unknown): value is RunHead {
  if (typeof value !== "object" || value === null) return false;
  const { id, beganMs, position } = value as Partial<RunHead>;
  return typeof id === "string" && [beganMs, position].every((one) => typeof one === "number");
}
