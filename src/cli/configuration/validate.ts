/** `vmform validate` on the command line. */

import type { Command } from "commander";
import { validateCommand } from "../../commands/configuration/validate.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import { validationJson } from "../../render/state/validation-json.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, addVariables, type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";

export function addValidate(program: Command, shell: Shell, done: Done): void {
  const validate = program.command("validate").description("check the configuration, offline");
  addVariables(addCommon(validate)).action(action(shell, done, runValidate));
}

async function runValidate({ view, environment }: Run, flags: CommonOptions): Promise<ExitCode> {
  const { value, diagnostics } = await validateCommand(environment, workspaceOptions(flags));
  const valid = value !== undefined && !hasErrors(diagnostics);
  if (view.json) view.document(validationJson(valid, diagnostics));
  else view.diagnostics(diagnostics);
  if (!valid) return exitCodes.error;
  view.text("The configuration is valid.");
  return exitCodes.ok;
}
