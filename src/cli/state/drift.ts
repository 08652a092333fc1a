/** `vmform drift` on the command line. */

import type { Command } from "commander";
import { CommandError } from "../../commands/environment.ts";
import {
  driftReportKinds,
  historyKind,
  type ReportForm,
  reportForms,
  reportHead,
  writeOutput,
} from "../../commands/output-file.ts";
import { driftCommand } from "../../commands/state/drift.ts";
import { addToHistory } from "../../commands/state/drift-history.ts";
import { driftExitCode } from "../../drift/drift-report.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import { driftSummaryText } from "../../render/drift/drift-entries.ts";
import { driftJson } from "../../render/drift/drift-json.ts";
import { driftText } from "../../render/drift/drift-text.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type News, newsOnly, notifying, type Tell } from "../notifying.ts";
import {
  addCommon,
  addDebug,
  addLockTimeout,
  addSettle,
  addStateFrom,
  addVariables,
  collect,
  collectSelector,
  duration,
  type FlagsOf,
  markdownBytes,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { driftReportText } from "./drift-reports.ts";

export type DriftFlags = FlagsOf<typeof declareDrift>;

export function declareDrift(program: Command) {
  const command = program
    .command("drift")
    .description("report what changed outside; exit code 0 none, 2 drift, 1 could not check");
  return addStateFrom(addLockTimeout(addSettle(addDebug(addVariables(addCommon(command))))))
    .option("--target <address>", "look at this only (repeatable)", collectSelector)
    .option("--exclude <address>", "do not look at this (repeatable)", collectSelector)
    .option("--no-unmanaged", "do not look for objects that are recorded nowhere")
    .option("--allow-empty", "that nothing is recorded is no error")
    .addOption(command.createOption("--format <format>", "form of the report").choices(reportForms))
    .option(
      "--max-bytes <n>",
      "cut Markdown to fit, with a count of what is left out",
      markdownBytes,
    )
    .option("--out <file>", "write the report in that form there, and show it as text")
    .option("--html <file>", "write the report as one page there, too")
    .option("--junit <file>", "write the report as JUnit XML there, too")
    .option("--sarif <file>", "write the report as SARIF 2.1.0 there, too")
    .option("--gitlab <file>", "write the report as GitLab's code quality report there, too")
    .option("--metrics-file <file>", "write numbers for Prometheus there, too")
    .option("--history <file>", "tell what is new, still there or fixed, and add this report there")
    .option(
      "--every <duration>",
      "report again and again, such as 15m, until interrupted",
      duration,
    )
    .option(
      "--accept <address>",
      "record what is observed of ADDRESS or ADDRESS.ATTRIBUTE (repeatable)",
      collect<string>,
    )
    .option("--write-config", "with --accept: write it into the configuration, too")
    .option("--auto-approve", "with --accept: do not ask")
    .hook("preAction", (drift) => {
      const { format, out } = drift.opts();
      // The view has to know it before anything is written.
      if (format === "json" && out === undefined) drift.setOptionValue("json", true);
    });
}

/** 0 none, 2 drift, 1 when something could not be checked that should have been. */
export async function runDrift(shell: Shell, run: Run, flags: DriftFlags): Promise<ExitCode> {
  if (flags.accept !== undefined) {
    const { runAccept } = await import("./drift-accept.ts");
    return runAccept(shell, run, flags);
  }
  refuseWithoutAccept(flags);
  const isNews = newsOnly();
  const report = (): Promise<ExitCode> =>
    notifying(run, flags, "drift", (tell) => reportOnce(shell, run, flags, tell, isNews), isNews);
  if (flags.every === undefined) return report();
  const { repeatDrift } = await import("./repeated-drift.ts");
  return repeatDrift(shell, run, flags.every, report);
}

async function reportOnce(
  shell: Shell,
  { view, environment }: Run,
  flags: DriftFlags,
  tell: Tell,
  isNews: News,
): Promise<ExitCode> {
  const { out, target = [], exclude = [], maxBytes } = flags;
  const format = flags.format ?? (view.json ? "json" : "text");
  const isDocument = format !== "text" && format !== "json" && out === undefined;
  if (isDocument) refuseJson(view.json, format);
  if (isDocument) view.eventsAside();
  const outs = outputsOf(flags, format);
  refusePartialHistory(flags);
  const looked = await driftCommand(environment, {
    ...workspaceOptions(flags),
    targets: target,
    excludes: exclude,
    unmanaged: flags.unmanaged !== false,
    allowEmpty: flags.allowEmpty === true,
    settle: flags.settle === true,
    outputs: [
      ...outs.map(({ path, form }) => ({ path, kind: driftReportKinds[form] })),
      ...(flags.history === undefined ? [] : [{ path: flags.history, kind: historyKind }]),
    ],
  });
  const { report, entries } =
    flags.history === undefined
      ? { report: looked, entries: [] }
      : await addToHistory(environment, flags.history, looked);
  const text = (form: ReportForm): Promise<string> =>
    driftReportText(report, form, { maxBytes, version: shell.version, history: entries });
  for (const { path, form } of outs) {
    const head = form === "text" ? `${reportHead}\n\n` : "";
    await writeOutput(environment, path, driftReportKinds[form], `${head}${await text(form)}\n`);
  }
  view.text(isDocument ? await text(format) : driftText(report, view.options));
  if (!view.json) view.diagnostics(report.diagnostics);
  const code = hasErrors(report.diagnostics) ? exitCodes.error : driftExitCode(report);
  const event = code === exitCodes.error ? "failed" : "drift";
  const calm = code === exitCodes.ok;
  // Once all is well, the same drift is news again.
  if (calm) isNews("");
  const untold = calm ? [] : await tell(event, driftSummaryText(report), findingsKey(report));
  view.document(driftJson({ ...report, diagnostics: [...report.diagnostics, ...untold] }));
  if (!view.json) view.diagnostics(untold);
  return code;
}

/** Who means to write must not be given a report that looks like it was done. */
function refuseWithoutAccept({ writeConfig, autoApprove, lockTimeout }: DriftFlags): void {
  const given = { "--write-config": writeConfig, "--auto-approve": autoApprove };
  const all = { ...given, "--lock-timeout": lockTimeout };
  const [name] = Object.entries(all).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw new CommandError(`${name} belongs to --accept.`, undefined, "usage");
}

/** Names what a report has found; counts alone would hide that one was mended and another came. */
function findingsKey({ objects }: DriftReport): string {
  const prints = objects.flatMap(({ verdict, fingerprint = verdict, drifted, standing }) =>
    [...drifted, ...standing].map((item) => item.fingerprint).concat(fingerprint),
  );
  return prints.join(" ");
}

/** What was not looked at would look fixed. */
function refusePartialHistory({ history, target = [], exclude = [] }: DriftFlags): void {
  if (history === undefined || target.length + exclude.length === 0) return;
  const detail = "--history is of whole reports: --target and --exclude are left out with it.";
  throw new CommandError(detail, undefined, "usage");
}

function refuseJson(json: boolean, format: ReportForm): void {
  if (!json) return;
  throw new CommandError(`--format ${format} and --json exclude each other.`, undefined, "usage");
}

type ReportFile = { readonly path: string; readonly form: ReportForm };

function outputsOf(flags: DriftFlags, format: ReportForm): readonly ReportFile[] {
  const { out } = flags;
  const outs = out === undefined ? [] : [{ path: out, form: format }];
  for (const form of ["html", "junit", "sarif", "gitlab"] as const) {
    const path = flags[form];
    if (path !== undefined) outs.push({ path, form });
  }
  if (flags.metricsFile !== undefined) outs.push({ path: flags.metricsFile, form: "metrics" });
  return outs;
}
