/** A plan as data: changes for people, an execution graph of operations for the engine. */

import type { ConditionMessage, LateCondition } from "../operation/condition.ts";
import type { Consent } from "../operation/disruption.ts";
import type { Operation, OperationJoin } from "../operation/operation.ts";
import type { NamedEndpoint } from "../recorded/endpoint.ts";
import type { NoteEntry, ObservedEntry } from "../recorded/journal.ts";
import type { RecordedProvider } from "../recorded/recorded.ts";
import type { Diagnostic } from "../said/diagnostic.ts";
import type { Address } from "../value/address.ts";
import type { DeferredAttributes, DeferredValue } from "../value/expression.ts";
import type { Attributes, PlannedAttributes, PlannedValue } from "../value/value.ts";
import type { Change } from "./change.ts";
import type { JudgedPolicies } from "./policy.ts";

/** An object that differs from what was recorded, found while refreshing for this plan. */
export type DriftedAttribute = {
  readonly attribute: string;
  readonly recorded: PlannedValue;
  readonly observed: PlannedValue;
};
export type DriftNotice = {
  readonly address: Address;
  readonly status: "changed" | "missing";
  readonly attributes: readonly DriftedAttribute[];
  /** Missing, since another object has its identity: nobody knows whether it was deleted. */
  readonly another?: true;
};

/** An attribute that is not as the configuration wants it, and for which nothing is sent. */
export type StandingDifference = {
  readonly attribute: string;
  readonly wanted: PlannedValue;
  readonly observed: PlannedValue;
  readonly sensitive: boolean;
  /** `lookup`: it finds the object, which is not what it is looked up as any more. */
  readonly why: "not-in-place" | "lookup";
};
export type StandingDifferences = {
  readonly address: Address;
  readonly attributes: readonly StandingDifference[];
};

/** How much a plan is about: objects that are configured or recorded. */
export type PlanScope = { readonly selected: number; readonly objects: number };

/** Something recorded that could not be looked at, and why. */
export type NotChecked = { readonly address: Address; readonly reason: string };

export type PlannedOutput = {
  readonly name: string;
  readonly sensitive: boolean;
  readonly before: PlannedValue;
  readonly after: PlannedValue;
  readonly deferred?: DeferredValue;
};

/**
 * A data source of a plan. It has `attributes` when it was read while planning; else it is read
 * while applying, when all of `waitsFor` is done and something needs it.
 */
export type PlannedData = {
  readonly address: Address;
  readonly type: string;
  readonly provider: string;
  /** Arguments of the query, and how unknown ones will be computed. */
  readonly query: PlannedAttributes;
  readonly deferred: DeferredAttributes;
  /** Query and answer. */
  readonly attributes?: Attributes;
  /** What it depends on and that changes, or is not read itself. */
  readonly waitsFor: readonly Address[];
  /** Judged when it is read while applying. Absent: none. */
  readonly conditions?: readonly LateCondition[];
};

/** A time limit of operations that the configuration makes another one than is usual. */
export type ChangedLimit = {
  readonly address: Address;
  readonly verb: string;
  readonly limitMs: number;
  readonly usualMs: number;
};

/** What was learned about an object for the change it needs, beyond its attributes. */
export type PlannedFacts = { readonly address: Address; readonly facts: Attributes };

/** Consent a plan needs: which object is disrupted, how, or which policy does not hold of it. */
export type ConsentNeed = { readonly address: Address; readonly disruption: Consent };

/** `refresh`: records what was observed and changes nothing else. */
export type PlanMode = "apply" | "destroy" | "refresh";

export type PlanBase = {
  readonly lineage: string;
  readonly serial: number;
  readonly position: number;
};

/** A check that can be told only when what is planned is done. */
export type PlannedCheck = ConditionMessage & {
  readonly name: string;
  readonly deferred: DeferredValue;
};

/** A condition of an output, of the same kind. */
export type PlannedOutputCondition = LateCondition & { readonly output: string };

export type Plan = {
  readonly formatVersion: "1.0";
  readonly id: string;
  readonly createdMs: number;
  readonly mode: PlanMode;
  /** The recorded state it was made against; applying checks all three. */
  readonly base: PlanBase;
  readonly simulated: boolean;
  /** Of which workspace its recorded state is. Absent: of the default one. */
  readonly workspace?: string;
  readonly changes: readonly Change[];
  readonly operations: readonly Operation[];
  /** Points that edges of operations lead through where there would be too many of them. */
  readonly joins: readonly OperationJoin[];
  /** Bookkeeping that applying records first, without a request. */
  readonly notes: readonly NoteEntry[];
  /**
   * Bookkeeping recorded at the end, each only when no operation of its address failed: new
   * dependencies, restores that the wanted power has overtaken.
   */
  readonly closingNotes: readonly NoteEntry[];
  /** Recorded at the end of objects that turned out not to be replaced. */
  readonly keptNotes: readonly NoteEntry[];
  /** What was read for this plan; applying persists it. */
  readonly observed: readonly ObservedEntry[];
  readonly drift: readonly DriftNotice[];
  /** What differs from the configuration and stays so; applying does nothing about it. */
  readonly differences: readonly StandingDifferences[];
  readonly notChecked: readonly NotChecked[];
  readonly outputs: readonly PlannedOutput[];
  /** Those that are told while applying; the others are told already. Absent: none. */
  readonly checks?: readonly PlannedCheck[];
  /** Those of outputs that are judged at the end of applying. Absent: none. */
  readonly outputConditions?: readonly PlannedOutputCondition[];
  /** Time limits that are not the usual ones. Absent: none. */
  readonly limits?: readonly ChangedLimit[];
  /** Each after those it uses. */
  readonly data: readonly PlannedData[];
  readonly facts: readonly PlannedFacts[];
  readonly providers: readonly RecordedProvider[];
  /** The servers it was made for, sorted by provider; applying checks them. */
  readonly endpoints: readonly NamedEndpoint[];
  /** True when `--target` or `--exclude` left something out. */
  readonly partial: boolean;
  readonly scope: PlanScope;
  /** Resources that cannot be planned, and their dependents. */
  readonly blocked: readonly Address[];
  readonly diagnostics: readonly Diagnostic[];
  /** Absent: there are none. Applying judges anew. */
  readonly policies?: JudgedPolicies;
  readonly consent: readonly ConsentNeed[];
  /** Consent given when the plan was made; a saved plan keeps it. */
  readonly allowed: readonly Consent[];
  /** Open operations of an interrupted run, settled in memory only: the plan cannot be saved. */
  readonly interrupted: readonly string[];
};
