/** What is known of a wanted object while it is classified, and what may come of it. */

import type { ChangeAction, ChangeReason } from "../../model/plan/change.ts";
import type { DesiredInstance, ResolvedAttributes } from "../../model/plan/desired.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Comparison } from "../../model/value/comparison.ts";
import type { PlannedAttributes } from "../../model/value/value.ts";
import type { Prior } from "../before/prior.ts";
import { problem } from "../codes.ts";
import type { PowerGoal, Unit } from "../unit.ts";
import type { Draft } from "./draft.ts";
import { powerGoal } from "./power-goal.ts";

export type Known = {
  readonly draft: Draft;
  readonly instance: DesiredInstance;
  readonly type: ResourceType;
  readonly identity: string;
  readonly wanted: PlannedAttributes;
  readonly resolved: ResolvedAttributes;
  readonly prior: Prior | undefined;
};
export type Verdict = {
  readonly action: ChangeAction;
  readonly reason: ChangeReason;
  readonly undecided?: Unit["undecided"];
} & Comparison;
/** What becomes of it, or why nothing does. */
export type Judged = Verdict | { readonly diagnostic: Diagnostic };

export const nothingDiffers = { updates: [], forceNew: [], standing: [] } as const;

export function unreadable(instance: DesiredInstance, reason: string): Diagnostic {
  return problem(instance, "PLN005", {
    detail: `${reason}. Nothing is planned for it, nor for what depends on it.`,
  });
}

export function goalOf(known: Known, action: ChangeAction): PowerGoal | undefined {
  const { draft, instance, type, wanted, prior } = known;
  const { address } = instance;
  const ignored = instance.lifecycle.ignoreChanges.includes(type.power?.wanted ?? "");
  const considered = ignored && prior !== undefined ? {} : wanted;
  return powerGoal({ draft, address, type, wanted: considered, action, prior });
}
