/**
 * Where the kernel offers no locks (`kernel-lock.ts`): exclusive lock files that survive their
 * holders being killed at any instruction.
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

import type { ProcessIdentity } from "../../lib/files/process-identity.ts";
import { parseJson, stringifyJson } from "../../lib/json.ts";
import type { Clock } from "../../model/clock.ts";
import type { LockInfo } from "../../model/store.ts";
import { removeFile, writeFile } from "./atomic-file.ts";
import { errorCode, type FileSystem, readIfThere, writeAll } from "./file-system.ts";
import { locked } from "./store-problem.ts";

export type LockSurroundings = {
  readonly fs: FileSystem;
  /** What is locked, for messages. */
  readonly location: string;
  readonly clock: Clock;
  readonly host: string;
  readonly process: ProcessIdentity;
  /** Whether another process of this host has ended; undefined when that cannot be seen. */
  readonly hasEnded: (other: ProcessIdentity) => boolean | undefined;
  /** A fresh id of letters, digits and hyphens. */
  readonly newId: () => string;
};

/** Between two looks at a lock that is held. */
export const pollMs = 250;
/** Under a claim only a few file operations are made. */
const claimWaitMs = 10_000;
/** The lock was taken when we linked and gone when we read; more often than this is no chance. */
const goneCountMax = 100;

/** A lock file that nobody can read; it holds until it is removed by this id. */
export const unreadableLock: LockInfo = {
  id: "unreadable",
  operation: "unknown",
  who: "unknown",
  host: "unknown",
  pid: 0,
  createdMs: 0,
};

/**
 * Locks of this process. After a restart with the same process id, usual in containers, a lock file
 * names a process that is alive and yet not its holder.
 */
const heldHere = new Set<string>();

/**
 * Takes the lock for `info`, waiting until `deadlineMs`. Throws `StoreError` STO009 with the holder
 * when it is still taken then, and the system's errors.
 */
export async function acquireLock(
  around: LockSurroundings,
  path: string,
  info: LockInfo,
  deadlineMs: number,
): Promise<void> {
  const own = `${path}.${info.id}.new`;
  await writeFile(around.fs, own, "wx", new TextEncoder().encode(`${stringifyJson(info)}\n`));
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
      if (goneCount > goneCountMax) throw locked(around.location, unreadableLock);
      continue;
    }
    if (isStale(around, holder)) {
      const replace = (): Promise<void> => around.fs.rename(own, path);
      if (await withClaim(around, path, holder.id, info, deadlineMs, replace)) return true;
      continue;
    }
    const restMs = deadlineMs - around.clock.now();
    if (restMs <= 0) throw locked(around.location, holder);
    await around.clock.sleep(Math.min(pollMs, restMs));
  }
}

/**
 * Removes the lock if it still has this id, and says whether it had. Throws `StoreError` STO009
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

/** Who a lock file says holds it; undefined when it says nothing that can be read. */
export function decodeLock(bytes: Uint8Array): LockInfo | undefined {
  let value: unknown;
  try {
    value = parseJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  return isLockInfo(value) ? value : undefined;
}

/** The id becomes part of a file name. */
const idPattern = /^[A-Za-z0-9-]{1,64}$/;

function isLockInfo(value: unknown): value is LockInfo {
  if (typeof value !== "object" || value === null) return false;
  const info = value as { readonly [name in keyof LockInfo]?: unknown };
  return (
    typeof info.id === "string" &&
    idPattern.test(info.id) &&
    typeof info.operation === "string" &&
    typeof info.who === "string" &&
    typeof info.host === "string" &&
    Number.isSafeInteger(info.pid) &&
    Number(info.pid) > 0 &&
    isDateMs(info.createdMs) &&
    [info.boot, info.pidNamespace, info.start].every(
      (each) => each === undefined || typeof each === "string",
    ) &&
    (info.byKernel === undefined || typeof info.byKernel === "boolean")
  );
}

/** A time that a date can be made of. */
function isDateMs(value: unknown): boolean {
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= 8.64e15;
}
