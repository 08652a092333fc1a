/**
 * The local store: recorded state in files of one folder.
 *
 *  - `PATH` the snapshot, replaced as a whole
 *  - `PATH.journal` entries since the backup
 *  - `PATH.backup` the snapshot before
 *  - `PATH.lock` who may write
 *  - `PATH.runs` the history of runs
 *
 * Reading takes no lock. Writing does, and every write makes sure that the lock is still there.
 * After a failed write nothing more is appended under that lock.
 */

import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { errorCode, type FileSystem, nodeFileSystem } from "../../lib/files/file-system.ts";
import {
  hasEnded as hasProcessEnded,
  type ProcessIdentity,
} from "../../lib/files/process-identity.ts";
import { forceRelease, type HeldLock, holderOf, ownLock, takeLock } from "../../lib/lock/lock.ts";
import { LockHeldError, type LockSurroundings, readLock } from "../../lib/lock/lock-file.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { Clock } from "../../model/clock.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import {
  type Fence,
  type Store,
  type StoredState,
  StoreError,
} from "../../model/recorded/store.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import { writeEmergencyCopy } from "../kit/emergency-copy.ts";
import {
  createExclusive,
  createGroupCommit,
  type Exclusive,
  type GroupCommit,
} from "../kit/group-commit.ts";
import {
  heldByRunning,
  locked,
  lockedByOther,
  lockLost,
  notLocked,
  writingStopped,
} from "../kit/problems.ts";
import { oldSeal } from "../seal/problems.ts";
import { readRunHeads, readRuns, saveRuns } from "./run-file.ts";
import { loadState, type StatePaths, statePaths } from "./state-files.ts";
import { journalMissing, unreadable, unwritable } from "./store-problem.ts";
import {
  appendBatch,
  closeWriter,
  commitSnapshot,
  createWriter,
  discardSnapshot,
  encodeSnapshot,
  prepareSnapshot,
  type Writer,
} from "./writer.ts";

export type LocalStoreOptions = {
  /** The snapshot's file. Its folder is made when the lock is first taken. */
  readonly path: string;
  readonly clock: Clock;
  /** A fresh id of letters, digits and hyphens, such as a UUID. */
  readonly random: () => string;
  readonly host: string;
  readonly process: ProcessIdentity;
  readonly user: string;
  /** How its files are encrypted. */
  readonly seal: Seal;
  readonly fs?: FileSystem;
  /** Whether another process of this host has ended; undefined when that cannot be seen. */
  readonly hasEnded?: (other: ProcessIdentity) => boolean | undefined;
  readonly temporaryFolder?: string;
};

export type LocalStore = Store & {
  /**
   * For a state that cannot be saved though work was done: writes it elsewhere and returns the
   * error to show, which names the copy. Does not reject.
   */
  writeEmergencyCopy(state: RecordedState, cause: unknown): Promise<StoreError>;
};

/** What exists while this store holds the lock. */
type Held = {
  readonly id: string;
  readonly lock: HeldLock;
  readonly commit: GroupCommit;
  /** Made when first needed, from what the files then hold. */
  writer: Writer | undefined;
  /** The write after which nothing more may be written. */
  failure: Error | undefined;
};

type Local = {
  readonly fs: FileSystem;
  readonly paths: StatePaths;
  readonly seal: Seal;
  readonly around: LockSurroundings;
  readonly user: string;
  /** One use of the files at a time. */
  readonly exclusive: Exclusive;
  held: Held | undefined;
};

export function createLocalStore(options: LocalStoreOptions): LocalStore {
  const { path, clock, host, process: own, user, seal, fs = nodeFileSystem } = options;
  const { hasEnded = (other) => hasProcessEnded(own, other) } = options;
  const around = {
    fs,
    clock,
    host,
    process: own,
    hasEnded,
    newId: options.random,
  };
  const paths = statePaths(path);
  const local: Local = {
    fs,
    paths,
    seal,
    around,
    user,
    exclusive: createExclusive(),
    held: undefined,
  };
  return {
    location: path,
    read: () => local.exclusive(() => read(local)),
    append: (entries, fence) => append(local, entries, fence),
    compact: async (state, fence) => {
      const held = await requireHeld(local, fence);
      return local.exclusive(() => compact(local, held, state));
    },
    runs: () => readRuns(local).catch((error: unknown) => unreadableRuns(local, error)),
    runHeads: () => readRunHeads(local).catch((error: unknown) => unreadableRuns(local, error)),
    saveRuns: async (records, saving, fence) => {
      const held = await requireHeld(local, fence);
      await local.exclusive(async () => {
        await checkFence(local, held);
        await saveRuns(local, records, saving).catch((error: unknown) => {
          throw toStoreError(local, error);
        });
      });
    },
    lock: (operation, timeoutMs) => lock(local, operation, timeoutMs),
    unlock: (fence) => local.exclusive(() => unlock(local, fence)),
    holder: () => holder(local),
    forceUnlock: (lockId) => forceUnlock(local, lockId),
    close: () => local.exclusive(() => close(local)),
    writeEmergencyCopy: (state, cause) => {
      const temporaryFolder = options.temporaryFolder ?? tmpdir();
      const nowMs = clock.now();
      return writeEmergencyCopy({ fs, path, seal, temporaryFolder, nowMs, state, cause });
    },
  };
}

async function read(local: Local): Promise<StoredState> {
  const { held, paths, seal } = local;
  const loaded = await loadState(local);
  if (held !== undefined) held.writer ??= createWriter(local, loaded);
  if (loaded === undefined) return { snapshot: undefined, journal: [] };
  const { snapshot, entries: journal } = loaded;
  // A state that was never written to has none; any other had one.
  const isMissing = loaded.journal === undefined && snapshot.journal.position > 0;
  const remarks = [
    ...(isMissing ? [journalMissing(paths, snapshot)] : []),
    ...(loaded.isStale ? [oldSeal(paths.snapshot, seal.writes)] : []),
  ];
  return { snapshot, journal, ...(remarks.length === 0 ? {} : { remarks }) };
}

/** Not `async`, to keep the order of calls. */
function append(local: Local, entries: readonly JournalEntry[], fence: Fence): Promise<number> {
  const { held } = local;
  if (held?.id !== fence.lockId) return requireHeld(local, fence).then(() => 0);
  return held.commit.append(entries);
}

/** Resolves to the position before the first. */
async function write(local: Local, held: Held, encoded: readonly string[]): Promise<number> {
  const writer = await openWriter(local, held);
  const { position } = writer;
  if (encoded.length > 0) await appendBatch(writer, encoded);
  return position;
}

async function compact(local: Local, held: Held, state: RecordedState): Promise<void> {
  const writer = await openWriter(local, held).catch((error: unknown) => {
    throw toStoreError(local, error);
  });
  const text = encodeSnapshot(writer, state);
  const prepared = await prepareSnapshot(writer, state, text).catch(async (error: unknown) => {
    // The journal was damaged under our hands; reading everything again says what to do.
    if (error instanceof StateFormatError) await loadState(local);
    throw toStoreError(local, error);
  });
  if (prepared === undefined) return;
  try {
    await checkFence(local, held);
    await commitSnapshot(writer, prepared);
  } catch (error) {
    await discardSnapshot(writer);
    throw await stopWriting(local, held, error);
  }
}

/** The writer, after making sure that nothing failed before and that the lock is still ours. */
async function openWriter(local: Local, held: Held): Promise<Writer> {
  if (held.failure !== undefined) throw writingStopped(local.paths.snapshot, held.failure);
  await checkFence(local, held);
  held.writer ??= createWriter(local, await loadState(local));
  return held.writer;
}

async function checkFence(local: Local, held: Held): Promise<void> {
  const present = await held.lock.present();
  if (!present.holds) throw lockLost(local.paths.snapshot, present.holder);
}

async function stopWriting(local: Local, held: Held, error: unknown): Promise<Error> {
  const failure = toStoreError(local, error);
  held.failure ??= failure;
  if (held.writer !== undefined) await closeWriter(held.writer);
  return failure;
}

/** A system error becomes a problem the user can mend; what is a fault of ours stays as it is. */
function toStoreError(local: Local, error: unknown): Error {
  if (error instanceof StoreError) return error;
  if (error instanceof LockHeldError) return locked(local.paths.snapshot, error.holder);
  if (errorCode(error) !== undefined) return unwritable(local.paths.snapshot, error);
  return error instanceof Error ? error : new Error(String(error));
}

function unreadableRuns({ paths }: Local, error: unknown): never {
  throw unreadable(paths.runs, error);
}

async function requireHeld(local: Local, fence: Fence): Promise<Held> {
  if (local.held?.id === fence.lockId) return local.held;
  throw lockLost(local.paths.snapshot, await presentLock(local));
}

async function lock(local: Local, operation: string, timeoutMs: number): Promise<Fence> {
  const info = ownLock(local.around, operation, local.user);
  const deadlineMs = local.around.clock.now() + timeoutMs;
  try {
    await local.fs.makeFolder(dirname(local.paths.snapshot));
    const taken = await takeLock(local.around, local.paths.lock, info, deadlineMs);
    local.held = hold(local, info.id, taken);
  } catch (error) {
    throw toStoreError(local, error);
  }
  return { lockId: info.id };
}

function hold(local: Local, id: string, taken: HeldLock): Held {
  const commit = createGroupCommit({
    exclusive: local.exclusive,
    write: (encoded) => write(local, held, encoded),
    failed: (error) => stopWriting(local, held, error),
  });
  const held: Held = { id, lock: taken, commit, writer: undefined, failure: undefined };
  return held;
}

async function unlock(local: Local, fence: Fence): Promise<void> {
  const held = await requireHeld(local, fence);
  local.held = undefined;
  if (held.writer !== undefined) await closeWriter(held.writer);
  const released = await held.lock.release().catch((error: unknown) => {
    throw toStoreError(local, error);
  });
  if (!released) throw lockLost(local.paths.snapshot, await presentLock(local));
}

async function close(local: Local): Promise<void> {
  const { held } = local;
  local.held = undefined;
  if (held === undefined) return;
  if (held.writer !== undefined) await closeWriter(held.writer);
  await held.lock.release().catch(() => undefined);
}

async function holder(local: Local): Promise<LockInfo | undefined> {
  try {
    return await holderOf(local.around, local.paths.lock);
  } catch (error) {
    throw unreadable(local.paths.snapshot, error);
  }
}

async function presentLock({ fs, paths }: Local): Promise<LockInfo | undefined> {
  try {
    return await readLock(fs, paths.lock);
  } catch (error) {
    throw unreadable(paths.snapshot, error);
  }
}

async function forceUnlock(local: Local, lockId: string): Promise<void> {
  const { around, paths } = local;
  try {
    const info = ownLock(around, "force-unlock", local.user);
    const released = await forceRelease(around, paths.lock, info, lockId);
    if (released === "removed") return;
    if (released !== "other") throw heldByRunning(paths.snapshot, released.running);
  } catch (error) {
    throw toStoreError(local, error);
  }
  const now = await presentLock(local);
  throw now === undefined ? notLocked(paths.snapshot) : lockedByOther(paths.snapshot, lockId, now);
}
