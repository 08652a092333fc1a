/** `vmform runs --watch RUN`: what a run says, as it says it, and how it ends. */

import { CommandError } from "../../commands/environment.ts";
import { diagnosticsOf } from "../../commands/told.ts";
import { parseJson } from "../../lib/json.ts";
import type { Fleet } from "../../model/fleet/fleet.ts";
import type { Submission } from "../../model/fleet/submission.ts";
import { isMap, memberOf } from "../../model/value/value.ts";
import { streamMessage } from "../../render/run/event-json.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { CommonOptions } from "../options.ts";
import type { Run } from "../run.ts";
import { keptPlan, showKeptPlan } from "./answer/kept-plan.ts";
import { inFleet } from "./asking.ts";
import { statusWords, submissionJson, submissionsText } from "./submission-text.ts";

export async function runWatch(run: Run, flags: CommonOptions, id: string): Promise<ExitCode> {
  const { environment } = run;
  return inFleet(environment, flags, "vmform runs --watch", async (fleet) =>
    watchRun(run, flags, fleet, await foundRun(fleet, id)),
  );
}

/** Throws `CommandError`. */
export async function foundRun(fleet: Fleet, id: string): Promise<Submission> {
  const found = await fleet.find(id);
  if (found !== undefined) return found;
  throw new CommandError(
    `No run, or more than one, begins with ${JSON.stringify(id)}.`,
    "See which there are: vmform runs --submitted",
  );
}

export async function runSubmitted(
  { view, environment }: Run,
  flags: CommonOptions,
  limit: number,
): Promise<ExitCode> {
  return inFleet(environment, flags, "vmform runs --submitted", async (fleet) => {
    const submissions = await fleet.list(limit);
    view.text(submissionsText(submissions, environment.clock.now()));
    view.document({ submissions: submissions.map(submissionJson) });
    return exitCodes.ok;
  });
}

const pauseMs = 500;

/** Until it has ended, or waits for somebody. Its exit code is that of the run. */
export async function watchRun(
  run: Run,
  flags: CommonOptions,
  fleet: Fleet,
  { id }: Pick<Submission, "id">,
): Promise<ExitCode> {
  const { view, environment } = run;
  const { interrupts, clock } = environment;
  let after = "0";
  let waitsFor = "";
  for (;;) {
    const submission = await interrupts.untilInterrupted(() => foundRun(fleet, id));
    // Looked at before its events: what is said until it ends is all there.
    const isOver = !["queued", "running"].includes(submission.status);
    for (;;) {
      const events = await fleet.events(id, after);
      if (events.length === 0) break;
      for (const { line, number } of events) {
        if (view.json) writeLine(view, line);
        else view.say(textOf(line));
        after = number;
      }
    }
    if (isOver) {
      await showPlanOf(run, flags, fleet, submission);
      return shownEnd(run, submission);
    }
    const waiting = waitingText(submission);
    if (waiting !== waitsFor) view.say(waiting);
    waitsFor = waiting;
    await interrupts.untilInterrupted(() => clock.sleep(pauseMs));
  }
}

function writeLine(view: Run["view"], line: string): void {
  const value = parseJson(line);
  if (isMap(value)) view.message(value);
}

function textOf(line: string): string {
  const value = parseJson(line);
  const diagnostic = memberOf(value, "diagnostic");
  const address = textIn(diagnostic, "address");
  const detail = textIn(diagnostic, "detail");
  const about = address === "" || detail.includes(address) ? detail : `${address}: ${detail}`;
  // The message of a problem is its title.
  const lines = [textIn(value, "@message"), about, textIn(diagnostic, "fix")];
  return lines.filter((one) => one !== "").join("\n  ");
}

function textIn(value: Parameters<typeof memberOf>[0], name: string): string {
  const text = value === undefined ? undefined : memberOf(value, name);
  return typeof text === "string" ? text : "";
}

/** Empty while a worker is at it and nobody minds. */
function waitingText({ id, status, detail, cancellation: by }: Submission): string {
  if (status !== "queued") {
    return by === undefined ? "" : `${id}: ${by.who}@${by.host} has asked to stop it.`;
  }
  return `${id}: ${statusWords.queued}. ${detail ?? ""}`.trimEnd();
}

/**
 * What a run says names objects and no values, which would stand in the database unencrypted: the
 * plan itself is what whoever watches can agree to.
 */
async function showPlanOf(
  run: Run,
  flags: CommonOptions,
  fleet: Fleet,
  { id, kind, status }: Submission,
): Promise<void> {
  const isWanted = status === "needs_approval" || (kind === "plan" && status === "done");
  if (!isWanted || run.view.json) return;
  const text = await fleet.plan(id);
  if (text === undefined) return;
  try {
    showKeptPlan(run, await keptPlan(run, flags, text), false);
  } catch (error) {
    const diagnostics = diagnosticsOf(error);
    if (diagnostics.length === 0) throw error;
    // Its key is not on this machine, or a later version has made it: how the run ended counts.
    run.view.note("The plan cannot be shown here:");
    run.view.diagnostics(diagnostics.map((one) => ({ ...one, severity: "warning" })));
  }
}

/** Waiting for approval is told as a plan with changes is. */
function shownEnd({ view, environment }: Run, submission: Submission): ExitCode {
  const { id, status, detail = "", exitCode } = submission;
  const message = `${id}: ${statusWords[status]}. ${detail}`.trimEnd();
  view.text(message);
  const rest = { submission: submissionJson(submission) };
  const level = status === "failed" ? "error" : "info";
  const atMs = environment.clock.now();
  view.message(streamMessage({ level, message, atMs, type: "submission", rest }));
  if (status === "needs_approval") return exitCodes.changes;
  const known = Object.values(exitCodes).find((one) => one === exitCode);
  return known ?? (status === "done" ? exitCodes.ok : exitCodes.error);
}
