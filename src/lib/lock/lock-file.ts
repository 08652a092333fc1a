/**
 * Where the kernel offers no locks (`lib/files/kernel-lock.ts`): exclusive lock files that survive
 * their holders being killed at any instruction.
 *
 * Taking a free lock is one atomic step: the owner's information is written to a file of its own,
 * which is then linked to the lock's name; linking fails when the name is taken. So a lock is
 * never seen half written, and two takers never both succeed.
 *
 * Everything that *replaces or removes* a lock with id X (taking over a stale one, unlocking,
 * forced unlocking) is done while holding the claim on X: a second lock, named after X. Under the
 * claim the lock is read again, and left alone unless it still is X. Ids are never used twice, so
 * a taker that saw X, slept, and claims X when all is over, finds another id and goes back to
 * waiting. A claim is taken like any lock, so one left by a killed process is taken over likewise.
 *
 * A lock is stale when its process is gone. A process on another host, of an earlier start of the
 * machine or in another container cannot be looked at from here: `force-unlock` is for that.
 */

import { removeFile, writeFile } from "../files/atomic-file.ts";
import { errorCode, type FileSystem, readIfThere, writeAll } from "../files/file-system.ts";
import type { ProcessIdentity } from "../files/process-identity.ts";
import { decodeLock, encodeLock, type LockInfo, unreadableLock } from "./lock-info.ts";

export type LockSurroundings = {
  readonly fs: FileSystem;
  readonly clock: { now(): number; sleep(ms: number): Promise<void> };
  readonly host: string;
  readonly process: ProcessIdentity;
  /** Whether another process of this host has ended; undefined when that cannot be seen. */
  readonly hasEnded: (other: ProcessIdentity) => boolean | undefined;
  /** A fresh id of letters, digits and hyphens. */
  readonly newId: () => string;
};

/** Still taken when the time was over; says by whom. */
export class LockHeldError extends Error {
  readonly holder: LockInfo;

  constructor(holder: LockInfo) {
    super(`The lock is held by ${holder.who} on ${holder.host}.`);
    this.name = "LockHeldError";
    this.holder = holder;
  }
}

/** Between two looks at a lock that is held. */
export const pollMs = 250;
/** Under a claim only a few file operations are made. */
const claimWaitMs = 10_000;
/** The lock was taken when we linked and gone when we read; more often than this is no chance. */
const goneCountMax = 100;

/**
 * Locks of this process. After a restart with the same process id, usual in containers, a lock file
 * names a process that is alive and yet not its holder.
 */
const heldHere = new Set<string>();

/**
 * Takes the lock for `info`, waiting until `deadlineMs`. Throws `LockHeldError`
 * when it is still taken then, and the system's errors.
 */
export async function acquireLock(
  around: LockSurroundings,
  path: string,
  info: LockInfo,
  deadlineMs: number,
): Promise<void> {
  const own = `${path}.${info.id}.new`;
  await writeFile(around.fs, own, "wx", new TextEncoder().encode(encodeLock(info)));
  heldHere.add(info.id);
  let taken = false;
  try {
    taken = await takeOrWait(around, path, info, own, deadlineMs);
  } finally {
    if (!taken) heldHere.delete(info.id);
    // Its work is done; what cannot be removed hurts nobody.
    await removeFile(around.fs, own).catch(() => undefined);
  }
}

async function takeOrWait(
  around: LockSurroundings,
  path: string,
  info: LockInfo,
  own: string,
  deadlineMs: number,
): Promise<true> {
  let goneCount = 0;
  for (;;) {
    if (await linkIfFree(around.fs, own, path)) return true;
    const holder = await readLock(around.fs, path);
    if (holder === undefined) {
      goneCount += 1;
      if (goneCount > goneCountMax) throw new LockHeldError(unreadableLock);
      continue;
    }
    if (isStale(around, holder)) {
      const replace = (): Promise<void> => around.fs.rename(own, path);
      if (await withClaim(around, path, holder.id, info, deadlineMs, replace)) return true;
      continue;
    }
    const restMs = deadlineMs - around.clock.now();
    if (restMs <= 0) throw new LockHeldError(holder);
    await around.clock.sleep(Math.min(pollMs, restMs));
  }
}

/**
 * Removes the lock if it still has this id, and says whether it had. Throws `LockHeldError`
 * when the claim stays taken, and the system's errors.
 */
export async function removeLock(
  around: LockSurroundings,
  path: string,
  id: string,
  info: LockInfo,
): Promise<boolean> {
  const deadlineMs = around.clock.now() + claimWaitMs;
  const remove = (): Promise<void> => around.fs.unlink(path);
  const removed = await withClaim(around, path, id, info, deadlineMs, remove);
  heldHere.delete(id);
  return removed;
}

/** The holder as the lock file tells it, alive or not; undefined when there is no lock. */
export async function readLock(fs: FileSystem, path: string): Promise<LockInfo | undefined> {
  const bytes = await readIfThere(fs, path);
  return bytes === undefined ? undefined : (decodeLock(bytes) ?? unreadableLock);
}

/** Whether the holder is a process of this host that runs no longer. */
export function isStale(around: LockSurroundings, holder: LockInfo): boolean {
  if (holder.host !== around.host) return false;
  const own = around.process;
  const isSeen = holder.boot === own.boot && holder.pidNamespace === own.pidNamespace;
  if (isSeen && holder.pid === own.pid) return !heldHere.has(holder.id);
  return around.hasEnded(holder) === true;
}

/** Runs the action while nobody else may change the lock `id`; false when the lock is not it. */
async function withClaim(
  around: LockSurroundings,
  path: string,
  id: string,
  info: LockInfo,
  deadlineMs: number,
  action: () => Promise<void>,
): Promise<boolean> {
  const claimPath = `${path}.${id}`;
  const claim: LockInfo = { ...info, id: around.newId() };
  await acquireLock(around, claimPath, claim, deadlineMs);
  try {
    const holder = await readLock(around.fs, path);
    if (holder?.id !== id) return false;
    await action();
    return true;
  } finally {
    await removeFile(around.fs, claimPath).catch(() => undefined);
    heldHere.delete(claim.id);
  }
}

/** False when the name is taken. */
async function linkIfFree(fs: FileSystem, own: string, path: string): Promise<boolean> {
  try {
    await fs.link(own, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    return writeIfFree(fs, own, path);
  }
}

/**
 * For file systems without links, such as FAT. Killed between its two steps it leaves an empty
 * lock, which counts as held by someone unknown.
 */
async function writeIfFree(fs: FileSystem, own: string, path: string): Promise<boolean> {
  const bytes = await fs.read(own);
  try {
    const file = await fs.open(path, "wx");
    try {
      await writeAll(file, bytes, 0);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}
