/** Journal entries: durable records of what was begun, learned and ended. */

import type { ObjectKey, OperationId } from "../operation/operation.ts";
import type { Address, Move } from "../value/address.ts";
import type { Trigger } from "../value/trigger.ts";
import type { Attributes, Value } from "../value/value.ts";
import type { BeginEntry } from "./begin-entry.ts";
import type { NamedEndpoint } from "./endpoint.ts";
import type { RecordedObject, RecordedOutput, RecordedProvider } from "./recorded.ts";

/** An applying run began: bumps the serial, records the provider settings it uses. */
export type RunEntry = {
  readonly kind: "run";
  readonly command: string;
  readonly planId: string;
  readonly atMs: number;
  readonly simulated: boolean;
  readonly providers: readonly RecordedProvider[];
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
  /** Of a close: when it was begun, where the clock of the run that began it was wrong. */
  readonly begunMs?: number;
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
        /** Absent: those that are recorded stay. */
        readonly triggers?: readonly Trigger[];
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
