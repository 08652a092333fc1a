/**
 * Writing the files of one recorded state, by the one holder of its lock: appending batches to the
 * journal, and replacing snapshot and journal. Not for concurrent calls.
 *
 * The journal keeps the entries after the *backup*, not only those after the snapshot: should the
 * snapshot be damaged, the backup and the journal together hold everything.
 */

import { dirname } from "node:path";
import { commitFile, discardFile, prepareFile } from "../../lib/files/atomic-file.ts";
import {
  type FileSystem,
  type OpenFile,
  readIfThere,
  writeAll,
} from "../../lib/files/file-system.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { encodeState } from "../../state/form/encode.ts";
import { textOfFile } from "../../state/form/file-text.ts";
import {
  encodeJournalBatch,
  encodeJournalHeader,
  readJournal,
  sealedAnew,
} from "../../state/form/journal-lines.ts";
import { entrySeal, isStateNew, openState, sealState } from "../../state/form/sealed-text.ts";
import { checkSuccessor } from "../kit/successor.ts";
import type { LoadedState, StatePaths, StatePlace } from "./state-files.ts";

export type Writer = {
  readonly fs: FileSystem;
  readonly paths: StatePaths;
  readonly seal: Seal;
  /** Something in the files is not sealed as it would be now. */
  isStale: boolean;
  /** The snapshot's head; undefined before the first compaction. */
  head: Pick<RecordedState, "lineage" | "serial" | "journal" | "handover"> | undefined;
  /** Position of the last entry. */
  position: number;
  /** The journal file as far as it is whole; undefined when a new one must be made. */
  journal: { length: number; readonly torn: boolean } | undefined;
  /** The journal, open for writing, from the first append on. */
  file: OpenFile | undefined;
};

export function createWriter(
  { fs, paths, seal }: StatePlace,
  loaded: LoadedState | undefined,
): Writer {
  const snapshotPosition = loaded?.snapshot.journal.position ?? 0;
  const journal = loaded?.journal;
  // A journal that ends before its snapshot has nothing to say and could not be continued.
  const continues = journal !== undefined && journal.position >= snapshotPosition;
  return {
    fs,
    paths,
    seal,
    isStale: loaded?.isStale ?? false,
    head: loaded?.snapshot,
    position: continues ? journal.position : snapshotPosition,
    journal: continues
      ? { length: journal.length, torn: journal.fileLength > journal.length }
      : undefined,
    file: undefined,
  };
}

/** Makes one batch of encoded entries durable. After a rejection the writer must not be used. */
export async function appendBatch(writer: Writer, encoded: readonly string[]): Promise<void> {
  const file = writer.file ?? (await openJournal(writer));
  writer.file = file;
  const start = writer.journal?.length ?? 0;
  const { head, seal } = writer;
  if (head === undefined) throw new Error("an entry before the first snapshot");
  const sealed = entrySeal(seal, head);
  const line = encodeBytes(encodeJournalBatch(writer.position + 1, encoded, sealed));
  try {
    await writeAll(file, line, start);
    await file.sync();
  } catch (error) {
    // Nobody is told that this batch was written, so nothing of it should stay; if even that
    // fails, the next reader tolerates or settles what it finds.
    await file.truncate(start).catch(() => undefined);
    throw error;
  }
  writer.journal = { length: start + line.length, torn: false };
  writer.position += encoded.length;
}

async function openJournal(writer: Writer): Promise<OpenFile> {
  const { fs, paths } = writer;
  if (writer.head === undefined) throw new Error("an entry before the first snapshot");
  if (writer.journal === undefined) {
    const header = { id: writer.head.journal.id, base: writer.position };
    const bytes = encodeBytes(encodeJournalHeader(header));
    await prepareFile(fs, paths.journal, bytes);
    await commitFile(fs, paths.journal);
    writer.journal = { length: bytes.length, torn: false };
  }
  const file = await fs.open(paths.journal, "r+");
  try {
    // A killed writer may have made this file, or the snapshot, without making its name durable.
    await fs.syncFolder(dirname(paths.journal));
    // The sync of the append that follows makes the cut durable as well.
    if (writer.journal.torn) await file.truncate(writer.journal.length);
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
  return file;
}

/** Closes the journal; a failure says nothing about what was made durable. */
export async function closeWriter(writer: Writer): Promise<void> {
  const { file } = writer;
  writer.file = undefined;
  await file?.close().catch(() => undefined);
}

/** Checks a state before it replaces the snapshot and encodes it. Throws `StoreError`. */
export function encodeSnapshot(writer: Writer, state: RecordedState): string {
  checkSuccessor(writer.paths.snapshot, writer, state);
  return encodeState(state);
}

/** New contents, durable beside the files that count. */
export type PreparedSnapshot = {
  readonly state: RecordedState;
  readonly journalLength: number;
  /** There was a snapshot, which becomes the backup. */
  readonly backup: boolean;
};

/**
 * Prepares backup, snapshot and journal, all sealed as they would be now. Undefined when that is
 * what stands there already. A rejection, such as a full disk, leaves everything as it was, and the
 * writer usable.
 */
export async function prepareSnapshot(
  writer: Writer,
  state: RecordedState,
  text: string,
): Promise<PreparedSnapshot | undefined> {
  const { fs, paths, seal, head } = writer;
  const bytes = await readIfThere(fs, paths.snapshot);
  const before = bytes === undefined ? undefined : openBefore(seal, bytes);
  if (before === text && !writer.isStale) return undefined;
  const journal = await makeJournal(writer, state);
  try {
    await prepareFile(fs, paths.snapshot, encodeBytes(sealState(seal, state, text)));
    await prepareFile(fs, paths.journal, journal);
    if (before !== undefined && bytes !== undefined) {
      const isKept = head === undefined || isStateNew(seal, textOfFile(bytes));
      const backup = isKept ? bytes : encodeBytes(sealState(seal, head, before));
      await prepareFile(fs, paths.backup, backup);
    }
  } catch (error) {
    await discardSnapshot(writer);
    throw error;
  }
  return { state, journalLength: journal.length, backup: before !== undefined };
}

/** It was read before; whatever stands there now becomes the backup. */
function openBefore(seal: Seal, bytes: Uint8Array): string {
  return openState(seal, textOfFile(bytes));
}

/** Drops what was prepared. */
export async function discardSnapshot({ fs, paths }: Writer): Promise<void> {
  for (const path of [paths.snapshot, paths.journal, paths.backup]) await discardFile(fs, path);
}

/**
 * Puts backup, snapshot and journal in their places, in this order: killed between any two steps,
 * snapshot and journal still give the same state. After a rejection the writer must not be used.
 */
export async function commitSnapshot(writer: Writer, prepared: PreparedSnapshot): Promise<void> {
  const { fs, paths } = writer;
  const { lineage, serial, journal, handover } = prepared.state;
  if (prepared.backup) await commitFile(fs, paths.backup);
  await commitFile(fs, paths.snapshot);
  // Some systems rename over no file that is open.
  await closeWriter(writer);
  await commitFile(fs, paths.journal);
  writer.head = { lineage, serial, journal, ...(handover === undefined ? {} : { handover }) };
  writer.isStale = false;
  writer.position = Math.max(writer.position, journal.position);
  writer.journal = { length: prepared.journalLength, torn: false };
}

/** The lines that go beyond the present snapshot, which becomes the backup. */
async function makeJournal(writer: Writer, state: RecordedState): Promise<Uint8Array> {
  const { id, position } = state.journal;
  const isAhead = position > writer.position || id !== writer.head?.journal.id;
  if (writer.journal === undefined || writer.head === undefined || isAhead) {
    return encodeBytes(encodeJournalHeader({ id, base: position }));
  }
  const journal = readJournal(await writer.fs.read(writer.paths.journal));
  const after = writer.head.journal.position;
  const kept = journal.batches.filter((batch) => batch.position + batch.count - 1 > after);
  const base = (kept[0]?.position ?? journal.position + 1) - 1;
  const lines = sealedAnew(kept, entrySeal(writer.seal, writer.head));
  return encodeBytes([encodeJournalHeader({ id, base }), ...lines].join(""));
}

function encodeBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
