/**
 * Drift reports as data: recorded state against what was just observed, and beside both what the
 * configuration wants. One verdict per object, with everything that could not be compared named.
 */

import type { ObjectKey } from "../operation/operation.ts";
import type { UnreadableReason } from "../provider/observation.ts";
import type { ToldChange } from "../provider/told-change.ts";
import type { OpenRestore } from "../recorded/recorded.ts";
import type { Diagnostic, SourcePosition } from "../said/diagnostic.ts";
import type { Address, Selector } from "../value/address.ts";
import type { Severity } from "../value/resource-schema.ts";
import type { Value } from "../value/value.ts";

/**
 * `unknown`: it should have been readable and was not, so the report is incomplete.
 * `not_checked`: by rule the interface does not tell, such as a shared folder of a VM that is off.
 */
export type DriftVerdict =
  | "in_sync"
  | "drifted"
  /** As recorded, and not as configured, and no plan would change that. */
  | "differs"
  | "missing"
  /** It differs or is gone, and rules of the configuration ignore all of that. */
  | "ignored"
  | "unknown"
  | "not_checked";

/**
 * Who moved, of the three. `config-change`: only the configuration (not drift). `drift`: only the
 * world. `drift-toward-config`: the world, to what the configuration wants. `conflict`: both, to
 * different values.
 */
export type DriftClass = "config-change" | "drift" | "drift-toward-config" | "conflict";

/** One attribute of which the three values are not equal. */
export type AttributeDifference = {
  readonly attribute: string;
  readonly class: DriftClass;
  readonly severity: Severity;
  /** What the configuration wants; absent when it is unset, unknown, sensitive or unreadable. */
  readonly desired?: Value;
  /** Null also when sensitive. */
  readonly recorded: Value;
  /** Null also when sensitive; absent when it cannot be read, and then it is no drift. */
  readonly observed?: Value;
  readonly sensitive: boolean;
  /** The same from one report to the next while address, attribute and class are. */
  readonly fingerprint: string;
};

/** A rule of the configuration: a difference that is known and no drift for a while. */
export type IgnoreRule = {
  readonly selector: Selector;
  /** Undefined: whatever differs, and that the object is gone. */
  readonly attribute?: string;
  readonly owner: string;
  readonly reason: string;
  /** The last day, as in `2026-12-31`. */
  readonly until: string;
  /** Its end in UTC, in milliseconds since the epoch: from then on nothing is ignored. */
  readonly endMs: number;
  readonly source: SourcePosition;
};

/** Why something is ignored, whom to ask, and until when. */
export type IgnoredBy = Pick<IgnoreRule, "owner" | "reason" | "until">;

/** A difference that a rule ignores. */
export type IgnoredDifference = AttributeDifference & { readonly by: IgnoredBy };

/** One attribute that was not compared. Only `failed` makes a report incomplete. */
export type AttributeNotChecked = {
  readonly attribute: string;
  readonly rule: UnreadableReason;
  readonly reason: string;
};

/** A command that deals with a finding, ready to be pasted into a POSIX shell. */
export type DriftSuggestion = {
  readonly purpose:
    | "restore"
    /** Restores as well, by making the object anew. */
    | "replace"
    | "accept"
    | "settle"
    | "forget"
    | "clean-up"
    | "import";
  readonly command: string;
  /** What to do besides, such as a change of the configuration. */
  readonly remark?: string;
};

/** A line of a file of the configuration, counted from 1. */
export type DriftPlace = { readonly file: string; readonly line: number };

export type ObjectDrift = {
  readonly address: Address;
  readonly objectKey: ObjectKey;
  readonly type: string;
  readonly provider: string;
  readonly identity: string;
  /** Where the configuration writes it, from the folder of the configuration. */
  readonly place?: DriftPlace;
  readonly verdict: DriftVerdict;
  /** Whether the configuration has it; absent when the configuration could not be read. */
  readonly configured?: boolean;
  /** Proof that it is missing, or why it was not checked; absent for a plain comparison. */
  readonly reason?: string;
  /** Identifies the finding that it is missing or could not be checked. */
  readonly fingerprint?: string;
  /** Attributes changed outside, by name: every class but `config-change`. */
  readonly drifted: readonly AttributeDifference[];
  /** Attributes of class `config-change`, by name; they are no drift. */
  readonly unapplied: readonly AttributeDifference[];
  /** As `unapplied`, of attributes that no plan would change. */
  readonly standing: readonly AttributeDifference[];
  /** What would stand in `drifted` or `standing`, and a rule ignores, by name. */
  readonly ignored: readonly IgnoredDifference[];
  /** The rule that ignores that the object is missing. */
  readonly ignoredBy?: IgnoredBy;
  /** Attributes seen for the first time: learned, never drift. */
  readonly learned: readonly string[];
  /** Without those that the interface never gives back; see `neverRead`. */
  readonly notChecked: readonly AttributeNotChecked[];
  /** How many attributes were compared, the differing ones included. */
  readonly comparedCount: number;
  readonly suggestions: readonly DriftSuggestion[];
  /** Who has changed what has drifted, as the server tells it. Absent: nothing is told. */
  readonly told?: readonly ToldChange[];
  /** Why this session is not told of it. */
  readonly withheld?: string;
};

/** An object that exists and is recorded nowhere. It is listed, and is not drift. */
export type UnmanagedObject = {
  readonly provider: string;
  readonly type: string;
  readonly identity: string;
  /** What people call it, where the identity does not say. */
  readonly name?: string;
  readonly fingerprint: string;
  readonly suggestions: readonly DriftSuggestion[];
};

/** A provider whose objects could not be listed, so that unmanaged ones may be missing here. */
export type UnlistedProvider = { readonly provider: string; readonly reason: string };

/** Attributes set on some object of the type that its interface never gives back. */
export type NeverRead = { readonly type: string; readonly attributes: readonly string[] };

/** Two or more objects of one type with the same finding: most likely one cause. */
export type DriftCause = {
  readonly type: string;
  readonly verdict: DriftVerdict;
  readonly reason?: string;
  readonly differences: readonly Omit<AttributeDifference, "fingerprint">[];
  readonly addresses: readonly Address[];
  /** For all of them at once. */
  readonly suggestions: readonly DriftSuggestion[];
};

/** What the report knows of the configuration. */
export type DriftConfiguration =
  | {
      readonly status: "read";
      /** Wanted, and recorded nowhere: the next apply creates them. */
      readonly notRecorded: readonly Address[];
    }
  /** It has errors: no desired values, and `ignore_changes` is not known. */
  | { readonly status: "unreadable"; readonly errors: number };

export type DriftCounts = {
  readonly objects: number;
  readonly inSync: number;
  readonly drifted: number;
  readonly differing: number;
  readonly missing: number;
  /** Objects of which all that differs is ignored. */
  readonly ignored: number;
  readonly unknown: number;
  readonly notChecked: number;
  readonly unmanaged: number;
  /** Operations that an interrupted run has left open and whose objects are not recorded. */
  readonly open: number;
  readonly attributesCompared: number;
  readonly attributesDrifted: number;
  /** Of those that no plan would change. */
  readonly attributesStanding: number;
  /** In no other of these counts but the compared. */
  readonly attributesIgnored: number;
  /** Of class `config-change`. */
  readonly attributesUnapplied: number;
  readonly attributesNotChecked: number;
  /** Attributes that should have been readable and were not. */
  readonly attributesFailed: number;
};

/** What differs, and the report that told of it first. */
export type DriftFindingSince = {
  readonly fingerprint: string;
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
};

/** Compared with the last report of the history; what could not be looked at is in neither. */
export type DriftSince = {
  /** Of that report. */
  readonly createdMs: number;
  readonly fresh: readonly DriftFindingSince[];
  readonly still: readonly DriftFindingSince[];
  readonly fixed: readonly DriftFindingSince[];
};

export type DriftReport = {
  readonly formatVersion: "1.0";
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly lineage: string;
  readonly serial: number;
  readonly simulated: boolean;
  /** Only some recorded objects were looked at. */
  readonly partial: boolean;
  readonly configuration: DriftConfiguration;
  /** Sorted by address, then object key. */
  readonly objects: readonly ObjectDrift[];
  /** In the order of their first address. */
  readonly causes: readonly DriftCause[];
  /**
   * Power that an unfinished run still owes a VM, sorted by address; without those that are seen to
   * have it. No drift: the next apply brings it back.
   */
  readonly restores: readonly OpenRestore[];
  /** Sorted by type. */
  readonly neverRead: readonly NeverRead[];
  /** Sorted by provider, type and identity; absent when nothing was listed. */
  readonly unmanaged?: readonly UnmanagedObject[];
  /** Sorted by provider. */
  readonly unlisted: readonly UnlistedProvider[];
  /** Reasons to doubt the report, such as most objects missing at once. */
  readonly diagnostics: readonly Diagnostic[];
  readonly counts: DriftCounts;
  /** Present where a history was kept and has an earlier report. */
  readonly since?: DriftSince;
};
