/** The problems of the local store's files, one function and one stable code per cause. */

import { errorCode } from "../../lib/files/file-system.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { StoreError } from "../../model/recorded/store.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { warning } from "../../state/codes.ts";
import type { StateFormatError } from "../../state/form/format-error.ts";
import type { IntegrityProblem } from "../../state/integrity.ts";
import {
  describeProblems,
  describeSystemError,
  fixForWriting,
  storeError,
} from "../kit/problems.ts";

/** How to go on without the damaged file; made by looking at the backup. */
export type WayOut = { readonly backup: string; readonly fix: string };

export function damagedSnapshot(path: string, error: StateFormatError, way: WayOut): StoreError {
  return error.problem === "newer"
    ? newerFormat(path, error, way)
    : storeError(
        "STO001",
        `The recorded state in ${path} cannot be used: the file ${error.message}. ${way.backup}`,
        way.fix,
        error,
      );
}

export function damagedJournal(path: string, error: StateFormatError, way: WayOut): StoreError {
  return error.problem === "newer"
    ? newerFormat(path, error, way)
    : storeError(
        "STO002",
        `The journal ${path} cannot be used: it ${error.message}. ${way.backup}`,
        way.fix,
        error,
      );
}

/** A copy of the state file alone has none; nor has a folder that somebody tidied. */
export function journalMissing(
  paths: { readonly snapshot: string; readonly journal: string },
  { serial, journal }: RecordedState,
): Diagnostic {
  return warning(nowhere, "STO016", {
    detail:
      `There is no ${paths.journal}. The state in ${paths.snapshot} (serial ${serial}, position ` +
      `${journal.position}) is sound; what was begun or done after it is not known.`,
    fix:
      "Put the journal back if there is one. Else look at the plan closely; the next apply " +
      "begins a new one.",
  });
}

function newerFormat(path: string, error: StateFormatError, way: WayOut): StoreError {
  return storeError(
    "STO003",
    `The file ${path} was written by a later version of vmform: it ${error.message}. ${way.backup}`,
    "Use the version of vmform that wrote it, or a later one.",
    error,
  );
}

export function missingSnapshot(path: string, beside: string, way: WayOut): StoreError {
  return storeError(
    "STO004",
    `There is no recorded state in ${path}, but ${beside} stands beside it: the file was moved ` +
      `or deleted. ${way.backup}`,
    way.fix,
  );
}

export function unsoundSnapshot(
  path: string,
  problems: readonly IntegrityProblem[],
  way: WayOut,
): StoreError {
  return storeError(
    "STO005",
    `The recorded state in ${path} is not sound: ${describeProblems(problems)}. ${way.backup}`,
    way.fix,
  );
}

export function unreadable(path: string, error: unknown): StoreError {
  return storeError(
    "STO006",
    `The recorded state in ${path} cannot be read: ${describeSystemError(error)}.`,
    errorCode(error) === "EACCES"
      ? "Run as the user who may read it, or change its permissions."
      : "Mend what the system reports; the state counts as unknown until then, never as empty.",
    error,
  );
}

export function unwritable(path: string, error: unknown): StoreError {
  return storeError(
    "STO007",
    `The recorded state in ${path} cannot be written: ${describeSystemError(error)}.`,
    fixForWriting(error),
    error,
  );
}
