/** What running a plan in a simulated twin of the observed world has shown. */

import type { OperationId } from "../operation/operation.ts";
import type { Diagnostic } from "../said/diagnostic.ts";
import type { Address } from "../value/address.ts";

/** Times are milliseconds from the beginning of the rehearsed apply. */
export type Rehearsal = {
  readonly planId: string;
  /** When it was rehearsed, milliseconds since the epoch. */
  readonly atMs: number;
  /** From its beginning to its end. */
  readonly durationMs: number;
  /** Those that ran in the order in which they began, then the rest in that of the plan. */
  readonly operations: readonly RehearsedOperation[];
  readonly windows: readonly RehearsedWindow[];
  readonly datastores: readonly RehearsedDatastore[];
  readonly failures: readonly RehearsedFailure[];
  /** Errors and warnings that an apply would have told besides. */
  readonly diagnostics: readonly Diagnostic[];
  readonly paces: readonly Pace[];
  /** What the rehearsal cannot know, one sentence each, without a full stop. */
  readonly unknown: readonly string[];
};

export type RehearsedOperation = {
  readonly id: OperationId;
  readonly address: Address;
  readonly type: string;
  readonly verb: string;
  /** For people; may name inputs that are secret, which whoever shows it masks. */
  readonly summary: string;
  /** `pending`: a policy keeps it for another time. */
  readonly outcome: "success" | "failed" | "skipped" | "unused" | "pending";
  /** Absent where it did not begin. */
  readonly startMs?: number;
  readonly endMs?: number;
  readonly message?: string;
};

/** A power window of a machine, from its first word to its last. */
export type RehearsedWindow = {
  readonly address: Address;
  readonly startMs: number;
  readonly endMs: number;
};

/** Megabytes; without a capacity, nothing is known of how full it is. */
export type RehearsedDatastore = {
  readonly provider: string;
  readonly name: string;
  readonly capacityMb?: number;
  readonly beforeMb: number;
  readonly peakMb: number;
  readonly peakAtMs: number;
  readonly afterMb: number;
};

export type RehearsedFailure = {
  /** Absent where the plan itself has the error, or the whole. */
  readonly id?: OperationId;
  readonly address?: Address;
  /** Of an error of the plan. */
  readonly code?: string;
  readonly reason: string;
  /** Operations that would not start because of it. */
  readonly holdsBack: readonly OperationId[];
};

/** How long work of a kind was taken to be. */
export type Pace = {
  /** As `durationKind` makes it. */
  readonly kind: string;
  /** Absent where it is not known and took no time. */
  readonly ms?: number;
  /** Earlier operations that tell it; none: the simulator's own. */
  readonly samples: number;
};

export function foreseesFailure({ failures }: Pick<Rehearsal, "failures">): boolean {
  return failures.length > 0;
}
