/**
 * The head of a mirror: a small file that tells of which store it is, as of when, and whether
 * something was applied from it that the store does not have yet. Nothing in it is secret.
 */

import { checksumText } from "../../lib/checksum.ts";
import { JsonError, parseJson, stringifyJson } from "../../lib/json.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { isMap, type ValueMap } from "../../model/value/value.ts";
import { StateFormatError } from "../../state/form/format-error.ts";

/** One moment of a history: with all of it equal, what is recorded is equal. */
export type Tip = Pick<RecordedState, "lineage" | "serial" | "journal"> & {
  /** It is a copy that nobody goes on with. */
  readonly isHandedOver: boolean;
};

/** Something was applied from the mirror: its entries after `base` are in no store yet. */
export type Fork = {
  readonly base: Tip;
  readonly sinceMs: number;
  readonly who: string;
  readonly host: string;
};

export type MirrorHead = {
  /** Where the store is, for people. */
  readonly of: string;
  /** When the store was last known to hold just this. */
  readonly asOfMs: number;
  /** What the files hold. Absent while a run writes, and after one that was killed. */
  readonly tip?: Tip;
  /** Of the snapshot's file. */
  readonly snapshot: { readonly serial: number; readonly position: number; readonly bytes: number };
  /** So many bytes of the journal belong to it. */
  readonly journalBytes: number;
  /** A text sealed as the files are: it tells when keys have changed. Empty: unencrypted. */
  readonly sealed: string;
  readonly fork?: Fork;
};

const kind = "head of a mirror";
const formatVersion = 1;

export function tipOf({ lineage, serial, journal, handover }: RecordedState): Tip {
  return { lineage, serial, journal, isHandedOver: handover !== undefined };
}

export function isSameTip(left: Tip | undefined, right: Tip): boolean {
  return left !== undefined && stringifyTip(left) === stringifyTip(right);
}

function stringifyTip({ lineage, serial, journal, isHandedOver }: Tip): string {
  return JSON.stringify([lineage, serial, journal.id, journal.position, isHandedOver]);
}

export function encodeHead(head: MirrorHead): Uint8Array {
  const { of, asOfMs, snapshot, journalBytes, sealed, tip, fork } = head;
  const content: ValueMap = {
    ...{ vmform: kind, formatVersion, of, asOfMs },
    ...(tip === undefined ? {} : { tip: tipValue(tip) }),
    ...{ snapshot: { ...snapshot }, journalBytes, sealed },
    ...(fork === undefined ? {} : { fork: { ...fork, base: tipValue(fork.base) } }),
  };
  const checksum = checksumText(stringifyJson(content, { sortKeys: true }));
  return new TextEncoder().encode(`${stringifyJson({ ...content, checksum }, { indent: 2 })}\n`);
}

function tipValue({ lineage, serial, journal, isHandedOver }: Tip): ValueMap {
  return { lineage, serial, journal: { ...journal }, isHandedOver };
}

/** Throws `StateFormatError`. */
export function decodeHead(bytes: Uint8Array): MirrorHead {
  const { checksum, ...content } = parsedMap(bytes);
  if (content.vmform !== kind) throw new StateFormatError("damaged", "is no head of a mirror");
  if (typeof content.formatVersion === "number" && content.formatVersion > formatVersion) {
    throw new StateFormatError("newer", `has the format ${content.formatVersion}`);
  }
  if (checksum !== checksumText(stringifyJson(content, { sortKeys: true }))) {
    throw new StateFormatError("damaged", "was cut or changed since");
  }
  // What has its checksum is as it was encoded above.
  return content as unknown as MirrorHead;
}

function parsedMap(bytes: Uint8Array): ValueMap {
  if (bytes.length === 0) throw new StateFormatError("damaged", "is empty");
  try {
    const value = parseJson(new TextDecoder().decode(bytes), { duplicateKeys: "error" });
    if (isMap(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  throw new StateFormatError("damaged", "is no JSON object");
}
