/** Files that lines are appended to, as logs are: only to such as hold nothing else. */

import { appendFileSync, chmodSync, closeSync, openSync, readSync, statSync } from "node:fs";

/**
 * Makes the file, or takes one that is empty or begins with `head`, which each line of ours does.
 * Others may not read it, also when it was there before. A device, as `/dev/stderr`, stays as it
 * is. False, and nothing changed, where it holds something else. Throws errors of the system.
 */
export function beginAppending(path: string, head: string): boolean {
  if (!isFile(path)) {
    appendFileSync(path, "", { mode: 0o600 });
    return true;
  }
  if (!["", head].includes(beginning(path, head.length))) return false;
  appendFileSync(path, "");
  chmodSync(path, 0o600);
  return true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function beginning(path: string, length: number): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, length, 0));
  } finally {
    closeSync(file);
  }
}
