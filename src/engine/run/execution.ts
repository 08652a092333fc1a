/** What executing one operation needs, and what comes of it. */

import type { Operation, OperationId, WindowId } from "../../model/operation/operation.ts";
import type { Address } from "../../model/value/address.ts";
import type { OperationStatus } from "../dispatch/graph.ts";
import type { Sending } from "../send/send.ts";
import type { Sessions } from "../sessions.ts";
import type { LatePolicies } from "./late-policies.ts";
import type { LateReferences } from "./late-references.ts";
import type { Changing, MovedAlong } from "./moved-along.ts";

export type Execution = Sending & {
  readonly sessions: Sessions;
  readonly references: LateReferences;
  /** All operations of the plan. */
  readonly operations: ReadonlyMap<OperationId, Operation>;
  /** Objects whose late values are as applied: they are not replaced. */
  readonly kept: Set<Address>;
  readonly along: MovedAlong;
  readonly twins: Twins;
  readonly latePolicies: LatePolicies;
};

/** What addresses of one machine, reached through two interfaces, have done to it in this run. */
export type Twins = {
  /** Remembers what was done last, by the keys of the machine. */
  done(change: Changing): void;
  /** The other address that has done, as the last of all, what this one is about. */
  doneBy(change: Changing): Address | undefined;
  /** Whether any other address has done something to the machine. */
  touches(change: Changing): boolean;
  /** Windows that are not opened. */
  readonly spared: Set<WindowId>;
};

/** `open`: failed so far, but its remote task still runs. */
export type Executed = {
  readonly outcome: "success" | "failed" | "open";
  readonly message?: string;
};

export type OperationResult = {
  readonly operation: Operation;
  readonly status: OperationStatus;
  readonly message?: string;
  /** It failed so far, and may still happen. */
  readonly open?: true;
};
