/** A plan as GitLab's `terraform` report: three numbers that a merge request shows. */

import type { Plan } from "../../model/plan/plan.ts";
import { planCounts } from "../../model/plan/plan-counts.ts";
import type { ValueMap } from "../../model/value/value.ts";

export function planGitlab(plan: Plan): ValueMap {
  const { add, change, destroy } = planCounts(plan);
  return { create: add, update: change, delete: destroy };
}
