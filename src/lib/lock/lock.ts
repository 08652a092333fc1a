/**
 * A lock of one process among all, of recorded state or of a simulated world: held by the kernel
 * where it can be, else by a lock file alone (`lock-file.ts`). The file says who holds it in either
 * case (`lock-info.ts`).
 *
 * What the kernel holds ends with its process and not before: nobody takes it away from a run that
 * is stopped between a look at its lock and a write, so look and write are one step. Forced
 * unlocking is for what no kernel holds.
 */

import type { KernelLock } from "../files/kernel-lock.ts";
import {
  acquireLock,
  isStale,
  LockHeldError,
  type LockSurroundings,
  pollMs,
  readLock,
  removeLock,
} from "./lock-file.ts";
import { decodeLock, encodeLock, type LockInfo, unreadableLock } from "./lock-info.ts";

export type HeldLock = {
  readonly id: string;
  /** Whether it still holds; else who holds it now, as far as that can be told. */
  present(): Promise<{ readonly holds: boolean; readonly holder: LockInfo | undefined }>;
  /** False when it had been taken away before. */
  release(): Promise<boolean>;
};

/** What this process is to write into its lock. */
export function ownLock(
  { clock, host, process, newId }: LockSurroundings,
  operation: string,
  who: string,
): LockInfo {
  return { id: newId(), operation, who, host, ...process, createdMs: clock.now() };
}

/** Throws `LockHeldError` while it is taken at `deadlineMs` of the clock, and system errors. */
export async function takeLock(
  around: LockSurroundings,
  path: string,
  info: LockInfo,
  deadlineMs: number,
): Promise<HeldLock> {
  for (;;) {
    const taken = await takeFromKernel(around, path);
    if (taken === "unsupported") {
      await acquireLock(around, path, info, deadlineMs);
      return fileLock(around, path, info);
    }
    if (!("holder" in taken)) {
      try {
        taken.write(encodeLock({ ...info, byKernel: true }));
      } catch (error) {
        taken.release();
        throw error;
      }
      return kernelLock(around, path, info.id, taken);
    }
    const restMs = deadlineMs - around.clock.now();
    const holder = taken.holder ?? (await settledHolder(around, path));
    if (restMs <= 0 && holder !== undefined) throw new LockHeldError(holder);
    await around.clock.sleep(Math.max(1, Math.min(pollMs, restMs)));
  }
}

type Taken = KernelLock | { readonly holder: LockInfo | undefined } | "unsupported";

async function takeFromKernel(around: LockSurroundings, path: string): Promise<Taken> {
  const taken = (await around.fs.kernelLocks?.take(path)) ?? "unsupported";
  if (taken === "unsupported") return taken;
  if (taken === "held") return { holder: undefined };
  const found = decodeLock(new TextEncoder().encode(taken.found));
  if (found === undefined || found.byKernel === true || isStale(around, found)) return taken;
  // Of a run for which the kernel could hold nothing: the file alone is its lock.
  taken.abandon();
  return { holder: found };
}

/** Who holds it; undefined when it has been given back meanwhile and should be tried again. */
async function settledHolder(
  around: LockSurroundings,
  path: string,
): Promise<LockInfo | undefined> {
  // Whoever has just taken it has not said who it is yet, and whoever asks holds it for a moment.
  for (let looks = 0; looks < looksMax; looks += 1) {
    const bytes = await around.fs.read(path).catch(() => new Uint8Array());
    const holder = decodeLock(bytes);
    if (holder !== undefined) {
      return (await around.fs.kernelLocks?.isLocked(path)) === true ? holder : undefined;
    }
    if ((await around.fs.kernelLocks?.isLocked(path)) !== true) return undefined;
    await around.clock.sleep(lookMs);
  }
  return unreadableLock;
}

const looksMax = 20;
const lookMs = 10;

/** The living holder, or one that cannot be looked at; undefined when the lock is free. */
export async function holderOf(
  around: LockSurroundings,
  path: string,
): Promise<LockInfo | undefined> {
  const present = await readLock(around.fs, path);
  if (present === undefined) return undefined;
  const isHeld = (await around.fs.kernelLocks?.isLocked(path)) ?? "unsupported";
  if (isHeld === true) return present;
  if (isHeld === false && (present.byKernel === true || present.id === unreadableLock.id)) {
    return undefined;
  }
  return isStale(around, present) ? undefined : present;
}

/** Removes the lock if it still has this id; `running` when the kernel holds it for a process. */
export async function forceRelease(
  around: LockSurroundings,
  path: string,
  info: LockInfo,
  id: string,
): Promise<"removed" | "other" | { readonly running: LockInfo }> {
  const present = await readLock(around.fs, path);
  if (present?.id !== id) return "other";
  const taken = (await around.fs.kernelLocks?.take(path)) ?? "unsupported";
  if (taken === "held") return { running: present };
  if (taken === "unsupported") {
    return (await removeLock(around, path, id, info)) ? "removed" : "other";
  }
  const found = decodeLock(new TextEncoder().encode(taken.found))?.id ?? unreadableLock.id;
  if (found !== id) {
    taken.abandon();
    return "other";
  }
  taken.release();
  return "removed";
}

function fileLock(around: LockSurroundings, path: string, info: LockInfo): HeldLock {
  const { id } = info;
  return {
    id,
    present: async () => {
      const holder = await readLock(around.fs, path);
      return { holds: holder?.id === id, holder };
    },
    release: () => removeLock(around, path, id, { ...info, id: around.newId() }),
  };
}

function kernelLock(
  around: LockSurroundings,
  path: string,
  id: string,
  lock: KernelLock,
): HeldLock {
  return {
    id,
    present: async () =>
      lock.isNamed()
        ? { holds: true, holder: undefined }
        : { holds: false, holder: await readLock(around.fs, path) },
    release: () => {
      const isNamed = lock.isNamed();
      lock.release();
      return Promise.resolve(isNamed);
    },
  };
}
