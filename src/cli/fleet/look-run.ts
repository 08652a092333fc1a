/** Runs of a worker that only look: a plan, and a check for drift. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Planned, savePlan } from "../../commands/plan/plan.ts";
import { parseJson, stringifyJson } from "../../lib/json.ts";
import { toAddress, toSelector } from "../../model/value/address.ts";
import { streamMessage } from "../../render/run/event-json.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { PlanningOptions } from "../options.ts";
import { runPlan } from "../plan/plan.ts";
import { type Run, runCommand } from "../run.ts";
import { runDrift } from "../state/drift.ts";
import type { OneRun, RunEnd } from "./one-run.ts";

/** The options of a command line, as they were given where it was submitted. */
export function flagsOf({ taken: { options }, folder }: OneRun) {
  const selectors = (words: readonly string[]) => words.flatMap((word) => toSelector(word) ?? []);
  const { variables, variableFiles, targets, excludes, replace, allowed } = options;
  return {
    chdir: folder,
    json: true,
    input: false,
    var: variables,
    varFile: variableFiles.map((path) => join(folder, path)),
    ...(targets.length === 0 ? {} : { target: selectors(targets) }),
    ...(excludes.length === 0 ? {} : { exclude: selectors(excludes) }),
    ...(replace.length === 0 ? {} : { replace: replace.flatMap((word) => toAddress(word) ?? []) }),
    allow: allowed,
  } as const satisfies PlanningOptions;
}

export async function planRun(run: OneRun): Promise<RunEnd> {
  const flags = { ...flagsOf(run), detailedExitcode: true };
  const code = await runCommand(run.shell, flags, "stream", (ready) =>
    runPlan(run.shell, ready, flags, async (made) => {
      // What the run says has no values, and is not encrypted: whoever asked is shown this.
      if (made.unsaved !== undefined) return;
      await run.keepPlan(await savedText(ready, run.planFile, made), false);
    }),
  );
  return endOf(run, code);
}

/** A plan as text of a saved plan, sealed where recorded state is. */
export async function savedText(
  { environment }: Run,
  planFile: string,
  planned: Planned,
): Promise<string> {
  await rm(planFile, { force: true });
  await savePlan(environment, planFile, planned);
  return readFile(planFile, "utf8");
}

/** Text for people as it goes, and the report as one line of JSON. */
export async function driftRun(run: OneRun): Promise<RunEnd> {
  const { allow: _none, ...given } = flagsOf(run);
  const report = join(run.folder, "..", "drift.json");
  const flags = { ...given, json: false, color: false, format: "json", out: report } as const;
  const code = await runCommand(run.shell, flags, "document", (ready) =>
    runDrift(run.shell, ready, flags),
  );
  const text = await readFile(report, "utf8").catch(() => "");
  if (text !== "") run.sink.line(reportLine(text));
  return endOf(run, code);
}

function reportLine(text: string): string {
  const report = parseJson(text);
  const message = { level: "info", message: "", atMs: Date.now(), type: "drift_report" } as const;
  return stringifyJson(streamMessage({ ...message, rest: { report } }));
}

/** Of a command that ended so. */
export function endOf({ sink }: OneRun, code: ExitCode): RunEnd {
  const { counts, error, of } = sink.summary();
  if (code === exitCodes.interrupted) {
    return {
      status: "stopped",
      detail: "It was stopped, and is for another worker to go on with.",
      ...(counts === undefined ? {} : { counts: { text: counts, of } }),
    };
  }
  const isDone = code === exitCodes.ok || code === exitCodes.changes;
  const detail = (isDone ? counts : (error ?? counts)) ?? (isDone ? "Done." : "It failed.");
  return { status: isDone ? "done" : "failed", exitCode: code, detail };
}
