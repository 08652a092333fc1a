/**
 * The document that a server of Terraform's http protocol keeps for us: snapshot and journal as
 * texts, so that a server that writes JSON anew changes nothing of them, in the frame of a state
 * file of Terraform, which Gitea insists on: version 4 with serial, lineage, resources, outputs.
 *
 * Its one resource is of a mode that Terraform does not know, so Terraform says that it cannot use
 * the file. Without it Terraform would take it for an empty state, and write over it.
 */

import { checksumText } from "../../lib/checksum.ts";
import { JsonError, parseJson, stringifyJson } from "../../lib/json.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { decodeState } from "../../state/form/encode.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import {
  decodeJournalEntries,
  encodeJournalHeader,
  isSealedAsNow,
  type JournalText,
  readJournal,
  sealedAnew,
} from "../../state/form/journal-lines.ts";
import { entrySeal, isStateNew, openState } from "../../state/form/sealed-text.ts";

const formatVersion = 1;

export type StateDocument = {
  /** Counts the writes. A server keeps each as a version, and refuses one that it has. */
  readonly serial: number;
  readonly lineage: string;
  /** Of this write alone: by it a write is known whose reply was lost. */
  readonly write: string;
  /** Text of the state; undefined before the first. */
  readonly snapshot: string | undefined;
  /** Lines of the journal; undefined before the first entry. */
  readonly journal: string | undefined;
  /** Lines of records of runs. */
  readonly runs?: string;
  /** The lock of a run that has written entries and not ended. */
  readonly holder?: { readonly id: string; readonly sinceMs: number };
  /** Whether the server refused a write with another lock, where that was tried. */
  readonly fences?: boolean;
};

/** In the place of one, before the first write. */
export const noDocument: StateDocument = {
  serial: 0,
  lineage: "",
  write: "",
  snapshot: undefined,
  journal: undefined,
};

/** What stands at the address is not ours. */
export class ForeignDocument extends Error {
  constructor(what: string) {
    super(what);
    this.name = "ForeignDocument";
  }
}

export function encodeDocument(document: StateDocument): string {
  const { serial, lineage, write, snapshot = null, journal = null } = document;
  const { runs, holder, fences } = document;
  return stringifyJson({
    version: 4,
    terraform_version: "1.0.0",
    serial,
    lineage,
    outputs: {},
    resources: [{ mode: "kept by vmform", type: "not of Terraform", name: "see vmform state" }],
    vmform: {
      format: formatVersion,
      write,
      ...(runs === undefined ? {} : { runs }),
      ...(holder === undefined ? {} : { holder }),
      ...(fences === undefined ? {} : { fences }),
      checksum: checksumOf(snapshot, journal),
      snapshot,
      journal,
    },
  });
}

/** Throws `ForeignDocument`, and `StateFormatError` for one of ours that cannot be used. */
export function decodeDocument(text: string): StateDocument {
  const { serial, lineage, vmform, version, terraform_version: by } = frameOf(text);
  if (!isRecord(vmform)) {
    const known = typeof version === "number" && typeof serial === "number";
    const what = known ? "a state of Terraform" : "JSON of something else";
    const tool = typeof by === "string" ? ` (of version ${by.slice(0, 30)})` : "";
    throw new ForeignDocument(`${what}${known ? tool : ""}`);
  }
  const { format, write, snapshot, journal, runs, holder, fences, checksum } = vmform;
  if (typeof format === "number" && format > formatVersion) {
    throw new StateFormatError("newer", `has format version ${format}, of a later vmform`);
  }
  if (
    format !== formatVersion ||
    !Number.isSafeInteger(serial) ||
    typeof serial !== "number" ||
    typeof lineage !== "string" ||
    typeof write !== "string" ||
    !isTextOrNull(snapshot) ||
    !isTextOrNull(journal)
  ) {
    throw new StateFormatError("damaged", "lacks what each document of vmform has");
  }
  if (checksum !== checksumOf(snapshot, journal)) {
    throw new StateFormatError("damaged", "has a wrong checksum");
  }
  return {
    serial,
    lineage,
    write,
    snapshot: snapshot ?? undefined,
    journal: journal ?? undefined,
    ...(typeof runs === "string" ? { runs } : {}),
    ...holderOf(holder),
    ...(typeof fences === "boolean" ? { fences } : {}),
  };
}

function holderOf(value: unknown): Pick<StateDocument, "holder"> {
  if (!isRecord(value)) return {};
  const { id, sinceMs } = value;
  if (typeof id !== "string" || typeof sinceMs !== "number") return {};
  return { holder: { id, sinceMs } };
}

function frameOf(text: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = parseJson(text, { duplicateKeys: "error" });
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ForeignDocument(`something that is not JSON (${error.reason})`);
  }
  throw new ForeignDocument("JSON of something else");
}

function checksumOf(snapshot: string | null, journal: string | null): string {
  return checksumText(`${snapshot ?? ""}\0${journal ?? ""}`);
}

export type DocumentContents = {
  readonly snapshot: RecordedState | undefined;
  /** Entries after the snapshot, oldest first. */
  readonly entries: readonly JournalEntry[];
  readonly journal: JournalText | undefined;
  /** Of the last entry. */
  readonly position: number;
  /** Something of it is not sealed as it would be now. */
  readonly isStale: boolean;
};

/** Throws `StateFormatError`, and what `seal` throws. */
export function contentsOf(
  { snapshot: text, journal: lines }: StateDocument,
  seal: Seal,
): DocumentContents {
  if (text === undefined) {
    if (lines === undefined) return empty;
    throw new StateFormatError("damaged", "has a journal and no snapshot");
  }
  const snapshot = decodeState(openState(seal, text));
  const isOld = !isStateNew(seal, text);
  const { id, position: contained } = snapshot.journal;
  if (lines === undefined) {
    return { snapshot, entries: [], journal: undefined, position: contained, isStale: isOld };
  }
  const bytes = new TextEncoder().encode(lines);
  const journal = readJournal(bytes);
  // What is replaced as a whole is never torn.
  const { id: journalId, base } = journal.header;
  if (journal.length !== bytes.length || journalId !== id || base > contained) {
    throw new StateFormatError("damaged", "has a journal that does not belong to its snapshot");
  }
  const sealed = entrySeal(seal, snapshot);
  const entries = decodeJournalEntries(journal.batches, contained, sealed);
  const isStale = isOld || !journal.batches.every((batch) => isSealedAsNow(batch, sealed));
  const { position } = journal;
  // One that ends before its snapshot has nothing to say, and could not be continued.
  if (position < contained) {
    return { snapshot, entries, journal: undefined, position: contained, isStale };
  }
  return { snapshot, entries, journal, position, isStale };
}

/** Of an address where nothing was ever written. */
export const empty: DocumentContents = {
  snapshot: undefined,
  entries: [],
  journal: undefined,
  position: 0,
  isStale: false,
};

/** The lines that go beyond the new snapshot; undefined when none does. */
export function journalAfter(
  { journal }: DocumentContents,
  state: RecordedState,
  seal: Seal,
): string | undefined {
  const { id, position } = state.journal;
  const kept = journal?.batches.filter((batch) => batch.position + batch.count - 1 > position);
  const [first] = kept ?? [];
  if (kept === undefined || first === undefined) return undefined;
  const header = encodeJournalHeader({ id, base: first.position - 1 });
  return [header, ...sealedAnew(kept, entrySeal(seal, state))].join("");
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
