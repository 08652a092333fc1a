/**
 * Files that commands write their results to. Nothing is written over but an earlier result of the
 * same kind, so that a slip of the hand costs no configuration and no recorded state.
 */

import { basename, resolve } from "node:path";
import { readHistory } from "../drift/history.ts";
import { parseJson } from "../lib/json.ts";
import { type PageKind, pageMark } from "../lib/page-mark.ts";
import { memberOf, type Value } from "../model/value/value.ts";
import { isPlanText } from "../plan/plan-file.ts";
import { type CommandEnvironment, CommandError, type CommandFiles } from "./environment.ts";
import { isConfigurationFile } from "./reading.ts";

export type OutputKind = {
  /** With its article: `a saved plan`. */
  readonly name: string;
  readonly isOwn: (text: string) => boolean;
};

export const savedPlanKind: OutputKind = { name: "a saved plan", isOwn: isPlanText };

export const reportForms = [
  "text",
  "json",
  "markdown",
  "junit",
  "sarif",
  "gitlab",
  "html",
  "metrics",
] as const;
export type ReportForm = (typeof reportForms)[number];

/** A report of tests or drift in the form that CI servers read. */
export const junitKind: OutputKind = {
  name: "a JUnit report",
  isOwn: (text) => /^(<\?xml[^>]*\?>\s*)?<testsuites\b/.test(text),
};

/** First line of a drift report that is written to a file as text. */
export const reportHead = "vmform drift report";

export const driftReportKinds: { readonly [form in ReportForm]: OutputKind } = {
  text: {
    name: "a drift report as text",
    isOwn: (text) => text.startsWith(`${reportHead}\n`),
  },
  markdown: {
    name: "a drift report as Markdown",
    isOwn: (text) => text.startsWith("## vmform drift\n"),
  },
  json: { name: "a drift report as JSON", isOwn: isReportJson },
  junit: junitKind,
  sarif: { name: "a SARIF report of vmform", isOwn: isSarif },
  gitlab: { name: "a code quality report", isOwn: isCodeQuality },
  html: { name: "a drift report as HTML", isOwn: isPageOf("drift") },
  metrics: {
    name: "a file of metrics of drift",
    isOwn: (text) => text.startsWith("# HELP vmform_drift_"),
  },
};

export const historyKind: OutputKind = {
  name: "a drift history",
  isOwn: (text) => readHistory(text) !== undefined,
};
export const planPageKind: OutputKind = { name: "a plan as HTML", isOwn: isPageOf("plan") };
export const gitlabPlanKind: OutputKind = { name: "a GitLab plan report", isOwn: isGitlabPlan };

function isPageOf(kind: PageKind): (text: string) => boolean {
  return (text) => /^<!doctype html>/i.test(text) && text.slice(0, 2000).includes(pageMark(kind));
}

function isSarif(text: string): boolean {
  const runs = memberOf(parsed(text), "runs");
  const driver = memberOf(memberOf(Array.isArray(runs) ? runs[0] : null, "tool"), "driver");
  return memberOf(driver, "name") === "vmform";
}

function isCodeQuality(text: string): boolean {
  const value = parsed(text);
  return Array.isArray(value) && value.every((item) => memberOf(item, "check_name") !== undefined);
}

function isGitlabPlan(text: string): boolean {
  const value = parsed(text);
  return ["create", "update", "delete"].every((name) => memberOf(value, name) !== undefined);
}

function isReportJson(text: string): boolean {
  const value = parsed(text);
  return ["format_version", "lineage", "never_read", "unlisted", "counts"].every(
    (name) => memberOf(value, name) !== undefined,
  );
}

function parsed(text: string): Value {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/**
 * Throws `CommandError` where writing there would destroy something. To be asked before the work,
 * so that it is not done for nothing; `writeOutput` asks again. `location` is that of recorded
 * state.
 */
export async function checkOutput(
  files: Pick<CommandFiles, "lookAtFile">,
  path: string,
  kind: OutputKind,
  location?: string,
): Promise<void> {
  const look = await files.lookAtFile(path);
  // The system's own words come when it is written.
  if (look.kind === "folder" || look.kind === "stream") return;
  const reserved = reservedFor(look.path, location);
  if (reserved !== undefined) throw refusal(path, `is ${reserved}`, kind, "Name another file.");
  if (look.kind === "absent" || look.bytes.length === 0) return;
  if (kind.isOwn(new TextDecoder().decode(look.bytes))) return;
  throw refusal(path, "is there already", kind, "Name another file, or remove that one first.");
}

/** A file that is to be written. */
export type Output = { readonly path: string; readonly kind: OutputKind };

/**
 * Throws as `checkOutput` does of each, and where two are one file: what is written last would be
 * all that is left.
 */
export async function checkOutputs(
  files: Pick<CommandFiles, "lookAtFile">,
  outputs: readonly Output[],
  location: string,
): Promise<void> {
  const seen = new Set<string>();
  for (const { path } of outputs) {
    if (seen.has(resolve(path))) {
      throw new CommandError(`${path} is named for two outputs.`, "Name a file for each.", "usage");
    }
    seen.add(resolve(path));
  }
  for (const { path, kind } of outputs) await checkOutput(files, path, kind, location);
}

/** Throws as `checkOutput` does. */
export async function writeOutput(
  files: Pick<CommandEnvironment, "lookAtFile" | "writeFile">,
  path: string,
  kind: OutputKind,
  text: string,
): Promise<void> {
  await checkOutput(files, path, kind);
  await files.writeFile(path, text);
}

/** What a file of that name is for, also while it is not there: it would be read as that. */
function reservedFor(path: string, location: string | undefined): string | undefined {
  if (isConfigurationFile(basename(path))) return "read as configuration";
  if (location === undefined) return undefined;
  const [whole, state] = [resolve(path), resolve(location)];
  if (whole === state) return "where recorded state is kept";
  return whole.startsWith(`${state}.`) ? "kept beside recorded state" : undefined;
}

function refusal(path: string, what: string, kind: OutputKind, fix: string): CommandError {
  const detail = `${path} ${what}, and is not ${kind.name}: it is left as it is.`;
  return new CommandError(detail, fix, "overwrite");
}
