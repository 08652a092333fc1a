/** `vmform runs --watch RUN`: what a run says, as it says it, and how it ends. */

import { CommandError } from "../../commands/environment.ts";
import { parseJson } from "../../lib/json.ts";
import type { Fleet } from "../../model/fleet/fleet.ts";
import type { Submission } from "../../model/fleet/submission.ts";
import { isMap, memberOf } from "../../model/value/value.ts";
import { streamMessage } from "../../render/run/event-json.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { CommonOptions } from "../options.ts";
import type { Run } from "../run.ts";
import { inFleet } from "./asking.ts";
import { statusWords, submissionJson, submissionsText } from "./submission-text.ts";

export async function runWatch(run: Run, flags: CommonOptions, id: string): Promise<ExitCode> {
  const { environment } = run;
  return inFleet(environment, flags, "vmform runs --watch", async (fleet) =>
    watchRun(run, fleet, await foundRun(fleet, id)),
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
  { view, environment }: Run,
  fleet: Fleet,
  { id }: Pick<Submission, "id">,
): Promise<ExitCode> {
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
    if (isOver) return shownEnd({ view, environment }, submission);
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
  const text = memberOf(value, "@message");
  return typeof text === "string" ? text : "";
}

/** Empty while a worker is at it and nobody minds. */
function waitingText({ id, status, detail, cancellation: by }: Submission): string {
  if (status !== "queued") {
    return by === undefined ? "" : `${id}: ${by.who}@${by.host} has asked to stop it.`;
  }
  return `${id}: ${statusWords.queued}. ${detail ?? ""}`.trimEnd();
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
