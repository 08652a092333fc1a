/** What stops a command, as it is told. */

import { descriptorsWayOut, isOutOfDescriptors } from "../lib/files/file-descriptors.ts";
import { isSystemError } from "../lib/files/system-error.ts";
import { packageProblem } from "../model/provider/package-codes.ts";
import { PackageFailure } from "../model/provider/package-failure.ts";
import { StoreError } from "../model/recorded/store.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { nowhere } from "../model/said/problem.ts";
import { problem } from "./codes.ts";
import { CommandError, commandProblems, DiagnosticError, InterruptedError } from "./environment.ts";

/** What to tell of an error the user can mend; nothing for a fault of ours. */
export function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  if (error instanceof DiagnosticError) return error.diagnostics;
  const diagnostic = diagnosticOf(error);
  return diagnostic === undefined ? [] : [diagnostic];
}

function diagnosticOf(error: unknown): Diagnostic | undefined {
  if (error instanceof CommandError) {
    const { message: detail, fix } = error;
    return problem(nowhere, commandProblems[error.problem], { detail, fix });
  }
  if (error instanceof StoreError) return error.diagnostic;
  if (error instanceof PackageFailure) return packageProblem(nowhere, error.message);
  if (error instanceof InterruptedError) {
    const detail = "Asked to stop before any operation was begun.";
    return problem(nowhere, "CLI008", { detail });
  }
  if (!isSystemError(error)) return undefined;
  const detail = `The system reports: ${error.message}.`;
  const fix = isOutOfDescriptors(error) ? { fix: descriptorsWayOut } : {};
  return problem(nowhere, commandProblems.file, { detail, ...fix });
}
