/** What planning is given. Nothing here can be read again: no clock, no files, no requests. */

import type { Address } from "../model/address.ts";
import type { Desired } from "../model/desired.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { NoteEntry } from "../model/journal.ts";
import type { Observation } from "../model/observation.ts";
import type { Disruption } from "../model/operation.ts";
import type { TypeRegistry } from "../model/provider.ts";
import type { RecordedState } from "../model/recorded.ts";
import type { Rules } from "../model/rules.ts";
import type { Value } from "../model/value.ts";
import type { Observations } from "./prior.ts";

export type PlanInput = {
  readonly planId: string;
  readonly mode: "apply" | "destroy";
  readonly desired: Desired;
  /** After `moved` entries. */
  readonly recorded: RecordedState;
  /** Recorded objects that were read, by object key. */
  readonly observations: Observations;
  /** Wanted keys that no record holds, looked up. */
  readonly lookups: ReadonlyMap<Address, Observation>;
  readonly types: TypeRegistry;
  /** Settings by provider name, secrets as references. */
  readonly settings: ReadonlyMap<string, Value>;
  readonly nowMs: number;
  readonly simulated: boolean;
  readonly allowed: readonly Disruption[];
  readonly rules: Rules;
  /** Notes and problems of the moves. */
  readonly moveNotes: readonly NoteEntry[];
  readonly diagnostics: readonly Diagnostic[];
  /** Interrupted operations that were settled in memory only. */
  readonly interrupted: readonly string[];
};
