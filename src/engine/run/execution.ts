/** What executing one operation needs, and what comes of it. */

import type { Address } from "../../model/address.ts";
import type { Operation, OperationId } from "../../model/operation.ts";
import type { OperationStatus } from "../dispatch/graph.ts";
import type { Sessions } from "../sessions.ts";
import type { LateReferences } from "./late-references.ts";
import type { MovedAlong } from "./moved-along.ts";
import type { Sending } from "./send.ts";
import type { Twins } from "./twins.ts";

export type Execution = Sending & {
  readonly sessions: Sessions;
  readonly references: LateReferences;
  /** All operations of the plan. */
  readonly operations: ReadonlyMap<OperationId, Operation>;
  /** Objects whose late values are as applied: they are not replaced. */
  readonly kept: Set<Address>;
  readonly along: MovedAlong;
  readonly twins: Twins;
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
