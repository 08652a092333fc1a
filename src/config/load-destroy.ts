/**
 * Reads a configuration for destroying: settings, providers, and what is protected. Errors anywhere
 * else do not matter; they are told in one warning. Pure.
 */

import type { YamlMap, YamlNode } from "../lib/yaml/yaml.ts";
import { type Address, parseAddress, resourceOf, toAddress } from "../model/address.ts";
import type { Desired, Keeping } from "../model/desired.ts";
import { type Diagnostic, hasErrors, type WithDiagnostics } from "../model/diagnostic.ts";
import { nowhere } from "../model/problem.ts";
import { readSettings, type Settings } from "./blocks/settings.ts";
import { configurationProblems } from "./codes.ts";
import { essentialIn, mayHoldSettings, neededBySettings } from "./essential.ts";
import type { Module } from "./evaluate/module.ts";
import { readProviders } from "./evaluate/providers.ts";
import {
  type Configuration,
  checkLocals,
  type LoadInput,
  loadConfiguration,
  readModule,
} from "./load.ts";
import { type Blocks, gatherBlocks } from "./read/blocks.ts";
import { type ParsedFile, parseFile } from "./read/document.ts";
import { createReport } from "./report.ts";

export type DestroyConfiguration = Desired & {
  readonly settings: Settings;
  readonly keeping: Keeping;
};

/**
 * Undefined when the block `vmform` or the providers have errors, or when a file that cannot be
 * read may hold them: nobody could tell then which objects, on which endpoints, are meant.
 */
export function loadForDestroy(
  input: LoadInput,
): WithDiagnostics<DestroyConfiguration | undefined> {
  const { value: whole, diagnostics } = loadConfiguration(input);
  if (input.files.length === 0) return { value: undefined, diagnostics };
  const report = createReport();
  const parsed = input.files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((file) => parseFile(file, report));
  const readable = parsed.map((file) => ({ ...file, documents: file.readable ?? [] }));
  const blocks = gatherBlocks(readable, report);
  const module = readModule(blocks, input, report);
  if (whole !== undefined) {
    const keeping = keepingOf(blocks, module, { diagnostics, whole });
    return { value: destroying(whole.settings, whole.providers, keeping), diagnostics };
  }
  const settings = readSettings(blocks.settings, input, report);
  const constants = checkLocals(module, report);
  const { providerSettings } = input;
  const providers = readProviders(blocks.providers, providerSettings, module, constants, report);
  const all = merged(diagnostics, report.diagnostics());
  const stopping = essentialErrors(all, { parsed, blocks, module });
  if (stopping.length > 0) return { value: undefined, diagnostics: stopping };
  const keeping = keepingOf(blocks, module, { diagnostics, whole });
  return {
    value: destroying(settings, providers, keeping),
    diagnostics: [overlooked(diagnostics)],
  };
}

function destroying(
  settings: Settings,
  providers: Desired["providers"],
  keeping: Keeping,
): DestroyConfiguration {
  const none = { instances: [], data: [], outputs: [], moved: [], removed: [], imports: [] };
  return { ...none, settings, providers, keeping };
}

/** Each problem once: both readings come upon the same ones. */
function merged(
  diagnostics: readonly Diagnostic[],
  more: readonly Diagnostic[],
): readonly Diagnostic[] {
  const keyOf = ({ code, source, detail }: Diagnostic): string =>
    JSON.stringify([code, source ?? null, detail]);
  const known = new Set(diagnostics.map(keyOf));
  return [...diagnostics, ...more.filter((diagnostic) => !known.has(keyOf(diagnostic)))];
}

type Read = {
  readonly parsed: readonly ParsedFile[];
  readonly blocks: Blocks;
  readonly module: Module;
};

const wayOut =
  "Destroying needs only the blocks vmform and providers, which may stand in a file of their own.";

/** The errors that stop destroying; with any, also what keeps whole files from being read. */
function essentialErrors(
  diagnostics: readonly Diagnostic[],
  { parsed, blocks, module }: Read,
): readonly Diagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const needed = neededBySettings(blocks);
  const isEssential = essentialIn(parsed, needed);
  const unread = new Map(
    parsed.flatMap((file) => (file.readable === undefined ? [[file.source.name, file]] : [])),
  );
  const inUnread = ({ source }: Diagnostic): ParsedFile | undefined =>
    unread.get(source?.file ?? "");
  const stops = errors.some((diagnostic) => {
    const file = inUnread(diagnostic);
    return file === undefined ? isEssential(diagnostic) : mayHoldSettings(file);
  });
  if (!stops) {
    // A setting that uses what is broken has no value, whatever was reported of it, and where.
    return [...needed.names].some((name) => module.broken.has(name)) ? errors : [];
  }
  return errors.flatMap((diagnostic) => {
    if (inUnread(diagnostic) === undefined) return isEssential(diagnostic) ? [diagnostic] : [];
    const { fix } = diagnostic;
    return [{ ...diagnostic, fix: fix === undefined ? wayOut : `${fix} ${wayOut}` }];
  });
}

/** What the files say of protection, read from their nodes: it holds in spite of errors. */
function keepingOf(
  blocks: Blocks,
  module: Module,
  {
    diagnostics,
    whole,
  }: { readonly diagnostics: readonly Diagnostic[]; readonly whole: Configuration | undefined },
): Keeping {
  const declared: Address[] = [];
  const protecting: Address[] = [];
  const released: Address[] = [];
  // Which of two entries with one key counts, nobody knows.
  const twice = diagnostics.some(({ code }) => code === "CFG004");
  for (const [key, { node }] of blocks.resources) {
    const address = toAddress(key);
    if (address === undefined || parseAddress(address)?.mode === "data") continue;
    declared.push(resourceOf(address));
    const resource = module.resources.get(key);
    const sound = resource?.broken === false;
    const protects = sound ? resource.lifecycle.preventDestroy : mayProtect(node);
    if (protects) protecting.push(resourceOf(address));
    else if (sound && !twice) released.push(resourceOf(address));
  }
  const lists = { declared, protected: protecting };
  if (whole === undefined || hasErrors(diagnostics)) return { ...lists, trust: "flawed", released };
  if (whole.resourceCount > 0) return { ...lists, trust: "sound", released: [] };
  return { ...lists, trust: "empty", released: whole.removed.map(({ from }) => from) };
}

/** True unless its lifecycle is absent, or reads as one that does not protect. */
function mayProtect(node: YamlNode): boolean {
  const lifecycle = memberOf(node, "lifecycle");
  if (lifecycle === undefined) return false;
  if (lifecycle.kind !== "map") return true;
  const known = ["prevent_destroy", "create_before_destroy", "ignore_changes"];
  if (lifecycle.entries.some(({ key }) => !known.includes(key.text))) return true;
  const written = memberOf(lifecycle, "prevent_destroy");
  return written !== undefined && !(written.kind === "scalar" && written.text === "false");
}

function memberOf(node: YamlNode, name: string): YamlNode | undefined {
  const map: YamlMap | undefined = node.kind === "map" ? node : undefined;
  return map?.entries.find(({ key }) => key.text === name)?.value;
}

const shownMax = 3;

/** All that does not matter in one warning: where it is, and what it is in a few words. */
function overlooked(diagnostics: readonly Diagnostic[]): Diagnostic {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const shown = errors.slice(0, shownMax).map(({ source, code, summary }) => {
    const where = source === undefined ? "" : `${source.file}:${source.line}:${source.column}: `;
    return `${where}${summary} (${code})`;
  });
  const more = errors.length - shown.length;
  const rest = more > 0 ? `; and ${more} more` : "";
  return configurationProblems.warning(nowhere, "CFG045", {
    detail: `${shown.join("; ")}${rest}.`,
    fix: "What was protected when it was last applied stays so. All of them: vmform validate",
  });
}
