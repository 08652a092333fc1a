/** `vmform import` on the command line. */

import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../../commands/environment.ts";
import { importCommand } from "../../commands/import/import.ts";
import { type ImportedAll, importAllCommand } from "../../commands/import/import-all.ts";
import { isConfigurationFile } from "../../commands/reading.ts";
import { listWords } from "../../config/read/form/spelling.ts";
import { quotedWord } from "../../lib/shell-word.ts";
import { plural } from "../../lib/text.ts";
import { outputsText } from "../../render/state/outputs.ts";
import { escapeControls } from "../../render/text/safe-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addCommon,
  addDebug,
  addLockTimeout,
  addVariables,
  type FlagsOf,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";

type ImportFlags = FlagsOf<typeof declareImport>;

export function addImport(program: Command, shell: Shell, done: Done): void {
  declareImport(program).action(action(shell, done, runImport));
}

function declareImport(program: Command) {
  const command = program
    .command("import")
    .argument("[address]", "address in the configuration")
    .argument("[id]", "what the remote side calls the object; vm/share for a shared folder")
    .description("record an object that exists, or write configuration for all of a type");
  return addLockTimeout(addDebug(addVariables(addCommon(command))))
    .option(
      "--all [types]",
      "write configuration for every object that is unmanaged: of these types, comma-separated, " +
        "or of all",
    )
    .option("--filter <expression>", "with --all, only objects of which it is true")
    .option("--no-group", "with --all, a resource for each object, and no for_each")
    .option("--out <file>", "with --all, the new file to write; else it is printed");
}

async function runImport(
  run: Run,
  flags: ImportFlags,
  [address, id]: [string | undefined, string | undefined],
): Promise<ExitCode> {
  if (flags.all !== undefined) {
    if (address === undefined) return runImportAll(run, flags.all, flags);
    throw new CommandError("--all takes types, and no address.", undefined, "usage");
  }
  for (const name of ["out", "filter"] as const) {
    if (flags[name] === undefined) continue;
    throw new CommandError(`--${name} belongs to --all.`, undefined, "usage");
  }
  if (flags.group === false) {
    throw new CommandError("--no-group belongs to --all.", undefined, "usage");
  }
  if (address === undefined || id === undefined) {
    const fix = "Write vmform import ADDRESS ID, or vmform import --all TYPE.";
    throw new CommandError("What is to be imported, and where to?", fix, "usage");
  }
  return runImportOne(run, { address, id }, flags);
}

async function runImportOne(
  { view, environment }: Run,
  { address, id }: { readonly address: string; readonly id: string },
  flags: ImportFlags,
): Promise<ExitCode> {
  const {
    address: at,
    identity,
    attributes,
  } = await importCommand(environment, {
    ...workspaceOptions(flags),
    address,
    id,
    lockTimeoutMs: flags.lockTimeout ?? 0,
  });
  const type = at.split(".", 1)[0] ?? "";
  const schema = environment.types[type]?.schema.attributes ?? {};
  const read = Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ name, value, sensitive: schema[name]?.sensitive !== false }));
  view.text(`Imported ${identity} as ${at}:\n\n${outputsText(read, view.options)}\n`);
  view.text("What the configuration wants of it is not applied yet. See with: vmform plan");
  const shown = read.map(({ name, value, sensitive }) => [name, sensitive ? null : value] as const);
  view.document({ imported: { address: at, id: identity, attributes: Object.fromEntries(shown) } });
  return exitCodes.ok;
}

async function runImportAll(
  { view, environment }: Run,
  all: string | true,
  flags: ImportFlags,
): Promise<ExitCode> {
  const { out, filter } = flags;
  const options = workspaceOptions(flags);
  if (out === undefined) view.eventsAside();
  const types = all === true ? [] : all.split(",").map((name) => name.trim());
  const group = flags.group !== false;
  const imported = await importAllCommand(environment, { ...options, types, out, filter, group });
  const { text, resources, skipped, declared, variables, filtered, unlisted } = imported;
  view.document({
    resources: resources.map(({ address, provider, identity }) => ({
      address,
      provider,
      id: identity,
    })),
    skipped: skipped.map(({ type, identity, reason }) => ({ type, id: identity, reason })),
    declared: declared.map(({ address, identity }) => ({ address, id: identity })),
    variables: [...variables],
    unlisted: unlisted.map(({ type, reason }) => ({ type, reason })),
    filtered,
    ...(out === undefined ? { configuration: text } : { file: out }),
  });
  if (out === undefined) view.text(text.trimEnd());
  for (const line of notesOf(imported, out, options.directory)) view.note(line);
  return unlisted.length === 0 ? exitCodes.ok : exitCodes.error;
}

/** What a person has to know beside the configuration. */
function notesOf(
  { types, text, resources, skipped, declared, variables, filtered, unlisted }: ImportedAll,
  out: string | undefined,
  directory: string,
): readonly string[] {
  const left = skipped.map(
    ({ identity, reason }) => `Left out ${escapeControls(identity)}: ${reason}.`,
  );
  const wanted = declared.map(
    ({ address, identity }) =>
      `Left out ${escapeControls(identity)}, which is declared: ` +
      escapeControls(`vmform import ${quotedWord(address)} ${quotedWord(identity)}`),
  );
  const others = filtered === 0 ? [] : [`Left out ${plural(filtered, "object")} by --filter.`];
  const lost = unlisted.map(
    ({ type, reason }) => `Objects of type ${type} could not be listed: ${reason}.`,
  );
  const told = [...left, ...wanted, ...others, ...lost];
  if (text === "") return [...told, `Nothing of type ${listWords(types)} is left to import.`];
  const needs = variables.map((name) => `The variable ${name} needs a value: it is a secret.`);
  if (out === undefined) return [...told, ...needs];
  const next =
    isConfigurationFile(out) && resolve(dirname(out)) === resolve(directory)
      ? "Look through it, then see what it would record with: vmform plan"
      : "It is not read from there: move it to the configuration, as NAME.vmform.yaml.";
  return [...told, ...needs, `Wrote ${plural(resources.length, "object")} to ${out}.`, next];
}
