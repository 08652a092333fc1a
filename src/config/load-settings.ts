/** The `vmform` block alone: where recorded state is, also when the rest has errors. Pure. */

import { placeAt } from "../lib/text.ts";
import type { Diagnostic, SourcePosition } from "../model/said/diagnostic.ts";
import { type BlockEntry, gatherBlocks } from "./read/blocks.ts";
import { type FileBytes, type ParsedFile, parseFile } from "./read/document.ts";
import { didYouMean } from "./read/form/spelling.ts";
import { createReport, type SourceFile } from "./report.ts";
import { readSettings, type Settings, type SettingsContext } from "./settings/settings.ts";

export type LoadedSettings = {
  readonly settings: Settings;
  /**
   * Problems of the block itself; where it is not found, of what may be it or may hold it, for the
   * defaults would lead to another state.
   */
  readonly diagnostics: readonly Diagnostic[];
};

/** Without any file, or without the block, the defaults. */
export function loadSettings(
  files: readonly FileBytes[],
  context: SettingsContext,
): LoadedSettings {
  const others = createReport();
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parsed = sorted.map((file) => parseFile(file, others));
  const readable = parsed.map((file) => ({ ...file, documents: file.readable ?? [] }));
  const { settings: block } = gatherBlocks(readable, others);
  const report = createReport();
  const settings = readSettings(block, context, report);
  const around = others.diagnostics();
  const hiding =
    block === undefined ? around.flatMap(hidingIn(parsed)) : around.filter(isAbout(block));
  return { settings, diagnostics: [...hiding, ...report.diagnostics()] };
}

const wayOut = "Only the block vmform is needed here, which may stand in a file of its own.";

/** Problems that may be why the block is not found. */
function hidingIn(
  parsed: readonly ParsedFile[],
): (diagnostic: Diagnostic) => readonly Diagnostic[] {
  const unread = new Set(parsed.filter(mayHoldBlock).map(({ source }) => source.name));
  return (diagnostic) => {
    const { code, source, fix } = diagnostic;
    if (source === undefined) return [];
    if (code === "CFG010") return didYouMean(keyAt(source), ["vmform"]) ? [diagnostic] : [];
    if (!unread.has(source.file)) return [];
    return [{ ...diagnostic, fix: fix === undefined ? wayOut : `${fix} ${wayOut}` }];
  };
}

/** The block anywhere, or a line that begins much like it. */
const blockKey = /(?:^|[^\w.])vmform["']?\s*:|^["'\ufeff]?vmf/im;

/**
 * Whether a file that cannot be read may hold the block. YAML allows to write it so that it is not
 * found (`"\x76mform":`), but nobody does.
 */
function mayHoldBlock({ source, readable, decoded }: ParsedFile): boolean {
  return readable === undefined && (!decoded || blockKey.test(source.index.text));
}

/** Problems within the block, and one of another block of its name. */
function isAbout({ file, place, node }: BlockEntry): (diagnostic: Diagnostic) => boolean {
  const from = positionIn(file, place.start);
  const to = positionIn(file, Math.max(place.end, node.end));
  return ({ code, source }) => {
    if (source === undefined) return false;
    if (code === "CFG004" && keyAt(source) === "vmform") return true;
    return source.file === file.name && compare(from, source) <= 0 && compare(source, to) <= 0;
  };
}

function keyAt({ text, column }: SourcePosition): string {
  return /^["']?([\w.-]+)/.exec(text.slice(column - 1))?.[1] ?? "";
}

type Position = Pick<SourcePosition, "line" | "column">;

function positionIn(file: SourceFile, offset: number): Position {
  const { line, column } = placeAt(file.index, offset);
  return { line, column };
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
