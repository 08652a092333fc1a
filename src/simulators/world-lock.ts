/**
 * One process per world: a lock file beside the persisted world. A lock is stale when the process
 * that wrote it is gone; process ids are used again, so its start is compared too where the host
 * tells it (Linux).
 */

import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { SimulatorInputError } from "./decode.ts";

type LockOwner = { readonly pid: number; readonly processStart: string; readonly token: string };

export type WorldLock = { release(): void };

/**
 * Takes the lock. The file appears complete (written elsewhere, then linked), so no other process
 * ever reads half of it. Throws `SimulatorInputError` while another simulator holds it.
 */
export function lockWorld(worldFile: string): WorldLock {
  const lockFile = `${worldFile}.lock`;
  const token = randomUUID();
  const owner: LockOwner = { pid: process.pid, processStart: processStart(process.pid), token };
  const ownFile = `${lockFile}.${token}`;
  writeFileSync(ownFile, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
  try {
    if (!tryLink(ownFile, lockFile)) {
      removeStale(lockFile, `${ownFile}.stale`, worldFile);
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
function removeStale(lockFile: string, asideFile: string, worldFile: string): void {
  const seen = readOwner(lockFile);
  if (seen === undefined) return;
  if (isAlive(seen)) throw heldError(worldFile, seen);
  try {
    renameSync(lockFile, asideFile);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  if (readOwner(asideFile)?.token !== seen.token) tryLink(asideFile, lockFile);
  unlinkSync(asideFile);
}

function isAlive(owner: LockOwner): boolean {
  if (owner.pid === process.pid) return heldTokens.has(owner.token);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: there is such a process, of another user.
    if (codeOf(error) === "ESRCH") return false;
  }
  return processStart(owner.pid) === owner.processStart;
}

/** When a process began, in the kernel's ticks; empty where the host does not tell. */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command in parentheses may hold spaces; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
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
  try {
    const value: unknown = JSON.parse(text);
    if (isOwner(value)) return value;
  } catch {
    // Reported below, as any other content that no simulator wrote.
  }
  throw new SimulatorInputError([`${lockFile}: not a simulator's lock; remove it if none runs`]);
}

function isOwner(value: unknown): value is LockOwner {
  return (
    typeof value === "object" &&
    value !== null &&
    "pid" in value &&
    typeof value.pid === "number" &&
    "processStart" in value &&
    typeof value.processStart === "string" &&
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
