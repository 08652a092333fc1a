/** One process per world: a lock beside the persisted world. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeFileSystem } from "../lib/files/file-system.ts";
import { hasEnded, ownProcess } from "../lib/files/process-identity.ts";
import { type HeldLock, ownLock, takeLock } from "../lib/lock/lock.ts";
import { LockHeldError, type LockSurroundings } from "../lib/lock/lock-file.ts";
import { type LockInfo, unreadableLock } from "../lib/lock/lock-info.ts";
import { SimulatorInputError } from "./kit/document.ts";

/** Takes the lock at once. Throws `SimulatorInputError` while another simulator holds it. */
export async function lockWorld(worldFile: string): Promise<HeldLock> {
  const own = ownProcess();
  const around: LockSurroundings = {
    fs: nodeFileSystem,
    clock: { now: Date.now, sleep: (ms) => sleep(ms) },
    host: hostname(),
    process: own,
    hasEnded: (other) => hasEnded(own, other),
    newId: randomUUID,
  };
  const path = `${worldFile}.lock`;
  try {
    return await takeLock(around, path, ownLock(around, "simulate", "vmform"), Date.now());
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw heldError(worldFile, path, error.holder);
  }
}

function heldError(worldFile: string, path: string, holder: LockInfo): SimulatorInputError {
  const { id, pid, host, byKernel } = holder;
  const who = id === unreadableLock.id ? "another process" : `process ${pid} on ${host}`;
  // Nobody else can tell whether who has written a mere file still runs.
  const gone = byKernel === true ? "" : `. If that is gone, remove ${path}`;
  return new SimulatorInputError([
    `${worldFile}: this simulated world is in use by ${who}; one process may have it at a time. ` +
      `Wait until that has ended, or serve the world to several with vmform simulate${gone}`,
  ]);
}
