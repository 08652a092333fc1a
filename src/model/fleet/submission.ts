/**
 * Submissions: what people asked workers to do, and what has become of it. Everything about a run
 * stands here, in the database of the store; a queue only tells a worker that there is one.
 */

import type { Consent } from "../operation/disruption.ts";

export const submissionKinds = ["plan", "apply", "drift", "destroy"] as const;
export type SubmissionKind = (typeof submissionKinds)[number];

/**
 * `queued`: for a worker to take, also where it was approved or put back. `needs_approval`:
 * planned, and waiting for consent. `done`: without an error, drift or no drift. `declined`:
 * somebody said no to its plan. `cancelled`: taken back while no worker had it, or stopped by
 * somebody's wish.
 */
export const submissionStatuses = [
  "queued",
  "running",
  "needs_approval",
  "done",
  "failed",
  "interrupted",
  "declined",
  "cancelled",
] as const;
export type SubmissionStatus = (typeof submissionStatuses)[number];

/** What was given on the command line that asked. Values of variables hold no secret. */
export type SubmissionOptions = {
  readonly workspace: string;
  readonly variables: readonly { readonly name: string; readonly text: string }[];
  /** Relative to the folder of the configuration. */
  readonly variableFiles: readonly string[];
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  readonly replace: readonly string[];
  readonly allowed: readonly Consent[];
  /** Whether it is applied without being approved where the consents given cover it. */
  readonly autoApprove: boolean;
  readonly window?: "wait" | "skip";
  readonly parallelism?: number;
};

/** Somebody's yes. */
export type Approval = {
  readonly who: string;
  readonly host: string;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly atMs: number;
  readonly allowed: readonly Consent[];
};

/** Somebody's wish that a run ends. */
export type Cancellation = {
  readonly who: string;
  readonly host: string;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly atMs: number;
};

export type Submission = {
  /** What people name it by. */
  readonly id: string;
  /** Of the state, in its database: with the workspace. */
  readonly state: string;
  readonly kind: SubmissionKind;
  readonly status: SubmissionStatus;
  readonly who: string;
  readonly host: string;
  readonly askedMs: number;
  /** sha256 of the configuration, as hex. */
  readonly bundle: string;
  readonly options: SubmissionOptions;
  /** Of the vmform that packed it. */
  readonly version: string;
  /** Whether it was planned, and so has a plan that can be approved. */
  readonly planned: boolean;
  /** Whether that plan may be applied: by somebody's yes, or by the options. */
  readonly approved: boolean;
  readonly approvals: readonly Approval[];
  /** How often a worker has taken it. */
  readonly attempt: number;
  readonly worker?: string;
  readonly startedMs?: number;
  readonly endedMs?: number;
  /** Of the command line that a worker ran for it. */
  readonly exitCode?: number;
  /** One line for people: how it ended, or what it waits for. */
  readonly detail?: string;
  /** The first wish that it ends; where a worker has it, it ends a little later. */
  readonly cancellation?: Cancellation;
  /** Of a schedule, which has the state as its name. */
  readonly scheduled: boolean;
};

export type NewSubmission = Pick<
  Submission,
  "state" | "kind" | "who" | "host" | "options" | "version"
> & { readonly bundle: Bundle };

/** A configuration as it travels. */
export type Bundle = { readonly sha256: string; readonly bytes: Uint8Array };

/** A message of a run: one line of JSON, in order. */
export type SubmissionEvent = { readonly number: string; readonly line: string };

/** Says why an expression, or its time zone, is none. */
export class ScheduleError extends Error {}

/** An expression of cron, in a time zone, that submits a check for drift of one state. */
export type Schedule = {
  readonly state: string;
  readonly cron: string;
  readonly zone: string;
  readonly who: string;
  readonly host: string;
  readonly version: string;
  readonly bundle: string;
  readonly options: SubmissionOptions;
};
