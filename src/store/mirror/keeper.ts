/**
 * Keeping a mirror in step with what a run reads and writes in its store. Nothing of it fails a
 * run: after the first thing that goes wrong it is left as it is, which is told once. It never goes
 * backwards, and one that something was applied from is left alone until that is merged.
 */

import { removeFile } from "../../lib/files/atomic-file.ts";
import { type HeldLock, ownLock, takeLock } from "../../lib/lock/lock.ts";
import { LockHeldError, type LockSurroundings } from "../../lib/lock/lock-file.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { StoredState } from "../../model/recorded/store.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { foldAll } from "../../state/fold.ts";
import { createExclusive, createGroupCommit, type GroupCommit } from "../kit/group-commit.ts";
import { appendBatch, closeWriter, createWriter, type Writer } from "../local/writer.ts";
import {
  isSealedNow,
  loadMirror,
  type MirrorPlace,
  makeMirrorFolder,
  readHead,
  replaceMirror,
  writeHead,
} from "./files.ts";
import { isSameTip, type MirrorHead, type Tip, tipOf } from "./head.ts";
import { storeBehind, unkeptMirror } from "./problems.ts";

export type KeeperOptions = {
  readonly place: MirrorPlace;
  readonly around: LockSurroundings;
  readonly user: string;
  /** Told once, of what could not be kept. */
  readonly tell: (diagnostic: Diagnostic) => void;
};

export type Keeper = {
  /** Holds the lock of the mirror from now on. Resolves to who holds it, if another does. */
  readonly hold: (operation: string) => Promise<LockInfo | undefined>;
  readonly isHeld: () => boolean;
  /** What the store holds; `beganMs` is when it was asked for. */
  readonly take: (stored: StoredState, beganMs: number) => Promise<readonly Diagnostic[]>;
  /** Entries that the store has, the last one at `position`. Not `async`, to keep the order. */
  readonly append: (entries: readonly JournalEntry[], position: number) => Promise<void>;
  /** The store's snapshot is this one. */
  readonly compact: (state: RecordedState) => Promise<void>;
  /** Begins anew: what was merged is no fork any more. */
  readonly clearFork: (state: RecordedState) => Promise<void>;
  readonly release: () => Promise<void>;
};

type Kept = {
  readonly options: KeeperOptions;
  readonly place: MirrorPlace;
  lock: HeldLock | undefined;
  /** What the files hold; undefined until the store was read under the lock. */
  tip: Tip | undefined;
  head: MirrorHead | undefined;
  writer: Writer | undefined;
  readonly commit: GroupCommit;
  /** The head on disk has no tip: entries were appended. */
  isOpen: boolean;
  isBroken: boolean;
  isTold: boolean;
};

/** What others do under this lock takes moments, but for a run from the mirror. */
const patienceMs = 3000;
/** A journal up to this size, or up to that of the snapshot, is left to grow. */
const journalBytesMin = 64 * 1024;

export function createKeeper(options: KeeperOptions): Keeper {
  const exclusive = createExclusive();
  const kept: Kept = {
    options,
    place: options.place,
    lock: undefined,
    tip: undefined,
    head: undefined,
    writer: undefined,
    commit: createGroupCommit({
      exclusive,
      write: (encoded) => write(kept, encoded),
      failed: async (error) => (error instanceof Error ? error : new Error(String(error))),
    }),
    isOpen: false,
    isBroken: false,
    isTold: false,
  };
  return {
    hold: (operation) => hold(kept, operation),
    isHeld: () => kept.lock !== undefined,
    take: (stored, beganMs) => exclusive(() => take(kept, stored, beganMs)),
    append: (entries, position) => append(kept, entries, position),
    compact: (state) => exclusive(() => quietly(kept, () => compact(kept, state))),
    clearFork: (state) => exclusive(() => clearFork(kept, state)),
    release: () => exclusive(() => release(kept)),
  };
}

async function hold(kept: Kept, operation: string): Promise<LockInfo | undefined> {
  const { around, user } = kept.options;
  try {
    await makeMirrorFolder(kept.place);
    const info = ownLock(around, operation, user);
    const deadlineMs = around.clock.now() + patienceMs;
    kept.lock = await takeLock(around, kept.place.paths.lock, info, deadlineMs);
    return undefined;
  } catch (error) {
    if (error instanceof LockHeldError) return error.holder;
    failed(kept, error);
    return undefined;
  }
}

async function take(
  kept: Kept,
  stored: StoredState,
  beganMs: number,
): Promise<readonly Diagnostic[]> {
  const { snapshot, journal } = stored;
  if (kept.isBroken) return [];
  if (snapshot === undefined) return nothingThere(kept);
  const said: Diagnostic[] = [];
  const work = async (): Promise<void> => {
    said.push(...(await takeState(kept, foldAll(snapshot, journal), beganMs)));
  };
  if (kept.lock !== undefined) await quietly(kept, work);
  else {
    const { around, user } = kept.options;
    await quietly(kept, async () => {
      await makeMirrorFolder(kept.place);
      const info = ownLock(around, "reading", user);
      const lock = await takeLock(around, kept.place.paths.lock, info, around.clock.now());
      try {
        await work();
      } finally {
        await lock.release();
      }
    });
  }
  return said;
}

/** A store that has lost everything looks like a new one. */
async function nothingThere({ place }: Kept): Promise<readonly Diagnostic[]> {
  const head = await readHead(place).catch(() => undefined);
  if (head === undefined || head.fork !== undefined) return [];
  return [storeBehind(place.of, (head.tip?.journal ?? head.snapshot).position, 0)];
}

/** By who holds the lock. */
async function takeState(
  kept: Kept,
  state: RecordedState,
  beganMs: number,
): Promise<readonly Diagnostic[]> {
  const { place } = kept;
  const tip = tipOf(state);
  // A head that cannot be read may tell of what is not merged: it is left alone.
  const before = await readHead(place);
  if (before?.fork !== undefined) return [];
  const known = before === undefined ? undefined : (before.tip ?? (await tipInFiles(place)));
  if (known !== undefined && isBehind(tip, known)) {
    kept.isBroken = true;
    // It was read before others wrote on, and they have kept the mirror.
    if ((before?.asOfMs ?? 0) >= beganMs) return [];
    return [storeBehind(place.of, known.journal.position, tip.journal.position)];
  }
  const isSame = before !== undefined && isSameTip(before.tip, tip) && isSealedNow(place, before);
  const asOfMs = kept.options.around.clock.now();
  kept.head = isSame ? { ...before, asOfMs } : await replaceMirror(place, before, state, asOfMs);
  if (isSame) await writeHead(place, kept.head);
  kept.tip = tip;
  return [];
}

function isBehind(tip: Tip, known: Tip): boolean {
  const isSameHistory = tip.lineage === known.lineage && tip.journal.id === known.journal.id;
  return isSameHistory && tip.journal.position < known.journal.position;
}

/** Of a run that was killed. What cannot be used is replaced by what was read of the store. */
async function tipInFiles(place: MirrorPlace): Promise<Tip | undefined> {
  const loaded = await loadMirror(place).catch(() => undefined);
  return loaded && tipOf(foldAll(loaded.snapshot, loaded.entries));
}

/** Not `async`, to keep the order of calls. */
function append(kept: Kept, entries: readonly JournalEntry[], position: number): Promise<void> {
  const { tip } = kept;
  if (kept.isBroken || kept.lock === undefined || tip === undefined) return Promise.resolve();
  if (tip.journal.position + entries.length !== position) {
    kept.isBroken = true;
    return Promise.resolve();
  }
  const serial = tip.serial + entries.filter(({ kind }) => kind === "run").length;
  kept.tip = { ...tip, serial, journal: { ...tip.journal, position } };
  return quietly(kept, async () => {
    await kept.commit.append(entries);
  });
}

async function write(kept: Kept, encoded: readonly string[]): Promise<number> {
  const { head, place } = kept;
  if (kept.isBroken || head === undefined) return 0;
  if (!kept.isOpen) {
    const { tip: _, ...open } = head;
    await writeHead(place, open);
    kept.isOpen = true;
  }
  kept.writer ??= writerOf(place, head);
  const { position } = kept.writer;
  await appendBatch(kept.writer, encoded);
  return position;
}

/** Without reading all of it again: the head tells how far the files go. */
function writerOf({ fs, paths, seal }: MirrorPlace, head: MirrorHead): Writer {
  const { tip, snapshot, journalBytes } = head;
  if (tip === undefined) throw new Error("a mirror that is not known to the end");
  const { lineage, journal } = tip;
  return {
    ...createWriter({ fs, paths, seal }, undefined),
    head: {
      lineage,
      serial: snapshot.serial,
      journal: { ...journal, position: snapshot.position },
    },
    position: journal.position,
    // What a run that was killed has left behind it is cut off.
    journal: { length: journalBytes, torn: true },
  };
}

async function compact(kept: Kept, state: RecordedState): Promise<void> {
  if (kept.lock === undefined) return;
  const { place, head, writer } = kept;
  const tip = tipOf(state);
  if (head !== undefined && isSameTip(kept.tip, tip) && isSealedNow(place, head)) {
    const bytes = writer?.journal?.length ?? head.journalBytes;
    if (bytes < Math.max(journalBytesMin, head.snapshot.bytes)) return;
  }
  await replace(kept, state);
}

async function replace(kept: Kept, state: RecordedState): Promise<void> {
  const { place, options } = kept;
  await dropWriter(kept);
  const before = kept.head ?? (await readHead(place));
  kept.head = await replaceMirror(place, before, state, options.around.clock.now());
  kept.tip = tipOf(state);
  kept.isOpen = false;
}

async function clearFork(kept: Kept, state: RecordedState): Promise<void> {
  const { place, options } = kept;
  kept.head = await replaceMirror(place, undefined, state, options.around.clock.now());
  kept.tip = tipOf(state);
  await removeFile(place.fs, place.paths.runs);
}

async function release(kept: Kept): Promise<void> {
  const { lock, head, tip, writer, place } = kept;
  kept.lock = undefined;
  if (lock === undefined) return;
  const journalBytes = writer?.journal?.length ?? head?.journalBytes ?? 0;
  await dropWriter(kept);
  await quietly(kept, async () => {
    if (kept.isOpen && head !== undefined && tip !== undefined) {
      const asOfMs = kept.options.around.clock.now();
      await writeHead(place, { ...head, asOfMs, tip, journalBytes });
    }
  });
  await lock.release().catch(() => undefined);
}

async function dropWriter(kept: Kept): Promise<void> {
  const { writer } = kept;
  kept.writer = undefined;
  if (writer !== undefined) await closeWriter(writer);
}

/** Never rejects. */
async function quietly(kept: Kept, work: () => Promise<void>): Promise<void> {
  if (kept.isBroken) return;
  try {
    await work();
  } catch (error) {
    failed(kept, error);
  }
}

function failed(kept: Kept, error: unknown): void {
  kept.isBroken = true;
  // Another command of this machine keeps it at this moment.
  if (error instanceof LockHeldError || kept.isTold) return;
  kept.isTold = true;
  const { place, options } = kept;
  options.tell(unkeptMirror(place.of, place.head, error));
}
