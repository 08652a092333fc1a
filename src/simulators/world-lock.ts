/**
 * One process per world: a lock beside the persisted world that the kernel holds for the process
 * (`lib/files/kernel-lock.ts`). Where the kernel offers none, a lock file that is stale when the
 * process that wrote it has ended.
 */

import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { takeKernelLock } from "../lib/files/kernel-lock.ts";
import { hasEnded, ownProcess, type ProcessIdentity } from "../lib/files/process-identity.ts";
import { SimulatorInputError } from "./kit/document.ts";

type LockOwner = ProcessIdentity & {
  readonly token: string;
  /** The kernel holds the lock, for as long as the process runs. */
  readonly byKernel?: boolean;
};

export type WorldLock = { release(): void };

/** Takes the lock. Throws `SimulatorInputError` while another simulator holds it. */
export function lockWorld(worldFile: string): WorldLock {
  const lockFile = `${worldFile}.lock`;
  const owner: LockOwner = { ...ownProcess(), token: randomUUID() };
  const taken = takeKernelLock(lockFile);
  if (taken === "held") throw heldError(worldFile, readHolder(lockFile));
  if (taken === "unsupported") return lockByFile(worldFile, lockFile, owner);
  const found = decodeOwner(taken.found);
  if (found !== undefined && found.byKernel !== true && !isStale(owner, found)) {
    // Of a simulator for which the kernel could hold nothing: the file alone is its lock.
    taken.abandon();
    throw heldError(worldFile, found);
  }
  taken.write(JSON.stringify({ ...owner, byKernel: true }));
  return taken;
}

/**
 * The file appears complete (written elsewhere, then linked), so no other process ever reads half
 * of it.
 */
function lockByFile(worldFile: string, lockFile: string, owner: LockOwner): WorldLock {
  const { token } = owner;
  const ownFile = `${lockFile}.${token}`;
  writeFileSync(ownFile, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
  try {
    if (!tryLink(ownFile, lockFile)) {
      removeStale(lockFile, `${ownFile}.stale`, worldFile, owner);
      if (!tryLink(ownFile, lockFile)) throw heldError(worldFile, readOwner(lockFile));
    }
  } finally {
    unlinkSync(ownFile);
  }
  heldTokens.add(token);
  return {
    release() {
      heldTokens.delete(token);
      if (readOwner(lockFile)?.token === token) unlinkSync(lockFile);
    },
  };
}

/** Tokens of this process: in a container every process may have the same id. */
const heldTokens = new Set<string>();

/** Moves a stale lock away; a lock that came in its place meanwhile is put back. */
function removeStale(
  lockFile: string,
  asideFile: string,
  worldFile: string,
  own: ProcessIdentity,
): void {
  const seen = readOwner(lockFile);
  if (seen === undefined) return;
  if (!isStale(own, seen)) throw heldError(worldFile, seen);
  try {
    renameSync(lockFile, asideFile);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  if (readOwner(asideFile)?.token !== seen.token) tryLink(asideFile, lockFile);
  unlinkSync(asideFile);
}

function isStale(own: ProcessIdentity, owner: LockOwner): boolean {
  const isSeen = owner.boot === own.boot && owner.pidNamespace === own.pidNamespace;
  if (isSeen && owner.pid === own.pid) return !heldTokens.has(owner.token);
  return hasEnded(own, owner) === true;
}

/** Undefined when there is no lock; a file of another kind is an error. */
function readOwner(lockFile: string): LockOwner | undefined {
  let text: string;
  try {
    text = readFileSync(lockFile, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const owner = decodeOwner(text);
  if (owner !== undefined) return owner;
  throw new SimulatorInputError([`${lockFile}: not a simulator's lock; remove it if none runs`]);
}

/** Undefined when it has been given back, or does not say yet who it is. */
function readHolder(lockFile: string): LockOwner | undefined {
  try {
    return decodeOwner(readFileSync(lockFile, "utf8"));
  } catch {
    return undefined;
  }
}

function decodeOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is LockOwner {
  return (
    typeof value === "object" &&
    value !== null &&
    "pid" in value &&
    typeof value.pid === "number" &&
    "token" in value &&
    typeof value.token === "string"
  );
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function heldError(worldFile: string, owner: LockOwner | undefined): SimulatorInputError {
  const who = owner === undefined ? "another process" : `process ${owner.pid}`;
  return new SimulatorInputError([
    `${worldFile}: this simulated world is in use by ${who}; one process may have it at a time. ` +
      "Wait until that has ended, or serve the world to several with vmform simulate",
  ]);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
