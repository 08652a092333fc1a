/** `vmform schema` and `fmt` on the command line. */

import type { Command } from "commander";
import { formatCommand } from "../../commands/configuration/format.ts";
import { schemaCommand } from "../../commands/configuration/schema.ts";
import { plural } from "../../lib/text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";

export function addLanguage(program: Command, shell: Shell, done: Done): void {
  const schema = program
    .command("schema")
    .argument("[type]", "a resource type; without it, the whole configuration")
    .description("print the JSON Schema of the configuration, for editors");
  addCommon(schema)
    .option("--strict", "without the expressions and secrets that may stand in a file")
    .action(
      action(shell, done, (run, flags, [type]) =>
        runSchema(shell, run, type, flags.strict === true),
      ),
    );

  const format = program
    .command("fmt")
    .argument("[files...]", "files; without any, the configuration of the folder")
    .description("put configuration files in regular layout; changes white space only");
  addCommon(format)
    .option("--check", "change nothing; exit with 1 when a file is not in regular layout")
    .action(
      action(shell, done, (run, flags, [files]) =>
        runFormat(run, flags, files, flags.check === true),
      ),
    );
}

/** A schema is JSON, whether or not JSON is asked for. */
async function runSchema(
  { terminal }: Shell,
  { environment }: Run,
  type: string | undefined,
  strict: boolean,
): Promise<ExitCode> {
  const schema = schemaCommand(environment, { type, strict });
  terminal.write(`${JSON.stringify(schema, undefined, 2)}\n`);
  return exitCodes.ok;
}

async function runFormat(
  { view, environment }: Run,
  flags: CommonOptions,
  files: readonly string[],
  check: boolean,
): Promise<ExitCode> {
  const { directory } = workspaceOptions(flags);
  const { changed, diagnostics, looked } = await formatCommand(environment, {
    directory,
    files,
    check,
  });
  for (const name of changed) view.text(name);
  if (changed.length > 0) {
    const verb = check ? "not in regular layout" : "changed";
    view.note(`${changed.length} of ${plural(looked, "file")} ${verb}.`);
  }
  if (!view.json || diagnostics.length > 0) view.diagnostics(diagnostics);
  if (diagnostics.length === 0) view.document({ changed, looked });
  return diagnostics.length > 0 || (check && changed.length > 0) ? exitCodes.error : exitCodes.ok;
}
