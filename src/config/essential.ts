/**
 * What of a configuration destroying needs: the block `vmform`, the providers, and the variables
 * and locals that settings of providers use. Problems there stop it; problems elsewhere do not.
 */

import { referencesOf } from "../expressions/references.ts";
import { parseTemplate } from "../expressions/template.ts";
import { placeAt } from "../lib/text.ts";
import type { YamlEntry, YamlNode } from "../lib/yaml/yaml.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { BlockEntry, Blocks } from "./read/blocks.ts";
import type { ParsedFile } from "./read/document.ts";
import { blockNames } from "./read/schemas.ts";
import { didYouMean } from "./read/spelling.ts";
import type { SourceFile } from "./report.ts";

export type Needed = {
  /** `vars.x` and `locals.y` that settings of providers use, directly or through locals. */
  readonly names: ReadonlySet<string>;
  /** Every node that tells something of the settings, wherever an alias found it. */
  readonly nodes: readonly { readonly file: SourceFile; readonly node: YamlNode }[];
};

/** Follows the expressions of provider settings. Ends, since each name is followed once. */
export function neededBySettings({ providers, variables, locals }: Blocks): Needed {
  const names = new Set<string>();
  const nodes: Needed["nodes"][number][] = [];
  const stack: { readonly file: SourceFile; readonly node: YamlNode }[] = [...providers.values()];
  const follow = (root: string, entries: ReadonlyMap<string, BlockEntry>, name?: string): void => {
    for (const used of name === undefined ? entries.keys() : [name]) {
      if (names.has(`${root}.${used}`)) continue;
      names.add(`${root}.${used}`);
      const entry = entries.get(used);
      if (entry === undefined) continue;
      const { file } = entry;
      for (const node of root === "vars" ? declaredIn(entry.node) : [entry.node]) {
        stack.push({ file, node });
      }
    }
  };
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { file, node } = top;
    nodes.push({ file, node });
    for (const child of childrenOf(node)) stack.push({ file, node: child });
    const template = node.kind === "scalar" ? parseTemplate(node.text).template : undefined;
    for (const reference of template === undefined ? [] : referencesOf(template)) {
      if (reference.root === "vars") follow("vars", variables, reference.name);
      if (reference.root === "locals") follow("locals", locals, reference.name);
    }
  }
  return { names, nodes };
}

/** What a variable is. Its validations are skipped when objects are destroyed. */
function declaredIn(node: YamlNode): readonly YamlNode[] {
  if (node.kind !== "map") return [node];
  const members = node.entries.filter(({ key }) => key.text !== "validation");
  return members.flatMap(({ key, value }) => [key, value]);
}

function childrenOf(node: YamlNode): readonly YamlNode[] {
  if (node.kind === "list") return node.items;
  return node.kind === "map" ? node.entries.flatMap(({ key, value }) => [key, value]) : [];
}

/** Whether a problem concerns what destroying needs. */
export function essentialIn(
  parsed: readonly ParsedFile[],
  needed: Needed,
): (diagnostic: Diagnostic) => boolean {
  const ranges = new Map<string, Range[]>();
  const add = (file: SourceFile, start: number, end: number): void => {
    const own = ranges.get(file.name) ?? [];
    own.push({ from: positionIn(file, start), to: positionIn(file, Math.max(start, end)) });
    ranges.set(file.name, own);
  };
  for (const { file, node } of needed.nodes) add(file, node.start, node.end);
  for (const { source, readable } of parsed) {
    for (const document of readable ?? []) {
      if (document.kind !== "map") add(source, document.start, document.end);
      else
        for (const { key, value } of entriesNeeded(document.entries, needed.names)) {
          add(source, key.start, Math.max(key.end, value.end));
        }
    }
  }
  const files = new Set(parsed.map(({ source }) => source.name));
  const usesVariables = [...needed.names].some((name) => name.startsWith("vars."));
  return ({ code, source }) => {
    // Values given from outside: a misspelt one would leave a setting at its default.
    if (source === undefined || !files.has(source.file)) return usesVariables;
    if (code === "CFG004" && isNeededKey(source.text.slice(source.column - 1), needed.names)) {
      return true;
    }
    const at = { line: source.line, column: source.column };
    const own = ranges.get(source.file) ?? [];
    return own.some(({ from, to }) => compare(from, at) <= 0 && compare(at, to) <= 0);
  };
}

/** The entries of a document that are needed: whole blocks, or entries of blocks. */
function entriesNeeded(
  blocks: readonly YamlEntry[],
  names: ReadonlySet<string>,
): readonly YamlEntry[] {
  return blocks.flatMap((block) => {
    const { key, value } = block;
    if (isSettingsBlock(key.text)) return [block];
    const root = key.text === "variables" ? "vars" : key.text;
    if ((root !== "vars" && root !== "locals") || value.kind !== "map") return [];
    return value.entries.flatMap((entry) => {
      if (!names.has(`${root}.${entry.key.text}`)) return [];
      // The nodes of a variable are needed one by one, without its validations.
      return root === "vars" ? [{ key: entry.key, value: entry.key }] : [entry];
    });
  });
}

const settingsBlocks = ["vmform", "providers"];

/** Also by what is not quite its name: the block would seem to be absent. */
function isSettingsBlock(name: string): boolean {
  if (blockNames.includes(name)) return settingsBlocks.includes(name);
  return didYouMean(name, settingsBlocks) !== undefined;
}

/** A key given twice that is a needed block, or a needed entry: which of them counts? */
function isNeededKey(text: string, names: ReadonlySet<string>): boolean {
  const key = /^["']?([\w.-]+)["']?\s*:/.exec(text)?.[1];
  if (key === undefined) return false;
  if (settingsBlocks.includes(key)) return true;
  if (key === "variables" || key === "locals") return names.size > 0;
  return names.has(`vars.${key}`) || names.has(`locals.${key}`);
}

/** A key of their blocks anywhere, or a line that begins much like one. */
const settingsKey = /(?:^|[^\w.])(?:vmform|providers)["']?\s*:|^["'\ufeff]?(?:vmf|prov)/im;

/**
 * Whether a file that cannot be read may hold settings. YAML allows to write them so that they are
 * not found (`"\x76mform":`), but nobody does.
 */
export function mayHoldSettings({ source, readable, decoded }: ParsedFile): boolean {
  return readable === undefined && (!decoded || settingsKey.test(source.index.text));
}

type Position = { readonly line: number; readonly column: number };
type Range = { readonly from: Position; readonly to: Position };

function positionIn(file: SourceFile, offset: number): Position {
  const { line, column } = placeAt(file.index, offset);
  return { line, column };
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
