/** What was submitted, for people and as data. */

import { clockText } from "../../lib/time/clock-text.ts";
import type { Submission } from "../../model/fleet/submission.ts";
import type { ValueMap } from "../../model/value/value.ts";

const time = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

export function submissionJson(submission: Submission): ValueMap {
  const { id, state, kind, status, who, host, askedMs, bundle, version, attempt } = submission;
  const { worker, startedMs, endedMs, exitCode, detail, approvals, scheduled } = submission;
  const { cancellation } = submission;
  return {
    ...{ id, state, kind, status, who, host, asked_at: time(askedMs), scheduled },
    ...{ configuration_sha256: bundle, vmform: version, attempt, worker: worker ?? null },
    ...{ started_at: time(startedMs), ended_at: time(endedMs), exit_code: exitCode ?? null },
    detail: detail ?? null,
    cancellation:
      cancellation === undefined
        ? null
        : { who: cancellation.who, host: cancellation.host, at: time(cancellation.atMs) },
    approvals: approvals.map((one) => ({
      ...{ who: one.who, host: one.host, at: time(one.atMs), allowed: one.allowed },
    })),
  };
}

/** One line each. */
export function submissionsText(submissions: readonly Submission[], nowMs: number): string {
  if (submissions.length === 0) return "Nothing was submitted yet.";
  return submissions.map((one) => submissionLine(one, nowMs)).join("\n");
}

function submissionLine(submission: Submission, nowMs: number): string {
  const { id, state, kind, status, who, askedMs, detail = "" } = submission;
  const by = `(${who}, ${clockText(askedMs, nowMs)})`;
  return `${id}  ${kind} of ${state}: ${statusWords[status]} ${by}  ${detail}`.trimEnd();
}

export const statusWords: { readonly [status in Submission["status"]]: string } = {
  queued: "waits for a worker",
  running: "running",
  needs_approval: "needs approval",
  done: "done",
  failed: "failed",
  interrupted: "interrupted",
  declined: "declined",
  cancelled: "cancelled",
};
