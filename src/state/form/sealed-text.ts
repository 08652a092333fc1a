/**
 * Recorded state and journal entries with their contents sealed. What stores need to keep runs
 * apart stays readable: lineage, serial, journal and position.
 */

import { checksumText } from "../../lib/checksum.ts";
import { JsonError, type JsonValue, parseJson, stringifyJson } from "../../lib/json.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal, SealedAt } from "../../model/recorded/seal.ts";
import { isMap, type ValueMap } from "../../model/value/value.ts";
import { StateFormatError } from "./format-error.ts";

type Head = Pick<RecordedState, "lineage" | "serial" | "journal">;

/** Who opens the file is told what it is. */
const frameKind = "encrypted recorded state";
/** What a sealed text begins with. */
export const sealedMark = "vmform-sealed.";

/** The text of a state, or of all of one but its objects, as it is kept. */
export function sealState(seal: Seal, state: Head, text: string): string {
  if (seal.writes === "plain") return text;
  const { lineage, serial, journal } = state;
  const head = { vmform: frameKind, lineage, serial, journal };
  const sealed = seal.seal(text, placeOf(state));
  const checksum = checksumOf(state, sealed);
  return `${stringifyJson({ ...head, checksum, sealed }, { indent: 2 })}\n`;
}

/** The text that was sealed, or an unsealed one as it is. Throws as `Seal.open` does. */
export function openState(seal: Seal, text: string): string {
  const frame = frameIn(text);
  if (frame !== undefined) return seal.open(frame.sealed, placeOf(frame));
  try {
    seal.acceptPlain();
  } catch (error) {
    // What is no JSON is told by whoever reads it on.
    if (parsed(text) !== undefined) throw error;
  }
  return text;
}

/** Whether it is kept as it would be now; of a text that was opened before. */
export function isStateNew(seal: Seal, text: string): boolean {
  const frame = frameIn(text);
  return frame === undefined ? seal.writes === "plain" : seal.isNew(frame.sealed);
}

/** Parsing takes long where states are large, so it is not done for nothing. */
function frameIn(text: string): Frame | undefined {
  // Either may be what was damaged.
  const isLikely = text.includes(sealedMark) || text.includes(frameKind);
  const value = isLikely ? parsed(text) : undefined;
  return value === undefined ? undefined : frameOf(value);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text, { duplicateKeys: "error" });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return undefined;
  }
}

type Frame = Head & { readonly sealed: string };

/** Undefined of what is none. Throws `StateFormatError` for one that is damaged. */
function frameOf(value: JsonValue): Frame | undefined {
  if (!isMap(value)) return undefined;
  const isFrame = value.vmform === frameKind || Object.values(value).some(isSealedText);
  if (!isFrame) return undefined;
  const { sealed, checksum } = value;
  const head = headOf(value);
  if (head !== undefined && typeof sealed === "string" && checksum === checksumOf(head, sealed)) {
    return { ...head, sealed };
  }
  throw new StateFormatError("damaged", "is encrypted, and was cut or changed since");
}

function headOf({ lineage, serial, journal = null }: ValueMap): Head | undefined {
  const { id, position } = isMap(journal) ? journal : {};
  const isWhole =
    typeof lineage === "string" &&
    typeof serial === "number" &&
    typeof id === "string" &&
    typeof position === "number";
  return isWhole ? { lineage, serial, journal: { id, position } } : undefined;
}

function isSealedText(value: JsonValue): boolean {
  return typeof value === "string" && value.startsWith(sealedMark);
}

function placeOf({ lineage, serial, journal: { id, position } }: Head): SealedAt {
  return { what: "recorded state", lineage, serial, journal: id, position };
}

function checksumOf(head: Head, sealed: string): string {
  return checksumText(`${stringifyJson(placeOf(head))}${sealed}`);
}

/** Of the entries of one journal, by their positions. */
export type EntrySeal = {
  /** An entry as it stands in a line. */
  readonly seal: (text: string, position: number) => string;
  /** The text of what stands there as a text. */
  readonly open: (text: string, position: number) => string;
  readonly acceptPlain: () => void;
  /** Of what stands in a line and was opened before: an object, or a text. */
  readonly isNew: (entry: unknown) => boolean;
};

export function entrySeal(
  seal: Seal,
  { lineage, journal: { id: journal } }: Pick<RecordedState, "lineage" | "journal">,
): EntrySeal {
  const place = (position: number): SealedAt => ({
    what: "journal entry",
    ...{ lineage, journal, position },
  });
  return {
    seal: (text, position) =>
      seal.writes === "plain" ? text : JSON.stringify(seal.seal(text, place(position))),
    open: (text, position) => seal.open(text, place(position)),
    acceptPlain: seal.acceptPlain,
    isNew: (entry) => (typeof entry === "string" ? seal.isNew(entry) : seal.writes === "plain"),
  };
}
