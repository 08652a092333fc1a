/** The `vmform` block alone: where recorded state is, also when the rest has errors. Pure. */

import type { Diagnostic } from "../model/diagnostic.ts";
import { readSettings, type Settings, type SettingsContext } from "./blocks/settings.ts";
import { gatherBlocks } from "./read/blocks.ts";
import { type FileBytes, parseFile } from "./read/document.ts";
import { createReport } from "./report.ts";

export type LoadedSettings = {
  readonly settings: Settings;
  /**
   * Problems of the block itself; of all files when none has the block and some cannot be read, for
   * it may stand there, and the defaults would lead to another state.
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
  const unread = parsed.some(({ complete }) => !complete) ? others.diagnostics() : [];
  const blocks = gatherBlocks(parsed, others);
  const report = createReport();
  const settings = readSettings(blocks.settings, context, report);
  const own = report.diagnostics();
  return { settings, diagnostics: blocks.settings === undefined ? [...unread, ...own] : own };
}
