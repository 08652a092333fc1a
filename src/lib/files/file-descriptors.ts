/** How many more files and connections this process may open. */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** Connections at work and being read, files of the state, and parts of the program. */
const spareMin = 24;

/** What to do about it. */
export const descriptorsWayOut =
  "Allow more open files in the shell, then run again: ulimit -n 1024 (services have a setting, " +
  "such as LimitNOFILE).";

/** Throws the system's own error where only a few more can be opened: nothing is begun then. */
export function requireDescriptors(count = spareMin): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** True of an error that came of too many open files, wherever it surfaced. */
export function isOutOfDescriptors(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
}
