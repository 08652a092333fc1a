/** The last line of a plan, and of an apply: the ones people and scripts look for. */

import { plural } from "../../lib/text.ts";
import type { Plan } from "../../model/plan/plan.ts";
import {
  keptOf,
  type PlanCounts,
  planCounts,
  planHasChanges,
} from "../../model/plan/plan-counts.ts";

/** `Plan: 1 to import, 3 to adopt, 0 to add, 2 to change, 0 to destroy, 1 power cycle.` */
function planCountsText(counts: PlanCounts, stopped: boolean): string {
  const extras = [
    counts.forget === 0 ? [] : [`${counts.forget} to forget`],
    counts.move === 0 ? [] : [`${counts.move} to move`],
    counts.powerCycles === 0 ? [] : [plural(counts.powerCycles, "power cycle")],
    counts.endpoint === 0 ? [] : [`${counts.endpoint} at another endpoint`],
    counts.blocked === 0 ? [] : [`${counts.blocked} blocked`],
  ].flat();
  const numbers = [
    ...(counts.import === 0 ? [] : [`${counts.import} to import`]),
    ...(counts.adopt === 0 ? [] : [`${counts.adopt} to adopt`]),
    `${counts.add} to add`,
    `${counts.change} to change`,
    `${counts.destroy} to destroy`,
    ...extras,
  ];
  const ending = stopped ? "; stopped by the errors above" : "";
  return `Plan: ${numbers.join(", ")}${ending}.`;
}

/** True when an error concerns more than resources that are blocked: nothing can be applied. */
export function isStopped(plan: Plan): boolean {
  const blocked = new Set(plan.blocked);
  return plan.diagnostics.some(
    ({ severity, address }) =>
      severity === "error" && (address === undefined || !blocked.has(address)),
  );
}

/** The last line: the counts, or that there is nothing to do, as far as could be checked. */
export function planSummaryText(plan: Plan): string {
  const counts = planCounts(plan);
  const stopped = isStopped(plan);
  if (plan.mode === "refresh" && !stopped) return refreshText(plan);
  if (planHasChanges(plan) || counts.blocked > 0 || stopped) return planCountsText(counts, stopped);
  if (plan.mode === "destroy") return destroyedText(plan);
  return [noChanges(plan), ...matching(plan)].join(" ");
}

function noChanges({ partial, scope: { selected, objects } }: Plan): string {
  return partial
    ? `No changes for the ${selected} of ${plural(objects, "object")} looked at.`
    : "No changes.";
}

/** Nothing is said to match that differs, nor of what was not looked at. */
function matching({ differences, notChecked, partial }: Plan): readonly string[] {
  const { length } = differences;
  if (length > 0) {
    const verb = length === 1 ? "differs" : "differ";
    return [`${plural(length, "object")} ${verb} from the configuration, as shown above.`];
  }
  if (partial) return [];
  return notChecked.length > 0
    ? ["Everything that could be checked matches the configuration."]
    : ["What was observed matches the configuration."];
}

function destroyedText(plan: Plan): string {
  const kept = keptOf(plan).length;
  const gone = plan.notes.filter(({ note }) => note.what === "forget").length;
  if (kept === 0 && gone > 0) {
    const many = gone === 1 ? "1 object was" : `${gone} objects were`;
    return `No changes. ${many} never seen to appear, and can no longer: forgotten.`;
  }
  const { partial, scope } = plan;
  if (kept === 0 && partial && scope.objects > 0) {
    const what = scope.objects === 1 ? "the one object" : `${scope.objects} objects`;
    return `No changes. Of ${what} recorded, none is selected, so nothing is destroyed.`;
  }
  if (kept === 0) return "No changes. Nothing is recorded, so nothing is destroyed.";
  return `No changes. ${plural(kept, "object")} may still appear, and cannot be destroyed yet.`;
}

function refreshText(plan: Plan): string {
  const { length } = plan.drift;
  const { endpoint } = planCounts(plan);
  if (length + endpoint === 0) {
    const what =
      plan.notChecked.length > 0 ? "Everything that could be checked" : "What was observed";
    const rest = plan.partial ? [] : [`${what} is what is recorded.`];
    return [noChanges(plan), ...rest].join(" ");
  }
  const parts = [
    ...(length === 0 ? [] : [`${plural(length, "object")} to record as observed`]),
    ...(endpoint === 0 ? [] : [`${endpoint} at another endpoint`]),
  ];
  return `Plan: 0 to add, 0 to change, 0 to destroy; ${parts.join(", ")}.`;
}

/** How an apply ended, in numbers of resources; a replace counts as added and destroyed. */
export type ApplySummary = {
  readonly mode: "apply" | "destroy";
  /** Existing objects that joined recorded state. */
  readonly imported: number;
  readonly adopted: number;
  /** Objects that have another address now. */
  readonly moved: number;
  readonly added: number;
  readonly changed: number;
  readonly destroyed: number;
  /** Objects that left recorded state and exist on. */
  readonly forgotten: number;
  /** Resources whose change failed, or whose end was never seen. */
  readonly failed: number;
  /** Resources with an operation that was left for the time that a policy sets. */
  readonly pending: number;
  /** Resources with an operation that was not begun, and none that failed. */
  readonly skipped: number;
  /** Objects that a destroy left recorded, since they may still appear. */
  readonly kept: number;
  /** The user asked to stop. */
  readonly interrupted: boolean;
};

/** `Apply complete! Resources: 1 added, 2 changed, 0 destroyed.` */
export function applySummaryText(summary: ApplySummary): string {
  const word = summary.mode === "destroy" ? "Destroy" : "Apply";
  const numbers =
    summary.mode === "destroy"
      ? [`${summary.destroyed} destroyed`]
      : [`${summary.added} added`, `${summary.changed} changed`, `${summary.destroyed} destroyed`];
  if (summary.moved > 0) numbers.push(`${summary.moved} moved`);
  if (summary.forgotten > 0) numbers.push(`${summary.forgotten} forgotten`);
  if (summary.adopted > 0) numbers.unshift(`${summary.adopted} adopted`);
  if (summary.imported > 0) numbers.unshift(`${summary.imported} imported`);
  if (summary.failed > 0) numbers.push(`${summary.failed} failed`);
  if (summary.pending > 0) numbers.push(`${summary.pending} left for later`);
  if (summary.skipped > 0) numbers.push(`${summary.skipped} not finished`);
  if (summary.kept > 0) numbers.push(`${summary.kept} may still appear`);
  const ending = summary.interrupted
    ? " was interrupted."
    : summary.failed + summary.skipped > 0
      ? " ended with errors."
      : summary.kept + summary.pending > 0
        ? " is not complete."
        : " complete!";
  return `${word}${ending} Resources: ${numbers.join(", ")}.`;
}
