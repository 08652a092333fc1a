/**
 * Drift reports as data: recorded state against what was just observed, one verdict per object,
 * with everything that could not be compared named beside it.
 */

import type { Address } from "./address.ts";
import type { UnreadableReason } from "./observation.ts";
import type { ObjectKey } from "./operation.ts";
import type { Value } from "./value.ts";

/**
 * `unknown`: it should have been readable and was not, so the report is incomplete.
 * `not_checked`: by rule the interface does not tell, such as a shared folder of a VM that is off.
 */
export type DriftVerdict = "in_sync" | "drifted" | "missing" | "unknown" | "not_checked";

/** One attribute that differs. Of a sensitive attribute the values are left out, as null. */
export type AttributeDrift = {
  readonly attribute: string;
  readonly recorded: Value;
  readonly observed: Value;
  /** What the configuration wants, when it was given, is known and is not sensitive. */
  readonly desired?: Value;
  readonly sensitive: boolean;
};

/** One attribute that was not compared. Only `failed` makes a report incomplete. */
export type AttributeNotChecked = {
  readonly attribute: string;
  readonly rule: UnreadableReason;
  readonly reason: string;
};

/** A command that deals with a finding, ready to be pasted into a POSIX shell. */
export type DriftSuggestion = {
  readonly purpose: "restore" | "accept" | "settle" | "forget" | "clean-up";
  readonly command: string;
};

export type ObjectDrift = {
  readonly address: Address;
  readonly objectKey: ObjectKey;
  readonly type: string;
  readonly provider: string;
  readonly identity: string;
  readonly verdict: DriftVerdict;
  /** Proof that it is missing, or why it was not checked; absent for a plain comparison. */
  readonly reason?: string;
  /** Attributes that differ, by name. */
  readonly drifted: readonly AttributeDrift[];
  /** Attributes seen for the first time: learned, never drift. */
  readonly learned: readonly string[];
  readonly notChecked: readonly AttributeNotChecked[];
  /** How many attributes were compared, the differing ones included. */
  readonly comparedCount: number;
  readonly suggestions: readonly DriftSuggestion[];
};

/** An object that exists and is recorded nowhere. It is listed, and is not drift. */
export type UnmanagedObject = {
  readonly provider: string;
  readonly type: string;
  readonly identity: string;
};

export type DriftCounts = {
  readonly objects: number;
  readonly inSync: number;
  readonly drifted: number;
  readonly missing: number;
  readonly unknown: number;
  readonly notChecked: number;
  readonly unmanaged: number;
  readonly attributesCompared: number;
  readonly attributesDrifted: number;
  readonly attributesNotChecked: number;
  /** Attributes that should have been readable and were not. */
  readonly attributesFailed: number;
};

export type DriftReport = {
  readonly formatVersion: "1.0";
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly lineage: string;
  readonly serial: number;
  readonly simulated: boolean;
  /** Sorted by address, then object key. */
  readonly objects: readonly ObjectDrift[];
  /** Sorted by provider, type and identity; absent when nothing was listed. */
  readonly unmanaged?: readonly UnmanagedObject[];
  readonly counts: DriftCounts;
};
