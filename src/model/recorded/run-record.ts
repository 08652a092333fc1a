/**
 * What is kept of a run that wrote to recorded state: who, when, what was done and how it ended.
 * Values are nowhere in it, only names of attributes, so no secret is.
 */

import type { OperationId } from "../operation/operation.ts";
import type { Address } from "../value/address.ts";
import type { OperationOutcome } from "./journal.ts";

/**
 * `partial`: some of what was planned was not done. `lost`: nobody saw the end, and a later run has
 * closed the record.
 */
export type RunOutcome = "done" | "partial" | "failed" | "declined" | "interrupted" | "lost";

export const runOutcomes = [
  ...(["done", "partial", "failed", "declined", "interrupted", "lost"] as const),
] satisfies readonly RunOutcome[];

export type RunOperation = {
  readonly planId: string;
  readonly id: OperationId;
  readonly verb: string;
  readonly address: Address;
  readonly beganMs: number;
  readonly endedMs?: number;
  /** By the server's own clock, where its interface tells it. */
  readonly serverBeganMs?: number;
  /** Absent: nobody knows yet. */
  readonly outcome?: OperationOutcome;
  readonly message?: string;
  /** An earlier run has begun it, and this one has found out how it ended. */
  readonly settled?: true;
  /** Names of the attributes that were read otherwise afterwards than before. */
  readonly attributes?: readonly string[];
};

/**
 * What changed of a record without an operation. `outside`: read otherwise than recorded, before
 * this run did anything. `along`: the same, after operations of this run.
 */
export type RunChange = {
  readonly what: "outside" | "along" | "gone" | "adopted" | "forgotten" | "moved" | "endpoint";
  readonly address: Address;
  readonly attributes?: readonly string[];
  /** Of a move: where it was recorded before. */
  readonly from?: Address;
};

export type RunConsent = {
  /** Kind, such as `power-cycle`, or `policy:NAME`. */
  readonly kind: string;
  readonly address?: Address;
  /** `person`: was asked and said yes. `option`: by --allow, perhaps of the saved plan. */
  readonly by: "person" | "option";
};

export type RunPlan = {
  readonly id: string;
  /** Applied from a file. */
  readonly saved: boolean;
  readonly operations: number;
  /** Such as `add`, by what is counted; without those that are none. */
  readonly counts: { readonly [what: string]: number };
  readonly consents: readonly RunConsent[];
};

export type RunEnd = {
  readonly atMs: number;
  readonly outcome: RunOutcome;
  /** Of recorded state afterwards. */
  readonly serial: number;
};

export type RunRecord = {
  readonly id: string;
  /** As the lock names it, such as `apply` or `state rm`. */
  readonly command: string;
  readonly who: string;
  readonly host: string;
  /** A worker did it for what was submitted by this id. */
  readonly submission?: string;
  /** Version of vmform. */
  readonly version: string;
  readonly lockId: string;
  readonly beganMs: number;
  /** Entries of the journal up to here are in what follows, as far as they are of this run. */
  readonly position: number;
  /** Of an action: what it was done to. */
  readonly subject?: Address;
  readonly plan?: RunPlan;
  readonly operations: readonly RunOperation[];
  readonly changes: readonly RunChange[];
  /** Errors and warnings, a code and what was told. */
  readonly said: readonly string[];
  /** More that was left out, since the store has no room for it. */
  readonly leftOut?: number;
  /** Absent: it is under way, or it was killed. */
  readonly end?: RunEnd;
};

/** What tells whether a record is closed and how old it is, without the rest, which is long. */
export type RunHead = Pick<RunRecord, "id" | "position" | "beganMs" | "end">;

/** How a record is kept. */
export type RunSaving = {
  /** Ids of records that are not kept any more. */
  readonly drop: readonly string[];
  /** It may wait for the next write of anything else, where each write costs a request. */
  readonly late: boolean;
};
