/** The entry that is durable before a request is sent. */

import type { Uptime } from "../clock.ts";
import type {
  OperationEffect,
  OperationId,
  OperationOrder,
  OperationProof,
  OperationRecord,
  OperationSubject,
} from "../operation/operation.ts";
import type { Attributes, Value } from "../value/value.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * Written before a request is sent, and self-contained: recovery reads this and never the
 * configuration nor a plan. What an operation has by the same name is embedded as it is.
 */
export type BeginEntry = {
  readonly kind: "begin";
  readonly planId: string;
  readonly id: OperationId;
  readonly verb: string;
  readonly subject: OperationSubject;
  readonly settings: Value;
  /** The server that was spoken to; absent of what is on no server. */
  readonly endpoint?: Endpoint;
  readonly effect: OperationEffect;
  /** Method and path; null where none is sent. */
  readonly request: string | null;
  readonly repeat: "safe" | "unsafe";
  readonly order: Pick<OperationOrder, "locks">;
  readonly proof: OperationProof;
  readonly record: OperationRecord<Attributes>;
  readonly atMs: number;
  /** At the same moment; it tells how long ago that is also where the clock has been set since. */
  readonly uptime?: Uptime;
  /** The server's own clock at begin, when the interface tells it; `findTask` compares with it. */
  readonly serverTimeMs?: number;
  /** Handles of tasks that earlier operations on the object began: `findTask` takes none. */
  readonly earlierTasks?: readonly Value[];
  /** Handle of the remote task, once a handle entry followed. */
  readonly handle?: Value;
};
