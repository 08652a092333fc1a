/** `vmform import` on the command line. */

import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../../commands/environment.ts";
import { isConfigurationFile } from "../../commands/reading.ts";
import { importCommand } from "../../commands/state/import.ts";
import { type ImportedAll, importAllCommand } from "../../commands/state/import-all.ts";
import { plural } from "../../lib/text.ts";
import { outputsText } from "../../render/state/outputs.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addCommon,
  addDebug,
  addLockTimeout,
  addVariables,
  type CommonOptions,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";

type ImportFlags = CommonOptions & {
  readonly lockTimeout?: number;
  /** A resource type. */
  readonly all?: string;
  readonly out?: string;
};

export function addImport(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("import")
    .argument("[address]", "address in the configuration")
    .argument("[id]", "what the remote side calls the object; vm/share for a shared folder")
    .description("record an object that exists, or write configuration for all of a type");
  addLockTimeout(addDebug(addVariables(addCommon(command))))
    .option("--all <type>", "write configuration for every object of the type that is unmanaged")
    .option("--out <file>", "with --all, the new file to write; else it is printed")
    .action(action<ImportFlags>(shell, done, runImport));
}

async function runImport(
  run: Run,
  flags: ImportFlags,
  words: readonly string[],
): Promise<ExitCode> {
  const [address, id] = words;
  if (flags.all !== undefined) {
    if (address === undefined) return runImportAll(run, flags.all, flags);
    throw new CommandError("--all takes a type, and no address.", undefined, "usage");
  }
  if (flags.out !== undefined) {
    throw new CommandError("--out belongs to --all.", undefined, "usage");
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
  type: string,
  flags: ImportFlags,
): Promise<ExitCode> {
  const { out } = flags;
  const options = workspaceOptions(flags);
  if (out === undefined) view.eventsAside();
  const imported = await importAllCommand(environment, { ...options, type, out });
  const { text, resources, skipped, declared } = imported;
  view.document({
    resources: resources.map(({ address, provider, identity }) => ({
      address,
      provider,
      id: identity,
    })),
    skipped: skipped.map(({ identity, reason }) => ({ id: identity, reason })),
    declared: declared.map(({ address, identity }) => ({ address, id: identity })),
    ...(out === undefined ? { configuration: text } : { file: out }),
  });
  if (out === undefined) view.text(text.trimEnd());
  for (const line of notesOf(imported, type, out, options.directory)) view.note(line);
  return exitCodes.ok;
}

/** What a person has to know beside the configuration. */
function notesOf(
  { text, resources, skipped, declared }: ImportedAll,
  type: string,
  out: string | undefined,
  directory: string,
): readonly string[] {
  const left = skipped.map(({ identity, reason }) => `Left out ${identity}: ${reason}.`);
  const wanted = declared.map(
    ({ address, identity }) =>
      `Left out ${identity}, which is declared: vmform import '${address}' '${identity}'`,
  );
  if (text === "") return [...left, ...wanted, `Nothing of type ${type} is left to import.`];
  if (out === undefined) return [...left, ...wanted];
  const next =
    isConfigurationFile(out) && resolve(dirname(out)) === resolve(directory)
      ? "Look through it, then see what it would record with: vmform plan"
      : "It is not read from there: move it to the configuration, as NAME.vmform.yaml.";
  return [...left, ...wanted, `Wrote ${plural(resources.length, "resource")} to ${out}.`, next];
}
