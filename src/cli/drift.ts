/** `vmform drift` on the command line. */

import { driftCommand } from "../commands/drift.ts";
import { driftExitCode } from "../drift/drift-report.ts";
import { hasErrors } from "../model/diagnostic.ts";
import { driftJson, driftText } from "../render/drift-text.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type CommonOptions, workspaceOptions } from "./options.ts";
import type { Run } from "./run.ts";

/** 0 none, 2 drift, 1 when something could not be checked that should have been. */
export async function runDrift(
  { view, environment }: Run,
  flags: CommonOptions,
): Promise<ExitCode> {
  const result = await driftCommand(environment, workspaceOptions(flags));
  if (!result.ok) {
    view.diagnostics(result.diagnostics);
    return exitCodes.error;
  }
  const { report, diagnostics } = result.value;
  view.text(driftText(report, view.options));
  view.document(driftJson(report));
  if (!view.json) view.diagnostics(diagnostics);
  return hasErrors(diagnostics) ? exitCodes.error : driftExitCode(report);
}
