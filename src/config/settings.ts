/** The `vmform` block: settings of vmform itself. */

import { isAbsolute, join } from "node:path";
import type { SettingsBlock } from "../model/generated/config.ts";
import type { BlockEntry } from "./blocks.ts";
import type { Report } from "./report.ts";
import { meetsRequirement } from "./required-version.ts";
import { settingsShape } from "./schemas.ts";
import { readStaticBlock } from "./static-block.ts";

export type Settings = {
  /** Where recorded state is kept; the path is made relative to the process, or absolute. */
  readonly state: { readonly kind: "local"; readonly path: string };
  /** World file of the embedded simulator, when the configuration asks for it. */
  readonly simulator?: { readonly world: string };
  readonly requiredVersion?: string;
};

export type SettingsContext = {
  /** Folder of the configuration; relative paths begin there. */
  readonly directory: string;
  /** Own version, as in `0.1.0`. */
  readonly version: string;
};

const defaultStatePath = "state/default.json";

export function readSettings(
  entry: BlockEntry | undefined,
  context: SettingsContext,
  report: Report,
): Settings {
  const block =
    entry === undefined
      ? undefined
      : readStaticBlock<SettingsBlock>(entry, settingsShape, "SettingsBlock", report);
  const required = block?.required_version;
  if (entry !== undefined && required !== undefined) {
    checkVersion(required, context.version, entry, report);
  }
  const at = (path: string): string => (isAbsolute(path) ? path : join(context.directory, path));
  const simulator = block?.simulator;
  return {
    state: { kind: "local", path: at(block?.state?.local.path ?? defaultStatePath) },
    ...(simulator === undefined ? {} : { simulator: { world: at(simulator.world) } }),
    ...(required === undefined ? {} : { requiredVersion: required }),
  };
}

function checkVersion(required: string, version: string, entry: BlockEntry, report: Report): void {
  const met = meetsRequirement(version, required);
  if (met === true) return;
  const member =
    entry.node.kind === "map"
      ? entry.node.entries.find(({ key }) => key.text === "required_version")
      : undefined;
  const { start, end } = member?.value ?? entry.place;
  const place = { file: entry.file, start, end };
  if (met === undefined) {
    const detail = `${JSON.stringify(required)} is not a requirement on versions.`;
    report.add("CFG020", { detail, fix: 'Write it like ">=0.1" or ">=0.2, <1".', place });
    return;
  }
  const detail = `This is vmform ${version}; the configuration requires ${required}.`;
  report.add("CFG039", { detail, fix: "Use another version of vmform.", place });
}
