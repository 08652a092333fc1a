/** What a lock file says of who holds the lock. */

import type { ProcessIdentity } from "../files/process-identity.ts";
import { parseJson, stringifyJson } from "../json.ts";

export type LockInfo = ProcessIdentity & {
  readonly id: string;
  readonly operation: string;
  readonly who: string;
  readonly host: string;
  readonly createdMs: number;
  /** The kernel holds the lock, for as long as the process runs. */
  readonly byKernel?: boolean;
};

/** A lock file that nobody can read; it holds until it is removed by this id. */
export const unreadableLock: LockInfo = {
  id: "unreadable",
  operation: "unknown",
  who: "unknown",
  host: "unknown",
  pid: 0,
  createdMs: 0,
};

export function encodeLock(info: LockInfo): string {
  return `${stringifyJson(info)}\n`;
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
