/** One line of plain text per engine event: what a log or a pipe gets while work goes on. */

import { shellWord } from "../../lib/shell-word.ts";
import { plural } from "../../lib/text.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import type { EngineEvent } from "../../model/operation/event.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { durationText } from "../text/duration-text.ts";
import { escapeControls } from "../text/safe-text.ts";
import { operationVerb, verbText } from "../text/verb-text.ts";
import { heartbeatText, waitText } from "./heartbeat-text.ts";

/** False for what only concerns whoever watches how long things take. */
export function isTold(event: EngineEvent): boolean {
  switch (event.kind) {
    case "apply-started":
    case "apply-ended":
    case "wait-ended":
      return false;
    case "wait-started":
      return event.wait.announced === true;
    default:
      return true;
  }
}

/** Without newline, control characters or escape codes. Times are told as seen at `nowMs`. */
export function eventText(event: EngineEvent, nowMs: number): string {
  return escapeControls(words(event, nowMs));
}

function words(event: EngineEvent, nowMs: number): string {
  switch (event.kind) {
    case "refresh-started":
      return refreshText(event.count - event.lookups, event.lookups);
    case "refresh-ended": {
      const what = event.count === event.lookups ? "Lookup" : "Refresh";
      return `${what} complete after ${durationText(event.elapsedMs)}`;
    }
    case "recovery-started":
      return recoveryText(event, nowMs);
    case "recovery-ended":
      return `${event.address}: ${recoveryWords[event.outcome]} (${event.message})`;
    case "operation-started":
      return `${event.address}: ${event.summary}...`;
    case "operation-waiting":
      return `${event.address}: Waiting: ${event.message}`;
    case "operation-progress": {
      const percent = event.progress === undefined ? "" : `, ${event.progress} %`;
      return `${event.address}: Remote task is ${event.word}${percent}`;
    }
    case "operation-ended": {
      const message = event.message === undefined ? "" : `: ${event.message}`;
      const verb = verbText(operationVerb(event.id));
      const ending = endingWords[event.outcome];
      const elapsed = event.outcome === "skipped" ? "" : ` after ${durationText(event.elapsedMs)}`;
      return `${event.address}: ${verb} ${ending}${elapsed}${message}`;
    }
    case "request-retried":
      return event.message.startsWith(event.request)
        ? event.message
        : `${event.request}: ${event.message}`;
    case "draining":
      return drainingWords(event);
    case "task-cancelled":
      return event.problem === undefined
        ? `${event.address}: The remote task was asked to cancel`
        : `${event.address}: The remote task could not be cancelled: ${event.problem}`;
    case "apply-started":
    case "apply-ended":
    case "wait-ended":
      return "";
    case "wait-started":
      return waitText(event.wait, nowMs);
    case "still-running":
    case "still-running-many":
    case "still-queued":
    case "still-waiting":
      return heartbeatText(event, nowMs);
    case "diagnostic": {
      const { severity, code } = event.diagnostic;
      return `${severity} ${code}:${diagnosticWords(event.diagnostic)}`;
    }
  }
}

function refreshText(recorded: number, lookups: number): string {
  if (recorded === 0) return `Looking up what is wanted... (${plural(lookups, "object")})`;
  const more = lookups === 0 ? "" : `, and ${lookups} looked up`;
  return `Refreshing state... (${plural(recorded, "object")}${more})`;
}

function recoveryText(
  { address, verb, deadlineMs }: Extract<EngineEvent, { kind: "recovery-started" }>,
  nowMs: number,
): string {
  const until = `until ${clockText(deadlineMs, nowMs)} at most`;
  const wayOut = `vmform state resolve ${shellWord(address)} --not-done`;
  return (
    `${address}: Looking what became of the interrupted ${verbText(verb)}, ${until} ` +
    `(Ctrl-C is safe; where you know that it did not happen: ${wayOut})`
  );
}

function drainingWords({ running, tasks }: Extract<EngineEvent, { kind: "draining" }>): string {
  if (running === 0) return "Stopping: nothing is running.";
  const operations = plural(running, "running operation");
  return tasks === 0
    ? `Stopping: waiting for ${operations} to end. ` +
        "Interrupt again to stop at once; the next run then settles what was begun."
    : `Stopping: waiting for ${operations} to end (${plural(tasks, "remote task")}). ` +
        "Interrupt again to stop at once: the tasks then go on, and the next run attaches to them.";
}

/** Place, summary, detail and fix of a diagnostic as sentences on one line, with a blank before. */
function diagnosticWords(diagnostic: Diagnostic): string {
  const { address, source, summary, detail, fix } = diagnostic;
  const file = source === undefined ? [] : [`${source.file}:${source.line}:${source.column}:`];
  const object = address === undefined ? [] : [`${address}:`];
  const sentences = [summary, detail, fix ?? ""].filter((sentence) => sentence !== "");
  const ended = sentences.map((text) => (/[.!?:]$/.test(text) ? text : `${text}.`));
  return [...file, ...object, ...ended].map((part) => ` ${part}`).join("");
}

type RecoveryOutcome = Extract<EngineEvent, { kind: "recovery-ended" }>["outcome"];
const recoveryWords: { readonly [outcome in RecoveryOutcome]: string } = {
  success: "The interrupted operation is done",
  failed: "The interrupted operation is not done",
  unknown: "The interrupted operation was not seen to happen",
};

type OperationOutcome = Extract<EngineEvent, { kind: "operation-ended" }>["outcome"];
const endingWords: { readonly [outcome in OperationOutcome]: string } = {
  success: "complete",
  failed: "failed",
  unknown: "not seen to take effect",
  skipped: "skipped",
};
