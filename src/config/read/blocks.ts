/** The blocks of a folder: what all files together declare, each entry with its place. */

import type { YamlEntry, YamlNode } from "../../lib/yaml/yaml.ts";
import { type Place, placeText, type Report, type SourceFile } from "../report.ts";
import type { ParsedFile } from "./document.ts";
import { wayOfBlock } from "./form/habits.ts";
import { isNull } from "./form/scalar.ts";
import { blockNames } from "./form/schemas.ts";
import { didYouMean, listWords } from "./form/spelling.ts";
import { nameProblem } from "./names.ts";
import type { ReadContext } from "./read.ts";

export type BlockEntry = {
  readonly name: string;
  readonly node: YamlNode;
  readonly file: SourceFile;
  /** Where the name stands. */
  readonly place: Place;
};

/** Context to read the node of an entry in; `owner` names it in messages. */
export function entryContext(entry: BlockEntry, owner: string, report: Report): ReadContext {
  return { file: entry.file, report, owner, head: entry.place };
}

const keyedBlocks = [
  "providers",
  "variables",
  "locals",
  "modules",
  "data",
  "resources",
  "outputs",
  "checks",
  "policies",
] as const;
type KeyedBlock = (typeof keyedBlocks)[number];
/** Their keys are names in expressions, or on the command line. */
const namedBlocks: ReadonlySet<KeyedBlock> = new Set([
  ...(["variables", "locals", "modules", "outputs", "policies"] as const),
]);
const listBlocks = ["moved", "removed", "imports"] as const;
type ListBlock = (typeof listBlocks)[number];

/** Entries in the order of files by name, then of lines. */
export type Blocks = {
  readonly settings: BlockEntry | undefined;
} & { readonly [block in ListBlock]: readonly BlockEntry[] } & {
  readonly [block in KeyedBlock]: ReadonlyMap<string, BlockEntry>;
};

type Gathering = {
  settings: BlockEntry | undefined;
  readonly lists: { readonly [block in ListBlock]: BlockEntry[] };
  readonly keyed: { readonly [block in KeyedBlock]: Map<string, BlockEntry> };
};

/** Gathers the blocks of all files; a key given twice, in one file or two, is reported. */
export function gatherBlocks(files: readonly ParsedFile[], report: Report): Blocks {
  const keyed = {
    providers: new Map<string, BlockEntry>(),
    variables: new Map<string, BlockEntry>(),
    locals: new Map<string, BlockEntry>(),
    modules: new Map<string, BlockEntry>(),
    data: new Map<string, BlockEntry>(),
    resources: new Map<string, BlockEntry>(),
    outputs: new Map<string, BlockEntry>(),
    checks: new Map<string, BlockEntry>(),
    policies: new Map<string, BlockEntry>(),
  };
  const lists = { moved: [], removed: [], imports: [] };
  const gathering: Gathering = { settings: undefined, lists, keyed };
  for (const { source, documents } of files) {
    for (const document of documents) gatherDocument(document, source, gathering, report);
  }
  return { settings: gathering.settings, ...gathering.lists, ...keyed };
}

function gatherDocument(
  document: YamlNode,
  file: SourceFile,
  gathering: Gathering,
  report: Report,
): void {
  if (document.kind !== "map") {
    const { start, end } = document;
    const detail = `The file holds a ${document.kind === "list" ? "list" : "text"}, not blocks.`;
    const isHcl =
      document.kind === "scalar" && /^(?:resource|provider|variable) "/.test(document.text);
    const begin = isHcl ? "This is of another language, HCL. " : "";
    const fix = `${begin}Write blocks such as resources: at the start of a line.`;
    report.add("CFG012", { detail, fix, place: { file, start, end } });
    return;
  }
  for (const entry of document.entries) gatherBlock(entry, file, gathering, report);
}

function gatherBlock(
  { key, value }: YamlEntry,
  file: SourceFile,
  gathering: Gathering,
  report: Report,
): void {
  const place = { file, start: key.start, end: key.end };
  const name = key.text;
  if (!blockNames.includes(name)) {
    reportUnknownBlock(name, place, report);
    return;
  }
  if (value.kind === "scalar" && isNull(value)) return;
  if (name === "vmform") {
    const entry = { name, node: value, file, place };
    if (gathering.settings === undefined) gathering.settings = entry;
    else reportDuplicate(entry, gathering.settings, report);
    return;
  }
  const list = listBlocks.find((known) => known === name);
  if (list !== undefined) gatherList(list, value, file, gathering, report);
  const block = keyedBlocks.find((known) => known === name);
  if (block !== undefined) gatherEntries(block, value, file, gathering, report);
}

function gatherEntries(
  block: KeyedBlock,
  node: YamlNode,
  file: SourceFile,
  gathering: Gathering,
  report: Report,
): void {
  if (node.kind !== "map") {
    const detail = `${block} takes a map: one line for each name.`;
    report.add("CFG012", { detail, place: { file, start: node.start, end: node.end } });
    return;
  }
  const entries = gathering.keyed[block];
  for (const { key, value } of node.entries) {
    const place = { file, start: key.start, end: key.end };
    const entry = { name: key.text, node: value, file, place };
    const first = entries.get(key.text);
    if (first !== undefined) {
      reportDuplicate(entry, first, report);
      continue;
    }
    if (namedBlocks.has(block)) {
      const problem = nameProblem(key.text);
      if (problem !== undefined) {
        const detail = `${JSON.stringify(key.text)} cannot be a name: ${problem}.`;
        report.add("CFG014", { detail, fix: "Choose another name.", place });
        continue;
      }
    }
    entries.set(key.text, entry);
  }
}

const listMembers: { readonly [block in ListBlock]: string } = {
  moved: "from and to",
  removed: "from",
  imports: "to and id",
};

function gatherList(
  block: ListBlock,
  node: YamlNode,
  file: SourceFile,
  gathering: Gathering,
  report: Report,
): void {
  if (node.kind !== "list") {
    const detail = `${block} takes a list of entries with ${listMembers[block]}.`;
    report.add("CFG012", { detail, place: { file, start: node.start, end: node.end } });
    return;
  }
  for (const item of node.items) {
    const place = { file, start: item.start, end: item.end };
    gathering.lists[block].push({ name: block, node: item, file, place });
  }
}

/** Reports that a key stands twice. */
export function reportDuplicate(entry: BlockEntry, first: BlockEntry, report: Report): void {
  const name = JSON.stringify(entry.name);
  const detail = `The key ${name} stands already at ${placeText(first.place)}.`;
  const fix = "Remove or rename one of them.";
  report.add("CFG004", { detail, fix, place: entry.place });
}

function reportUnknownBlock(name: string, place: Place, report: Report): void {
  const detail = `${JSON.stringify(name)} is not a block.`;
  const known = `The blocks are ${listWords(blockNames, "and")}.`;
  const fix = wayOfBlock(name) ?? didYouMean(name, blockNames) ?? known;
  report.add("CFG010", { detail, fix, place });
}
