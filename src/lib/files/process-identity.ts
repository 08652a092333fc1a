/**
 * Which process this is, for locks that no kernel holds: a process id alone means another process
 * in another container, after a restart, and after some time. Linux tells more; elsewhere it is
 * absent.
 */

import { readFileSync, readlinkSync } from "node:fs";
import { isSystemError } from "./system-error.ts";

export type ProcessIdentity = {
  readonly pid: number;
  /** Of this start of the machine. */
  readonly boot?: string;
  /** In which process ids are counted. */
  readonly pidNamespace?: string;
  /** When the process began, in the kernel's ticks since the start of the machine. */
  readonly start?: string;
};

export function ownProcess(): ProcessIdentity {
  const boot = presentBoot();
  const pidNamespace = readOrNothing(() => readlinkSync("/proc/self/ns/pid"));
  const start = processStart(process.pid);
  return {
    pid: process.pid,
    ...(boot === undefined ? {} : { boot }),
    ...(pidNamespace === undefined ? {} : { pidNamespace }),
    ...(start === undefined ? {} : { start }),
  };
}

/** Of this start of the machine; undefined where it does not tell. */
export function presentBoot(): string | undefined {
  return readOrNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

/**
 * Whether another process, seen from `own`, has ended. `undefined`: it cannot be looked at from
 * here, since it counts its processes elsewhere.
 */
export function hasEnded(own: ProcessIdentity, other: ProcessIdentity): boolean | undefined {
  if (own.boot !== other.boot || own.pidNamespace !== other.pidNamespace) return undefined;
  if (!isRunning(other.pid)) return true;
  return other.start !== undefined && processStart(other.pid) !== other.start;
}

/** Whether a process of this id is there, whichever it is by now. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Without permission to signal it, it is there.
    return !isSystemError(error) || error.code !== "ESRCH";
  }
}

function processStart(pid: number): string | undefined {
  return readOrNothing(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command in parentheses may hold spaces; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });
}

function readOrNothing(read: () => string): string | undefined {
  try {
    const text = read();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
