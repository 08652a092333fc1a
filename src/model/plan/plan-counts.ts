/** What a plan amounts to in numbers; the summary line and exit codes are made of them. */

import { equalValues } from "../value/value.ts";
import { adoptedObjects } from "./adopted.ts";
import { movesIn } from "./moved.ts";
import type { NotChecked, Plan } from "./plan.ts";

export type PlanCounts = {
  /** Existing objects that join recorded state, named by id. */
  readonly import: number;
  /** Existing objects that join recorded state, found by what they are looked up by. */
  readonly adopt: number;
  /** Creates, and the create half of each replace. */
  readonly add: number;
  readonly change: number;
  /** Deletes, and the delete half of each replace. */
  readonly destroy: number;
  readonly forget: number;
  readonly move: number;
  /** Outputs whose value changes or is only known after apply. */
  readonly outputs: number;
  /** How often a VM is taken away from its users and given back. */
  readonly powerCycles: number;
  readonly blocked: number;
  /** Addresses whose record is accepted to be at another endpoint. */
  readonly endpoint: number;
};

type CountedPlan = Pick<
  Plan,
  "changes" | "operations" | "notes" | "outputs" | "blocked" | "consent"
>;

export function planCounts(plan: CountedPlan): PlanCounts {
  const actions = { create: 0, update: 0, replace: 0, delete: 0, forget: 0, "no-op": 0 };
  for (const change of plan.changes) actions[change.action] += 1;
  const adopted = [...adoptedObjects(plan).values()];
  const cycles = new Set<string>();
  for (const operation of plan.operations) {
    if (operation.disrupts.includes("power-cycle")) {
      cycles.add(operation.order.window?.id ?? operation.subject.address);
    }
  }
  return {
    import: adopted.filter(({ by }) => by === "import").length,
    adopt: adopted.filter(({ by }) => by === "adopt").length,
    add: actions.create + actions.replace,
    change: actions.update,
    destroy: actions.delete + actions.replace,
    forget: actions.forget,
    move: movesIn(plan.notes).length,
    outputs: plan.outputs.filter((output) => !equalValues(output.before, output.after)).length,
    powerCycles: cycles.size,
    blocked: plan.blocked.length,
    endpoint: plan.consent.filter(({ disruption }) => disruption === "endpoint").length,
  };
}

/** Objects that a destroy leaves recorded, since nobody can tell yet whether they exist. */
export function keptOf(plan: Pick<Plan, "mode" | "changes" | "notChecked">): readonly NotChecked[] {
  if (plan.mode !== "destroy") return [];
  const changed = new Set(plan.changes.map(({ address }) => address));
  return plan.notChecked.filter(({ address }) => !changed.has(address));
}

/** True when the world is not as the configuration wants it, whether applying mends it or not. */
export function planDiffers(plan: Plan): boolean {
  return planHasChanges(plan) || plan.differences.length > 0;
}

/**
 * True when applying would do something a person can see: a change, an operation, an import, a
 * move, an output, or taking another endpoint for the recorded one. Bookkeeping of recorded inputs
 * alone is no change.
 */
export function planHasChanges(plan: Plan): boolean {
  const counts = planCounts(plan);
  const { import: imported, adopt, add, change, destroy, forget, move, outputs } = counts;
  const total =
    imported + adopt + add + change + destroy + forget + move + outputs + counts.endpoint;
  // A refresh that finds drift changes what is recorded, which somebody has to agree to.
  const accepted = plan.mode === "refresh" ? plan.drift.length : 0;
  return total + accepted > 0 || plan.operations.length > 0;
}
