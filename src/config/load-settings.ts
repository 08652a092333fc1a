/** The `vmform` block alone: where recorded state is, also when the rest has errors. Pure. */

import type { Diagnostic } from "../model/diagnostic.ts";
import { gatherBlocks } from "./blocks.ts";
import { type ConfigurationFile, parseFile } from "./document.ts";
import { createReport } from "./report.ts";
import { readSettings, type Settings, type SettingsContext } from "./settings.ts";

export type LoadedSettings = {
  readonly settings: Settings;
  /** Problems of the block itself. */
  readonly diagnostics: readonly Diagnostic[];
};

/** Without any file, or without the block, the defaults. */
export function loadSettings(
  files: readonly ConfigurationFile[],
  context: SettingsContext,
): LoadedSettings {
  const others = createReport();
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const blocks = gatherBlocks(
    sorted.map((file) => parseFile(file, others)),
    others,
  );
  const report = createReport();
  const settings = readSettings(blocks.settings, context, report);
  return { settings, diagnostics: report.diagnostics() };
}
