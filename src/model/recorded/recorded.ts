/** Recorded state: what the last runs know about each object. Immutable; changed only by `fold`. */

import type { ContainerKey, ObjectKey } from "../operation/operation.ts";
import type { PowerState } from "../operation/power.ts";
import type { Address } from "../value/address.ts";
import type { Trigger } from "../value/trigger.ts";
import type { Attributes, Value } from "../value/value.ts";
import type { BeginEntry } from "./begin-entry.ts";
import type { Endpoint, NamedEndpoint } from "./endpoint.ts";

export type RecordedObject = {
  readonly address: Address;
  readonly objectKey: ObjectKey;
  readonly type: string;
  /** Provider with alias, as `daemon` or `daemon.east`. */
  readonly provider: string;
  /** What the remote side calls the object. */
  readonly identity: string;
  /**
   * The server it was made, found or last accepted at: the identity means nothing elsewhere. Absent
   * of what is on no server.
   */
  readonly endpoint?: Endpoint;
  /**
   * `tentative`: a create was begun and never seen to take effect. Found later, it is ours; missing
   * and no longer wanted, it is kept until `tentativeUntilMs`.
   */
  readonly status: "ready" | "tentative";
  readonly tentativeUntilMs?: number;
  /** The inputs that were sent; replacing compares only these. Null after import. */
  readonly applied: Attributes | null;
  /** What was last read; drift compares this. */
  readonly attributes: Attributes;
  /**
   * What was read of attributes that had changed outside, and that nobody has accepted: they keep
   * their recorded value, so that drift goes on telling of them.
   */
  readonly unaccepted?: Attributes;
  readonly dependencies: readonly Address[];
  readonly container?: ContainerKey;
  readonly timeoutsMs: { readonly [verb: string]: number };
  /**
   * Whether `lifecycle.prevent_destroy` was set when it was last applied. Absent in records that
   * were made before this was recorded: then nobody knows.
   */
  readonly preventDestroy?: boolean;
  /** What it is made anew for when that changes, as last applied. Absent: nothing. */
  readonly triggers?: readonly Trigger[];
  /** One of these was changed by an operation since it was made: it is still to be made anew. */
  readonly triggeredBy?: Address;
};

/** Power of a VM that an unfinished window or replace still owes. Keyed by address. */
export type OpenRestore = {
  readonly address: Address;
  readonly power: PowerState;
  /** Where the VM was turned off: an object may be gone meanwhile that would say it. */
  readonly at?: NamedEndpoint;
};

/** Last settings of a provider; secrets stand as references (`{ env: NAME }`). */
export type RecordedProvider = { readonly name: string; readonly settings: Value };

export type RecordedOutput = {
  readonly name: string;
  readonly value: Value;
  readonly sensitive: boolean;
};

/**
 * Of one of two copies of the same history, while it is brought to another store and afterwards:
 * nobody goes on with a copy that has it. `arriving`: it is not known yet that all of it is there.
 */
export type Handover = {
  readonly kind: "arriving" | "moved";
  /** Where the other copy is, for people. */
  readonly other: string;
  readonly atMs: number;
  readonly who: string;
  readonly host: string;
};

export type RecordedState = {
  readonly formatVersion: 1;
  /** Identity of this history of state. */
  readonly lineage: string;
  /** Version counter: every applying run adds one. */
  readonly serial: number;
  /** Journal entries up to `position` of journal `id` are contained. */
  readonly journal: { readonly id: string; readonly position: number };
  /** True when recorded against an embedded simulator; never mixed with real endpoints. */
  readonly simulated: boolean;
  /** Sorted by address, then object key. */
  readonly objects: readonly RecordedObject[];
  readonly restores: readonly OpenRestore[];
  /** Operations begun and not ended; compaction carries them. */
  readonly open: readonly BeginEntry[];
  readonly providers: readonly RecordedProvider[];
  readonly outputs: readonly RecordedOutput[];
  /** Absent of the copy that runs go on with. */
  readonly handover?: Handover;
};
