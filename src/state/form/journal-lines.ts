/**
 * The journal as text: a header line, then one line for each batch of entries that was made durable
 * together. One line per batch, so that a write cut anywhere loses the batch as a whole, never a
 * part of it; nobody was told yet that it was durable. Each line begins with a checksum of what
 * follows.
 *
 * ```json
 * {"crc":"0c1b2a39","formatVersion":1,"journal":"5f0c…","base":12}
 * {"crc":"89abcdef","position":13,"count":2,"entries":[{"kind":"begin",…},{"kind":"begin",…}]}
 * ```
 *
 * `base` is the position before the first line, `position` that of the first entry of its line. A
 * sealed entry stands there as a text instead of an object.
 */

import { checksumText } from "../../lib/checksum.ts";
import { JsonError, parseJson, stringifyJson } from "../../lib/json.ts";
import { looksLikeUtf16 } from "../../lib/text.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import { textOfFile } from "./file-text.ts";
import { describeSchemaProblems, StateFormatError } from "./format-error.ts";
import type { EntrySeal } from "./sealed-text.ts";
import { checkJournalEntry } from "./state-schema.ts";

const journalFormatVersion = 1;

export type JournalHeader = { readonly id: string; readonly base: number };

/** A batch whose checksum is right and whose entries are not decoded yet. */
export type JournalBatch = {
  /** Position of the first entry. */
  readonly position: number;
  readonly count: number;
  /** The line without its end. */
  readonly line: string;
  readonly lineNumber: number;
};

export type JournalText = {
  readonly header: JournalHeader;
  readonly batches: readonly JournalBatch[];
  /** Position of the last entry; the base when there is none. */
  readonly position: number;
  /** Bytes up to the end of the last whole line. What follows was torn and must be cut. */
  readonly length: number;
};

/** The first line of a journal, with its line end. */
export function encodeJournalHeader({ id, base }: JournalHeader): string {
  return checkedLine(
    `"formatVersion":${journalFormatVersion},"journal":${JSON.stringify(id)},"base":${base}}`,
  );
}

/** One entry as it stands in a line. Throws `TypeError` when it is malformed. */
export function encodeJournalEntry(entry: JournalEntry): string {
  const problems = checkJournalEntry(entry);
  if (problems.length > 0) throw new TypeError(`entry: ${describeSchemaProblems(problems)}`);
  return stringifyJson(entry);
}

/** One entry as it stands alone. Throws `StateFormatError`, and what `seal` throws. */
export function decodeJournalEntry(text: string, position: number, seal: EntrySeal): JournalEntry {
  const entry = openEntry(parseEntry(text), position, seal);
  if (isJournalEntry(entry)) return entry;
  const problems = describeSchemaProblems(checkJournalEntry(entry));
  throw new StateFormatError("damaged", `has a malformed entry: ${problems}`);
}

/** Of an entry that stands alone and was decoded before. */
export function isEntryNew(text: string, seal: EntrySeal): boolean {
  return text.startsWith('"') ? seal.isNew(parseEntry(text)) : seal.isNew({});
}

function parseEntry(text: string): unknown {
  try {
    return parseJson(text, { duplicateKeys: "error" });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new StateFormatError("damaged", `has an entry that is not JSON: ${error.reason}`);
  }
}

function openEntry(written: unknown, position: number, seal: EntrySeal): unknown {
  if (typeof written === "string") return parseEntry(seal.open(written, position));
  seal.acceptPlain();
  return written;
}

/**
 * One line of a journal, with its line end. `position` is that of the first entry; the others
 * follow it.
 */
export function encodeJournalBatch(
  position: number,
  encoded: readonly string[],
  seal: EntrySeal,
): string {
  const head = `"position":${position},"count":${encoded.length}`;
  const entries = encoded.map((text, index) => seal.seal(text, position + index));
  return checkedLine(`${head},"entries":[${entries.join(",")}]}`);
}

/**
 * Reads the bytes of a journal file, header and checksums only. Tolerates one torn last line: no
 * line end, or a checksum that does not fit. Throws `StateFormatError` for any other damage, a torn
 * header included: a journal file is made with its header, in one rename.
 */
export function readJournal(bytes: Uint8Array): JournalText {
  // Single bytes may be damage of one line; another encoding is damage of all.
  if (looksLikeUtf16(bytes)) textOfFile(bytes);
  const { lines, whole } = splitLines(bytes);
  const [first, ...rest] = lines;
  if (first === undefined) {
    throw new StateFormatError("damaged", bytes.length === 0 ? "is empty" : "has no whole header");
  }
  const header = readHeader(first.text);
  const batches: JournalBatch[] = [];
  let { base: position } = header;
  let length = first.end;
  for (const [index, { text, end }] of rest.entries()) {
    const lineNumber = index + 2;
    const body = openLine(text);
    if (body === undefined) {
      // The last line may be torn, unless more follows it that is torn as well.
      if (index === rest.length - 1 && whole) break;
      throw new StateFormatError("damaged", `has a wrong checksum in line ${lineNumber}`);
    }
    const batch = readBatchHead(body, text, lineNumber);
    if (batch.position !== position + 1) {
      const found = `position ${batch.position} in line ${lineNumber}`;
      throw new StateFormatError("damaged", `has ${found} where ${position + 1} should stand`);
    }
    batches.push(batch);
    position += batch.count;
    length = end;
  }
  return { header, batches, position, length };
}

/**
 * Entries with positions beyond `after`, oldest first. Throws `StateFormatError`, and what `seal`
 * throws.
 */
export function decodeJournalEntries(
  batches: readonly JournalBatch[],
  after: number,
  seal: EntrySeal,
): readonly JournalEntry[] {
  return batches
    .filter(({ position, count }) => position + count - 1 > after)
    .flatMap((batch) => decodeBatch(batch, seal).slice(Math.max(0, after + 1 - batch.position)));
}

/** The same lines with every entry sealed as it would be now. Throws as `decodeJournalEntries`. */
export function sealedAnew(batches: readonly JournalBatch[], seal: EntrySeal): readonly string[] {
  return batches.map((batch) => {
    if (isSealedAsNow(batch, seal)) return `${batch.line}\n`;
    const { position } = batch;
    const texts = decodeBatch(batch, seal).map(encodeJournalEntry);
    return encodeJournalBatch(position, texts, seal);
  });
}

const entriesMark = '"entries":[';

/**
 * Of a batch whose checksum is right. It is not parsed again, since journals are long: one write
 * seals all of its entries or none, and a sealed one has neither quotes nor commas.
 */
export function isSealedAsNow({ line }: JournalBatch, seal: EntrySeal): boolean {
  const entries = line.slice(line.indexOf(entriesMark) + entriesMark.length, -"]}".length);
  if (!entries.startsWith('"')) return seal.isNew({});
  return entries.split(",").every((entry) => seal.isNew(entry.slice(1, -1)));
}

function decodeBatch(
  { line, lineNumber, position, count }: JournalBatch,
  seal: EntrySeal,
): readonly JournalEntry[] {
  const entries = parseEntries(line, lineNumber);
  if (entries.length !== count) {
    throw new StateFormatError("damaged", `has a wrong count of entries in line ${lineNumber}`);
  }
  return entries.map((written, index) => {
    const entry = openEntry(written, position + index, seal);
    if (isJournalEntry(entry)) return entry;
    const problems = describeSchemaProblems(checkJournalEntry(entry));
    throw new StateFormatError(
      "damaged",
      `has a malformed entry in line ${lineNumber}: ${problems}`,
    );
  });
}

function parseEntries(line: string, lineNumber: number): readonly unknown[] {
  try {
    const value: unknown = parseJson(line, { duplicateKeys: "error" });
    if (typeof value === "object" && value !== null && "entries" in value) {
      if (Array.isArray(value.entries)) return value.entries;
    }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new StateFormatError("damaged", `is not JSON in line ${lineNumber}: ${error.reason}`);
  }
  throw new StateFormatError("damaged", `has no entries in line ${lineNumber}`);
}

function isJournalEntry(value: unknown): value is JournalEntry {
  return checkJournalEntry(value).length === 0;
}

function readHeader(line: string): JournalHeader {
  const body = openLine(line);
  if (body === undefined) throw new StateFormatError("damaged", "has a damaged header");
  const match = /^"formatVersion":(\d+),"journal":("(?:[^"\\]|\\.)+"),"base":(\d+)\}$/.exec(body);
  const version = Number(/^"formatVersion":(\d+)/.exec(body)?.[1]);
  if (version > journalFormatVersion) {
    throw new StateFormatError("newer", `has format version ${version}, of a later vmform`);
  }
  const id: unknown = match === null ? undefined : parseJson(match[2] ?? "");
  if (match === null || typeof id !== "string") {
    throw new StateFormatError("damaged", "does not begin with the header of a journal");
  }
  return { id, base: Number(match[3]) };
}

function readBatchHead(body: string, line: string, lineNumber: number): JournalBatch {
  const match = /^"position":(\d+),"count":([1-9]\d*),"entries":\[/.exec(body);
  if (match === null) {
    throw new StateFormatError("damaged", `holds no batch of entries in line ${lineNumber}`);
  }
  return { position: Number(match[1]), count: Number(match[2]), line, lineNumber };
}

type Line = { readonly text: string; readonly end: number };

/** Whole lines with the byte offset behind each; `whole` when nothing stands after the last. */
function splitLines(bytes: Uint8Array): {
  readonly lines: readonly Line[];
  readonly whole: boolean;
} {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const lines: Line[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push({ text: decoder.decode(bytes.subarray(start, end)), end: end + 1 });
    start = end + 1;
  }
  return { lines, whole: start === bytes.length };
}

function checkedLine(body: string): string {
  return `{"crc":"${checksumText(body)}",${body}\n`;
}

/** What the checksum covers, or undefined when it does not fit. */
function openLine(line: string): string | undefined {
  const match = /^\{"crc":"([0-9a-f]{8})",/.exec(line);
  if (match === null) return undefined;
  const body = line.slice(match[0].length);
  return checksumText(body) === match[1] ? body : undefined;
}
