/** Problems that every store tells in the same words, one function and one code per cause. */

import { errorCode } from "../../lib/files/file-system.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { nowhere } from "../../model/said/problem.ts";
import { problem, type storeCodes } from "../../state/codes.ts";
import type { IntegrityProblem } from "../../state/integrity.ts";

export function storeError(
  code: keyof typeof storeCodes,
  detail: string,
  fix: string,
  cause?: unknown,
): StoreError {
  return new StoreError(problem(nowhere, code, { detail, fix }), cause);
}

export function unsoundState(path: string, problems: readonly IntegrityProblem[]): StoreError {
  return storeError(
    "STO013",
    `The new state would not be sound, and ${path} was left as it was: ` +
      `${describeProblems(problems)}.`,
    "This is a fault of vmform; please report it. What was done is kept in the journal.",
  );
}

const problemsShownMax = 3;

export function describeProblems(problems: readonly IntegrityProblem[]): string {
  const shown = problems.slice(0, problemsShownMax).map(({ invariant, address, message }) => {
    const subject = address === undefined ? "" : `${address}: `;
    return `${subject}${message} (invariant ${invariant})`;
  });
  const more = problems.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

export function fixForWriting(error: unknown): string {
  switch (errorCode(error)) {
    case "EACCES":
    case "EPERM":
      return "Run as the user who may write to that folder, or change its permissions.";
    case "EROFS":
      return "Put the state on a file system that can be written: vmform.state.local.path.";
    case "ENOSPC":
    case "EDQUOT":
      return "Free some space, then run the same command again.";
    default:
      return "Mend what the system reports, then run the same command again.";
  }
}

/** Nothing may follow a write that failed: a later entry would stand behind a gap. */
export function writingStopped(path: string, cause: Error): StoreError {
  return storeError(
    "STO008",
    `Nothing more is written to ${path}, because an earlier write failed: ${cause.message}`,
    (cause instanceof StoreError ? cause.fix : undefined) ?? fixForWriting(cause),
    cause,
  );
}

export function locked(path: string, holder: LockInfo): StoreError {
  const unlock = `vmform force-unlock ${holder.id}`;
  return holder.createdMs === 0
    ? storeError(
        "STO009",
        `The recorded state in ${path} is locked, and its lock file says not by whom.`,
        `Make sure that no vmform uses this state, then: ${unlock}`,
      )
    : storeError(
        "STO009",
        `The recorded state in ${path} is locked by ${holder.who} on ${holder.host} ` +
          `(process ${holder.pid}, ${holder.operation}) since ` +
          `${clockText(holder.createdMs)}.`,
        `Wait until it has ended, or give it time with --lock-timeout. ` +
          (holder.byKernel === true
            ? "The lock ends with that process, however it ends."
            : `Only if that process is gone: ${unlock}`),
      );
}

/** The kernel holds the lock for a process, and gives it back when that ends. */
export function heldByRunning(path: string, holder: LockInfo): StoreError {
  return storeError(
    "STO015",
    `The lock of ${path} is held by a process that runs: ${holder.who} on ${holder.host} ` +
      `(process ${holder.pid}, ${holder.operation}). It cannot be taken away from it.`,
    "Wait until it has ended, or end it there; its lock is given back at once, and the next run " +
      "settles what it had begun.",
  );
}

export function lockLost(path: string, holder: LockInfo | undefined): StoreError {
  const now =
    holder === undefined ? "nobody holds it now" : `${holder.who} on ${holder.host} holds it now`;
  return storeError(
    "STO010",
    `The lock of ${path} was taken away while this command ran; ${now}. Nothing more is written.`,
    "Run the same command again when the state is free; what was begun is found and settled then.",
  );
}

export function notLocked(path: string): StoreError {
  return storeError(
    "STO011",
    `The recorded state in ${path} is not locked.`,
    "Nothing has to be unlocked.",
  );
}

export function lockedByOther(path: string, id: string, holder: LockInfo): StoreError {
  return storeError(
    "STO012",
    `The lock of ${path} is not ${id}: ${holder.id} holds it (${holder.who} on ${holder.host}).`,
    `Unlock by the id that stands there now: vmform force-unlock ${holder.id}`,
  );
}

export function describeSystemError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A write that is refused after another one names that as its cause. */
function lockLossIn(cause: unknown): StoreError | undefined {
  if (!(cause instanceof StoreError)) return undefined;
  return cause.code === "STO010" ? cause : lockLossIn(cause.cause);
}

/**
 * The last resort after work was done. `copy` is undefined when not even that was possible. What
 * somebody has written since a lock was lost is newer than the copy. `putBack` is the command that
 * puts it back where copying the file does not.
 */
export function savedElsewhere(
  path: string,
  copy: string | undefined,
  cause: unknown,
  putBack?: string,
): StoreError {
  const why = describeSystemError(cause);
  const lost = lockLossIn(cause);
  if (lost !== undefined && copy !== undefined) {
    return storeError(
      "STO010",
      `${lost.message} What this run knew at its end is in ${copy}, to be looked at.`,
      `Do not copy it over ${path}: others may have written there since. ${lost.fix ?? ""}`,
      cause,
    );
  }
  return copy === undefined
    ? storeError(
        "STO014",
        `The recorded state in ${path} could not be saved, nor could an emergency copy: ${why}`,
        "The next run reads the remote side and settles what the journal tells; compare its plan " +
          "with what this run reported.",
        cause,
      )
    : storeError(
        "STO014",
        `The recorded state in ${path} could not be saved: ${why} An emergency copy is in ${copy}.`,
        putBack === undefined
          ? `Mend the cause, copy ${copy} over ${path} before any other command, then delete ` +
              "the copy."
          : `Mend the cause, then before any other command: ${putBack}`,
        cause,
      );
}
