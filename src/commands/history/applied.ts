/** What the record of an apply tells of its plan, and of how it ended. */

import type { Applied } from "../../engine/apply.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planCounts } from "../../model/plan/plan-counts.ts";
import type { RunConsent, RunOutcome, RunPlan } from "../../model/recorded/run-record.ts";

export function runPlanOf(plan: Plan, saved: boolean): RunPlan {
  const counts = Object.entries(planCounts(plan)).filter(([, count]) => count > 0);
  return {
    id: plan.id,
    saved,
    operations: plan.operations.length,
    counts: Object.fromEntries(counts),
    consents: consentsOf(plan),
  };
}

/** What was missing when it was shown, a person has said yes to, or it would not be applied. */
function consentsOf(plan: Plan): readonly RunConsent[] {
  const asked = new Set(missingConsent(plan));
  const needed = plan.consent.map((need) => ({
    kind: need.disruption,
    address: need.address,
    by: asked.has(need) ? ("person" as const) : ("option" as const),
  }));
  const policies = plan.allowed
    .filter((kind) => kind.startsWith("policy:"))
    .map((kind) => ({ kind, by: "option" as const }));
  return [...needed, ...policies];
}

export function outcomeOf(applied: Applied): RunOutcome {
  if (applied.interrupted) return "interrupted";
  if (applied.failed.length > 0) return "failed";
  if (applied.pending.length > 0 || applied.skipped.length > 0) return "partial";
  return applied.succeeded ? "done" : "failed";
}
