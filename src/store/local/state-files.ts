/**
 * The files of one recorded state, read together: snapshot, journal, and the backup when something
 * is wrong with the other two. Reading takes no lock.
 */

import { type FileSystem, readIfThere } from "../../lib/files/file-system.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { decodeState } from "../../state/form/encode.ts";
import { textOfFile } from "../../state/form/file-text.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import {
  decodeJournalEntries,
  isSealedAsNow,
  type JournalText,
  readJournal,
} from "../../state/form/journal-lines.ts";
import { entrySeal, isStateNew, openState } from "../../state/form/sealed-text.ts";
import { verifyState } from "../../state/integrity.ts";
import {
  damagedJournal,
  damagedSnapshot,
  missingSnapshot,
  unreadable,
  unsoundSnapshot,
  type WayOut,
} from "./store-problem.ts";

export type StatePaths = {
  readonly snapshot: string;
  readonly journal: string;
  readonly backup: string;
  readonly lock: string;
  readonly runs: string;
};

export function statePaths(path: string): StatePaths {
  return {
    snapshot: path,
    journal: `${path}.journal`,
    backup: `${path}.backup`,
    lock: `${path}.lock`,
    runs: `${path}.runs`,
  };
}

export type LoadedState = {
  readonly snapshot: RecordedState;
  /** Entries after the snapshot. */
  readonly entries: readonly JournalEntry[];
  /** Absent when there is no journal file, which is as good as one without entries. */
  readonly journal?: JournalText & { readonly fileLength: number };
  /** Something of it is not sealed as it would be now. */
  readonly isStale: boolean;
};

/** Where the files are, and how they are sealed. */
export type StatePlace = {
  readonly fs: FileSystem;
  readonly paths: StatePaths;
  readonly seal: Seal;
};

type Bytes = {
  readonly journal: Uint8Array | undefined;
  readonly snapshot: Uint8Array | undefined;
};

/** A writer may replace both files while they are read; more often than this is no chance. */
const lookCountMax = 10;

/**
 * Reads what is recorded; undefined when nothing ever was. Throws `StoreError`: damage is never
 * taken for an empty state.
 *
 * The journal is read before the snapshot. A writer that compacts in between makes the snapshot
 * newer than the journal that was read, which costs nothing; the other order could show a journal
 * that begins after the snapshot. A problem is believed when a second look sees the same bytes.
 */
export async function loadState(place: StatePlace): Promise<LoadedState | undefined> {
  let before: Bytes | undefined;
  for (let look = 1; ; look += 1) {
    const bytes = await readBytes(place);
    const result = await interpret(place, bytes);
    if (!(result instanceof StoreError)) return result;
    if (look === lookCountMax || (before !== undefined && sameBytes(before, bytes))) throw result;
    before = bytes;
  }
}

async function readBytes({ fs, paths }: StatePlace): Promise<Bytes> {
  try {
    const journal = await readIfThere(fs, paths.journal);
    return { journal, snapshot: await readIfThere(fs, paths.snapshot) };
  } catch (error) {
    throw unreadable(paths.snapshot, error);
  }
}

function sameBytes(left: Bytes, right: Bytes): boolean {
  return equalBytes(left.journal, right.journal) && equalBytes(left.snapshot, right.snapshot);
}

function equalBytes(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return Buffer.compare(left, right) === 0;
}

async function interpret(
  place: StatePlace,
  bytes: Bytes,
): Promise<LoadedState | undefined | StoreError> {
  const { paths, seal } = place;
  const { snapshot: snapshotBytes } = bytes;
  if (snapshotBytes === undefined) return interpretMissing(place, bytes.journal);
  const opened = decode(() => openSnapshot(seal, snapshotBytes));
  if (opened instanceof StoreError) return opened;
  if (opened instanceof StateFormatError) {
    return damagedSnapshot(paths.snapshot, opened, await lookForBackup(place, bytes.journal));
  }
  const { snapshot } = opened;
  const problems = verifyState(snapshot);
  if (problems.length > 0) {
    const way = await lookForBackup(place, bytes.journal);
    return unsoundSnapshot(paths.snapshot, problems, way);
  }
  if (bytes.journal === undefined) return { ...opened, entries: [] };
  const fitting = decode(() => fitJournal(snapshot, bytes.journal, seal));
  if (fitting instanceof StoreError) return fitting;
  if (fitting instanceof StateFormatError) {
    return damagedJournal(paths.journal, fitting, await withoutJournal(place, snapshot));
  }
  return { snapshot, ...fitting, isStale: opened.isStale || fitting.isStale };
}

function openSnapshot(seal: Seal, bytes: Uint8Array): Pick<LoadedState, "snapshot" | "isStale"> {
  const text = textOfFile(bytes);
  const snapshot = decodeState(openState(seal, text));
  return { snapshot, isStale: !isStateNew(seal, text) };
}

async function interpretMissing(
  place: StatePlace,
  journal: Uint8Array | undefined,
): Promise<undefined | StoreError> {
  const { fs, paths } = place;
  const backup = await readIfThere(fs, paths.backup).catch(() => new Uint8Array());
  if (journal === undefined && backup === undefined) return undefined;
  const beside = journal === undefined ? paths.backup : paths.journal;
  return missingSnapshot(paths.snapshot, beside, await lookForBackup(place, journal));
}

type Fitting = Pick<LoadedState, "entries" | "isStale"> & Required<Pick<LoadedState, "journal">>;

/** The journal's entries after the snapshot. Throws `StateFormatError`. */
function fitJournal(
  snapshot: RecordedState,
  bytes: Uint8Array = new Uint8Array(),
  seal: Seal,
): Fitting {
  const journal = readJournal(bytes);
  const { id, position } = snapshot.journal;
  if (journal.header.id !== id) {
    throw new StateFormatError("damaged", "belongs to another recorded state");
  }
  if (journal.header.base > position) {
    const gap = `begins after position ${journal.header.base}, the state ends at ${position}`;
    throw new StateFormatError("damaged", gap);
  }
  const sealed = entrySeal(seal, snapshot);
  const entries = decodeJournalEntries(journal.batches, position, sealed);
  const isStale = !journal.batches.every((batch) => isSealedAsNow(batch, sealed));
  return { entries, journal: { ...journal, fileLength: bytes.length }, isStale };
}

/** What the backup is worth, when the snapshot cannot be used. */
async function lookForBackup(place: StatePlace, journal: Uint8Array | undefined): Promise<WayOut> {
  const { paths, seal } = place;
  const copy = `copy ${paths.backup} over ${paths.snapshot}`;
  const backup = await readBackup(place);
  if (backup === undefined) {
    return {
      backup: `There is no backup ${paths.backup} that can be used.`,
      fix:
        `Restore ${paths.snapshot} from a copy of your own. Only if nothing that it managed ` +
        `exists any more, delete it together with ${paths.journal} and ${paths.backup}.`,
    };
  }
  const named = `The backup ${paths.backup} (serial ${backup.serial})`;
  const fits =
    journal !== undefined && !(decode(() => fitJournal(backup, journal, seal)) instanceof Error);
  return fits
    ? {
        backup: `${named} and the journal hold everything.`,
        fix: `To restore it, ${copy}; nothing is lost.`,
      }
    : {
        backup: `${named} can be used, but the journal does not continue it.`,
        fix:
          `To go back to it, ${copy} and delete ${paths.journal}; then look at the next plan ` +
          "closely: what was done after that serial is not recorded.",
      };
}

/** What remains when the journal cannot be used. */
async function withoutJournal(place: StatePlace, snapshot: RecordedState): Promise<WayOut> {
  const { paths } = place;
  const { serial, journal } = snapshot;
  const backup = await readBackup(place);
  const kept = backup === undefined ? "there is no backup" : `the backup is ${paths.backup}`;
  return {
    backup: `The state in ${paths.snapshot} is sound up to position ${journal.position}; ${kept}.`,
    fix:
      `To go on from serial ${serial}, position ${journal.position}, move ${paths.journal} away; ` +
      "then look at the next plan closely: what was done after that position is not recorded.",
  };
}

async function readBackup({ fs, paths, seal }: StatePlace): Promise<RecordedState | undefined> {
  try {
    const { snapshot: backup } = openSnapshot(seal, await fs.read(paths.backup));
    return verifyState(backup).length === 0 ? backup : undefined;
  } catch {
    // Whatever is wrong with it: it is no way out.
    return undefined;
  }
}

/** A key that is missing, or another one, is no damage: the files are left as they are. */
function decode<T>(work: () => T): T | StateFormatError | StoreError {
  try {
    return work();
  } catch (error) {
    if (error instanceof StateFormatError || error instanceof StoreError) return error;
    throw error;
  }
}
