/** Journal entries: durable records of what was begun, learned and ended. */

import type { Address, Move } from "./address.ts";
import type { Endpoint, NamedEndpoint } from "./endpoint.ts";
import type {
  AttributeExpectation,
  ContainerKey,
  ObjectKey,
  OperationEffect,
  OperationId,
  OperationLock,
} from "./operation.ts";
import type { PowerState } from "./power.ts";
import type { RecordedObject, RecordedOutput, RecordedProvider } from "./recorded.ts";
import type { Attributes, Value } from "./value.ts";

/** An applying run began: bumps the serial, records the provider settings it uses. */
export type RunEntry = {
  readonly kind: "run";
  readonly command: string;
  readonly planId: string;
  readonly atMs: number;
  readonly simulated: boolean;
  readonly providers: readonly RecordedProvider[];
};

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

export type HandleEntry = {
  readonly kind: "handle";
  readonly planId: string;
  readonly id: OperationId;
  readonly handle: Value;
};

/** `unknown`: the time limit passed and the effect was never seen. */
export type OperationOutcome = "success" | "failed" | "unknown";

/**
 * The operation ended; `end` is written by the run that began it, `closed` by recovery. Carries
 * what was read back, or the next drift would report our own change.
 */
export type EndEntry = {
  readonly kind: "end" | "closed";
  readonly planId: string;
  readonly id: OperationId;
  readonly outcome: OperationOutcome;
  readonly atMs: number;
  /** Existence as last read; absent when nothing could be read. */
  readonly existence?: "found" | "missing";
  readonly attributes?: Attributes;
  /** What the server calls a new object, when it chooses the identity itself. */
  readonly identity?: string;
  readonly message?: string;
};

/** A refresh read this object. */
export type ObservedEntry = {
  readonly kind: "observed";
  readonly address: Address;
  readonly objectKey: ObjectKey;
  readonly existence: "found" | "missing";
  readonly attributes: Attributes;
  /** As of a recorded object: read as well, and not accepted. Absent when there are none. */
  readonly unaccepted?: Attributes;
  /** As of an end. */
  readonly identity?: string;
};

/** Bookkeeping without a request. */
export type NoteEntry = {
  readonly kind: "note";
  readonly note:
    | { readonly what: "clear-restore"; readonly address: Address }
    | { readonly what: "forget"; readonly address: Address; readonly objectKey: ObjectKey }
    /** An existing object joins recorded state; `found` when it was looked up, not named by id. */
    | { readonly what: "adopt"; readonly object: RecordedObject; readonly found?: true }
    /** All at once: one may lead to where another comes from. */
    | { readonly what: "move"; readonly moves: readonly Move[] }
    /** What is recorded at an address, and owed there, is accepted to be at this server. */
    | { readonly what: "endpoint"; readonly address: Address; readonly endpoint: NamedEndpoint }
    | {
        readonly what: "record";
        readonly address: Address;
        readonly applied: Attributes;
        readonly dependencies: readonly Address[];
        readonly timeoutsMs: { readonly [verb: string]: number };
        /** As of a recorded object; absent in entries of before it was recorded. */
        readonly preventDestroy?: boolean;
      }
    | { readonly what: "outputs"; readonly outputs: readonly RecordedOutput[] };
};

export type JournalEntry =
  | RunEntry
  | BeginEntry
  | HandleEntry
  | EndEntry
  | ObservedEntry
  | NoteEntry;
