/** The plan that a worker has made and kept, for whoever asked for it or says yes or no to it. */

import { poolLimits } from "../../../commands/plan/pool-limits.ts";
import { shownPlanFile } from "../../../commands/plan/saved/saved-plan.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import { type CommonOptions, workspaceOptions } from "../../options.ts";
import { showPlan } from "../../plan/plan.ts";
import type { Run } from "../../run.ts";

/** From the text of a saved plan. Throws as `shownPlanFile` does. */
export async function keptPlan(
  { environment }: Run,
  flags: CommonOptions,
  text: string,
): Promise<Plan> {
  const path = "the plan that the worker has made";
  const bytes = new TextEncoder().encode(text);
  const readFile: typeof environment.readFile = (name) =>
    name === path ? Promise.resolve(bytes) : environment.readFile(name);
  return shownPlanFile({ ...environment, readFile }, workspaceOptions(flags), path);
}

/** `asks`: a question follows, whose answer is consent to what is shown. */
export function showKeptPlan({ view, environment }: Run, plan: Plan, asks: boolean): void {
  showPlan(view, plan, {
    ...{ requests: false, nowMs: environment.clock.now(), compact: false, asks },
    ...{ durations: new Map(), poolLimits: poolLimits(plan, environment.types) },
  });
}
