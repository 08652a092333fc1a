/** The `vmform` block: settings of vmform itself. */

import { hasExpression } from "../../expressions/syntax/template.ts";
import { foreignHomeFix, isForeignHome, userPath } from "../../lib/files/user-path.ts";
import { memberNode } from "../../lib/yaml/yaml.ts";
import type { Configuration } from "../../model/generated/config.ts";
import type { IgnoreRule } from "../../model/plan/drift-report.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { defaultWorkspace, inWorkspace } from "../../model/recorded/workspace.ts";
import type { Hooks } from "../../model/said/hook.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { readStaticBlock } from "../read/static-block.ts";
import type { Report } from "../report.ts";
import { ignoreRules } from "./drift-ignore.ts";
import { encryptionProblem, encryptionSettings, type Wrong } from "./encryption.ts";
import { hooksOf } from "./hooks.ts";
import { httpSettings } from "./http-state.ts";
import { postgresSettings, type UrlProblem, urlProblem } from "./postgres-state.ts";
import { meetsRequirement } from "./required-version.ts";
import { s3Settings } from "./s3-state.ts";

export type Settings = {
  /** Where recorded state of the workspace is kept. */
  readonly state: StoreSettings;
  /** The same of the default workspace, as it is written. */
  readonly written: StoreSettings;
  readonly workspace: string;
  /** World file of the embedded simulator, when the configuration asks for it. */
  readonly simulator?: { readonly world: string };
  readonly requiredVersion?: string;
  /** Absent where nobody is told anything. */
  readonly hooks?: Hooks;
  /** Rules that ignore drift, expired ones too; absent where there are none. */
  readonly driftIgnore?: readonly IgnoreRule[];
  /** How long records of runs are kept; absent: as long as is usual. */
  readonly keepRunsDays?: number;
};

export type SettingsContext = {
  /** Folder of the configuration; relative paths begin there. */
  readonly directory: string;
  /** Home folder of who runs this: paths that begin with `~/` are below it. */
  readonly home: string;
  /** Own version, as in `0.1.0`. */
  readonly version: string;
  /** Whose recorded state is used; the default one unless it is told. */
  readonly workspace?: string;
};

type SettingsBlock = NonNullable<Configuration["vmform"]>;

/** Where recorded state is unless it is said, relative to the configuration. */
export const defaultStatePath = "state/default.json";

export function readSettings(
  entry: BlockEntry | undefined,
  context: SettingsContext,
  report: Report,
): Settings {
  const block =
    entry === undefined
      ? undefined
      : readStaticBlock<SettingsBlock>(entry, "SettingsBlock", report);
  if (entry !== undefined) checkVersion(entry, context.version, report);
  const at = (path: string): string => {
    if (entry !== undefined && isForeignHome(path)) reportForeignHome(entry, path, report);
    return userPath(context.directory, path, context.home);
  };
  const required = block?.required_version;
  const simulator = block?.simulator;
  const url = block?.state?.postgres?.url;
  const problem = url === undefined ? undefined : urlProblem(url);
  if (entry !== undefined && problem !== undefined) reportUrl(entry, problem, report);
  const encryption = encryptionSettings(block?.encryption, context.directory);
  const wrong = encryptionProblem(block?.encryption);
  if (entry !== undefined && wrong !== undefined) reportEncryption(entry, wrong, report);
  const written = { ...storeSettings(block?.state, context.directory, at), ...encryption };
  const { workspace = defaultWorkspace } = context;
  const state = inWorkspace(written, workspace);
  if (state === undefined) reportOneState(entry, workspace, report);
  const hooks = hooksOf(entry, block?.on, context.directory, report);
  const rules = ignoreRules(entry, block?.drift?.ignore ?? [], report);
  return {
    state: state ?? written,
    written,
    workspace,
    ...(simulator === undefined ? {} : { simulator: { world: at(simulator.world) } }),
    ...(block?.keep_runs_days === undefined ? {} : { keepRunsDays: block.keep_runs_days }),
    ...(required === undefined ? {} : { requiredVersion: required }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(rules.length === 0 ? {} : { driftIgnore: rules }),
  };
}

function storeSettings(
  block: SettingsBlock["state"],
  directory: string,
  at: (path: string) => string,
): StoreSettings {
  const path = at(block?.local?.path ?? defaultStatePath);
  if (block?.http !== undefined) {
    return { ...httpSettings(block.http, directory, at), beside: path };
  }
  if (block?.s3 !== undefined) {
    return { ...s3Settings(block.s3, directory, at), beside: path };
  }
  if (block?.postgres !== undefined) {
    return { ...postgresSettings(block.postgres, directory, at), beside: path };
  }
  return { kind: "local", path, beside: path };
}

/** Without a block, state is in a file, which has room for every workspace. */
function reportOneState(entry: BlockEntry | undefined, workspace: string, report: Report): void {
  const detail = `The address of vmform.state.http has no place for the workspace ${workspace}.`;
  const fix = "Write {workspace} into it, as in …/state/web-{workspace}.";
  report.add("CFG020", { detail, fix, place: entry?.place });
}

function reportForeignHome({ place }: BlockEntry, path: string, report: Report): void {
  const detail = `The path ${JSON.stringify(path)} begins with the home folder of somebody else.`;
  report.add("CFG020", { detail, fix: foreignHomeFix, place });
}

/** The line is not quoted: a password may stand in it. */
function reportUrl({ node, file, place }: BlockEntry, problem: UrlProblem, report: Report): void {
  const url = memberNode(memberNode(memberNode(node, "state"), "postgres"), "url");
  const at = url === undefined ? place : { file, start: url.start, end: url.end };
  report.add("CFG020", { ...problem, place: { ...at, hidden: true } });
}

function reportEncryption({ node, file, place }: BlockEntry, wrong: Wrong, report: Report): void {
  const at = memberNode(node, "encryption");
  const where = at === undefined ? place : { file, start: at.start, end: at.end };
  report.add("CFG020", { ...wrong, place: where });
}

/** Also when the rest of the block has problems: another version may know what this one cannot. */
function checkVersion({ node, file }: BlockEntry, version: string, report: Report): void {
  const value = memberNode(node, "required_version");
  if (value?.kind !== "scalar" || value.text === "" || hasExpression(value.text)) return;
  const met = meetsRequirement(version, value.text);
  if (met === true) return;
  const place = { file, start: value.start, end: value.end };
  if (met === undefined) {
    const detail = `${JSON.stringify(value.text)} is not a requirement on versions.`;
    report.add("CFG020", { detail, fix: 'Write it like ">=0.1" or ">=0.2, <1".', place });
    return;
  }
  const detail = `This is vmform ${version}; the configuration requires ${value.text}.`;
  report.add("CFG039", { detail, fix: "Use another version of vmform.", place });
}
