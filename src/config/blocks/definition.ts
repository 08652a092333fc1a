/**
 * What the files of one folder declare, read once however often the folder is called as a module.
 * Values are of no concern here.
 */

import type { Scope } from "../../expressions/evaluate/scope.ts";
import { qualifiedType } from "../../model/value/address.ts";
import { type BlockEntry, type Blocks, gatherBlocks } from "../read/blocks.ts";
import { type FileBytes, parseFile } from "../read/document.ts";
import type { Report, SourceFile } from "../report.ts";
import { type Check, readChecks } from "./check.ts";
import { type Locals, readLocals } from "./locals.ts";
import { type ModuleCall, readModuleCalls } from "./module-call.ts";
import { type Output, readOutputs } from "./output.ts";
import { type ConfiguredTypes, type Mode, type Resource, readResource } from "./resource.ts";
import { readDeclarations, type VariableDeclaration } from "./variable-declaration.ts";

/** Files and time, for functions. */
export type ScopeContext = Partial<Pick<Scope, "files" | "time">>;

export type TypeRegistries = { readonly [mode in Mode]: ConfiguredTypes };

export type Definition = {
  /** The folder: `path.module`. */
  readonly directory: string;
  readonly context: ScopeContext;
  readonly blocks: Blocks;
  readonly declarations: ReadonlyMap<string, VariableDeclaration>;
  readonly locals: Locals;
  /** By `type.name`, data sources by `data.type.name`; in the order of the configuration. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** Every entry of the two blocks, those with unreadable keys included; keys as of `resources`. */
  readonly resourceKeys: ReadonlySet<string>;
  readonly outputs: ReadonlyMap<string, Output>;
  readonly checks: readonly Check[];
  readonly calls: ReadonlyMap<string, ModuleCall>;
  readonly sources: readonly SourceFile[];
  /** False when a file could not be read as a whole: names in it would seem not to exist. */
  readonly complete: boolean;
};

export type Folder = {
  readonly directory: string;
  readonly files: readonly FileBytes[];
  readonly context: ScopeContext;
};

export function readDefinition(
  { directory, files, context }: Folder,
  registries: TypeRegistries,
  report: Report,
): Definition {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parsed = sorted.map((file) => parseFile(file, report));
  const blocks = gatherBlocks(parsed, report);
  const resources = new Map<string, Resource>();
  const resourceKeys = new Set<string>();
  const read = (mode: Mode, entries: ReadonlyMap<string, BlockEntry>): void => {
    for (const [name, entry] of entries) {
      resourceKeys.add(qualifiedType({ mode, type: name }));
      const resource = readResource(entry, mode, registries[mode], report);
      if (resource !== undefined) resources.set(resource.key, resource);
    }
  };
  const declarations = readDeclarations(blocks.variables, report);
  const locals = readLocals(blocks.locals, report);
  read("data", blocks.data);
  read("managed", blocks.resources);
  return {
    directory,
    context,
    blocks,
    declarations,
    locals,
    resources,
    resourceKeys,
    outputs: new Map(readOutputs(blocks.outputs, report).map((output) => [output.name, output])),
    checks: readChecks(blocks.checks, report),
    calls: readModuleCalls(blocks.modules, report),
    sources: parsed.map(({ source }) => source),
    complete: parsed.every(({ complete }) => complete),
  };
}
