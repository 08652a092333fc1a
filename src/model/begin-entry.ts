/** The entry that is durable before a request is sent. */

import type { Address } from "./address.ts";
import type { Endpoint } from "./endpoint.ts";
import type { AttributeExpectation } from "./expectation.ts";
import type {
  ContainerKey,
  ObjectKey,
  OperationEffect,
  OperationId,
  OperationLock,
} from "./operation.ts";
import type { PowerState } from "./power.ts";
import type { Attributes, Value } from "./value.ts";

/**
 * Written before a request is sent, and self-contained: recovery reads this and never the
 * configuration nor a plan.
 */
export type BeginEntry = {
  readonly kind: "begin";
  readonly planId: string;
  readonly id: OperationId;
  readonly address: Address;
  readonly objectKey: ObjectKey;
  readonly type: string;
  readonly provider: string;
  readonly settings: Value;
  /** The server that was spoken to; absent of what is on no server. */
  readonly endpoint?: Endpoint;
  readonly identity: string;
  /** As of an operation: by what else the object is known. */
  readonly knownBy?: Attributes;
  readonly verb: string;
  readonly effect: OperationEffect;
  readonly request: Value;
  readonly expect: readonly AttributeExpectation[];
  readonly unobservable: boolean;
  readonly repeat: "safe" | "unsafe";
  /** The effect may follow the reply, or the end of the task, until the limit. */
  readonly lagging?: boolean;
  readonly records: Attributes;
  readonly dependencies: readonly Address[];
  readonly locks: readonly OperationLock[];
  readonly container?: ContainerKey;
  readonly endsContentOf?: ContainerKey;
  /** The current object of the address takes this key when the create succeeds or is not seen. */
  readonly deposes?: ObjectKey;
  readonly restore?: PowerState;
  readonly settlesRestore: boolean;
  readonly timeoutsMs: { readonly [verb: string]: number };
  /** As of a recorded object; absent when the operation makes none. */
  readonly preventDestroy?: boolean;
  readonly readBack: readonly string[];
  readonly atMs: number;
  readonly limitMs: number;
  /** As of an operation: after this without a remote task, the request never arrived. */
  readonly requestLimitMs?: number;
  /** The server's own clock at begin, when the interface tells it; `findTask` compares with it. */
  readonly serverTimeMs?: number;
  /** Handles of tasks that earlier operations on the object began: `findTask` takes none. */
  readonly earlierTasks?: readonly Value[];
  /** Handle of the remote task, once a handle entry followed. */
  readonly handle?: Value;
};
