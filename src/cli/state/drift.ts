/** `vmform drift` on the command line. */

import { type Command, Option } from "commander";
import {
  driftReportKinds,
  type ReportForm,
  reportHead,
  writeOutput,
} from "../../commands/output-file.ts";
import { driftCommand } from "../../commands/state/drift.ts";
import { driftExitCode } from "../../drift/drift-report.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { Selector } from "../../model/value/address.ts";
import { driftJson } from "../../render/drift/drift-json.ts";
import { driftMarkdown } from "../../render/drift/drift-markdown.ts";
import { driftText } from "../../render/drift/drift-text.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  type CommonOptions,
  collectSelector,
  markdownBytes,
  workspaceOptions,
} from "../options.ts";
import type { Run } from "../run.ts";

const formats: readonly ReportForm[] = ["text", "markdown", "json"];

export type DriftFlags = CommonOptions & {
  readonly target?: readonly Selector[];
  readonly exclude?: readonly Selector[];
  readonly format?: ReportForm;
  readonly maxBytes?: number;
  readonly out?: string;
  /** `--no-unmanaged` sets it to false. */
  readonly unmanaged?: boolean;
  readonly allowEmpty?: boolean;
  readonly settle?: boolean;
};

export function addDriftOptions(command: Command): Command {
  return command
    .option("--target <address>", "look at this only (repeatable)", collectSelector)
    .option("--exclude <address>", "do not look at this (repeatable)", collectSelector)
    .option("--no-unmanaged", "do not look for objects that are recorded nowhere")
    .option("--allow-empty", "that nothing is recorded is no error")
    .addOption(new Option("--format <format>", "form of the report").choices(formats))
    .option(
      "--max-bytes <n>",
      "cut Markdown to fit, with a count of what is left out",
      markdownBytes,
    )
    .option("--out <file>", "write the report in that form there, and show it as text")
    .hook("preAction", (drift) => {
      const { format, out } = drift.opts<DriftFlags>();
      // The view has to know it before anything is written.
      if (format === "json" && out === undefined) drift.setOptionValue("json", true);
    });
}

/** 0 none, 2 drift, 1 when something could not be checked that should have been. */
export async function runDrift({ view, environment }: Run, flags: DriftFlags): Promise<ExitCode> {
  const { out, target = [], exclude = [] } = flags;
  const format = flags.format ?? (view.json ? "json" : "text");
  const markdownOnly = format === "markdown" && out === undefined;
  if (markdownOnly) view.eventsAside();
  const options = {
    ...workspaceOptions(flags),
    targets: target,
    excludes: exclude,
    unmanaged: flags.unmanaged !== false,
    allowEmpty: flags.allowEmpty === true,
    settle: flags.settle === true,
    out: out === undefined ? undefined : { path: out, form: format },
  };
  const report = await driftCommand(environment, options);
  if (out !== undefined) {
    const head = format === "text" ? `${reportHead}\n\n` : "";
    const text = `${head}${reportText(report, format, flags)}\n`;
    await writeOutput(environment, out, driftReportKinds[format], text);
  }
  view.text(markdownOnly ? reportText(report, format, flags) : driftText(report, view.options));
  view.document(driftJson(report));
  if (!view.json) view.diagnostics(report.diagnostics);
  return hasErrors(report.diagnostics) ? exitCodes.error : driftExitCode(report);
}

function reportText(report: DriftReport, format: ReportForm, flags: DriftFlags): string {
  switch (format) {
    case "text":
      return driftText(report, { color: false });
    case "json":
      return stringifyJson(driftJson(report), { indent: 2 });
    case "markdown":
      return driftMarkdown(
        report,
        flags.maxBytes === undefined ? {} : { maxBytes: flags.maxBytes },
      );
  }
}
