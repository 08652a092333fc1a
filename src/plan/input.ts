/** What planning is given. Nothing here can be read again: no clock, no files, no requests. */

import type { Consent } from "../model/operation/disruption.ts";
import type { Desired } from "../model/plan/desired.ts";
import type { PlanMode } from "../model/plan/plan.ts";
import type { Rules } from "../model/plan/rules.ts";
import type { Observation } from "../model/provider/observation.ts";
import type { FactsAnswer, TypeRegistry } from "../model/provider/provider.ts";
import type { NoteEntry } from "../model/recorded/journal.ts";
import type { RecordedState } from "../model/recorded/recorded.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { Address, Selector } from "../model/value/address.ts";
import type { Attributes, Value } from "../model/value/value.ts";
import type { Observations } from "./before/prior.ts";
import type { Endpoints } from "./before/recognize.ts";

export type PlanSelection = {
  readonly targets: readonly Selector[];
  readonly excludes: readonly Selector[];
  /** Replaced although nothing asks for it. */
  readonly replace: readonly Address[];
};

export const selectAll: PlanSelection = { targets: [], excludes: [], replace: [] };

export type PlanInput = {
  readonly planId: string;
  readonly mode: PlanMode;
  readonly select: PlanSelection;
  readonly desired: Desired;
  /** After `moved` entries. */
  readonly recorded: RecordedState;
  /** Recorded objects that were read, by object key. */
  readonly observations: Observations;
  /**
   * Wanted keys that no record holds, looked up; attached objects also when what they are looked up
   * by has changed, or the recorded one is gone.
   */
  readonly lookups: ReadonlyMap<Address, Observation>;
  /** Objects that new ones name, and that no resource stands for, as far as they were asked for. */
  readonly named: NamedObjects;
  /** What was learned so far about changes, by address. */
  readonly facts: FactsAnswers;
  /** Data sources read so far, by address. */
  readonly data: DataAnswers;
  readonly types: TypeRegistry;
  /** Settings by provider name, secrets as references. */
  readonly settings: ReadonlyMap<string, Value>;
  /** Servers that the providers speak to now, as far as they have one. */
  readonly endpoints: Endpoints;
  readonly nowMs: number;
  readonly simulated: boolean;
  /** Absent: the default one. */
  readonly workspace?: string;
  readonly allowed: readonly Consent[];
  readonly rules: Rules;
  /** Notes of moves and imports, to be recorded first. */
  readonly moveNotes: readonly NoteEntry[];
  /** Addresses whose object this plan imports. */
  readonly imported: ReadonlySet<Address>;
  /** What is wrong with imports: counts where the plan is about their address. Absent: nothing. */
  readonly importProblems?: readonly Diagnostic[];
  readonly diagnostics: readonly Diagnostic[];
  /** Resources whose operations cannot be ordered or powered: planned as blocked. */
  readonly withheld: ReadonlySet<Address>;
  /** Interrupted operations that were settled in memory only. */
  readonly interrupted: readonly string[];
};

/** What came of reading a data source while planning. */
export type DataAnswer =
  /** Query and answer. */
  | { readonly status: "read"; readonly attributes: Attributes }
  | { readonly status: "failed"; readonly reason: string };

export type DataAnswers = ReadonlyMap<Address, DataAnswer>;

export type FactsAnswers = ReadonlyMap<Address, FactsAnswer>;

/** A question, by the key of its answer. */
export type NamedObject = {
  readonly key: string;
  readonly provider: string;
  readonly type: string;
  readonly identity: string;
};

export type NamedObjects = ReadonlyMap<string, Observation>;
