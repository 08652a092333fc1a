/** One line of plain text per engine event: what a log or a pipe gets while work goes on. */

import type { Diagnostic } from "../model/diagnostic.ts";
import type { EngineEvent } from "../model/event.ts";
import { durationText } from "./duration-text.ts";
import { plural } from "./plan-summary.ts";
import { escapeControls } from "./safe-text.ts";
import { operationVerb, verbText } from "./verb-text.ts";

/** Without newline, control characters or escape codes. */
export function eventText(event: EngineEvent): string {
  return escapeControls(words(event));
}

function words(event: EngineEvent): string {
  switch (event.kind) {
    case "refresh-started":
      return `Refreshing state... (${plural(event.count, "object")})`;
    case "refresh-ended":
      return `Refresh complete after ${durationText(event.elapsedMs)}`;
    case "recovery-started": {
      const deadline = new Date(event.deadlineMs).toISOString();
      const verb = verbText(event.verb);
      return `${event.address}: Interrupted ${verb} is being settled, until ${deadline}`;
    }
    case "recovery-ended":
      return `${event.address}: ${recoveryWords[event.outcome]}: ${event.message}`;
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
    case "diagnostic": {
      const { severity, code } = event.diagnostic;
      return `${severity} ${code}:${diagnosticWords(event.diagnostic)}`;
    }
  }
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
  success: "Interrupted operation has taken effect",
  failed: "Interrupted operation has not taken effect",
  unknown: "Interrupted operation was not seen to take effect",
};

type OperationOutcome = Extract<EngineEvent, { kind: "operation-ended" }>["outcome"];
const endingWords: { readonly [outcome in OperationOutcome]: string } = {
  success: "complete",
  failed: "failed",
  unknown: "not seen to take effect",
  skipped: "skipped",
};
