/** `--explain ADDRESS`, of `plan` and of `show PLAN`. */

import { explainedAddress } from "../../commands/plan/explain.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { explainPlan, type PlanExplanation } from "../../render/plan/explain/explanation.ts";

/** `desired` is absent of a saved plan. Throws `CommandError` for an address that is not there. */
export function explained(
  text: string,
  plan: Plan,
  types: SchemaRegistry,
  desired?: Desired,
): PlanExplanation {
  const address = explainedAddress(text, plan, desired);
  // Read for destroying, a configuration has no instances, and says nothing of what is wanted.
  const configuration = plan.mode === "destroy" ? undefined : desired;
  const instance = configuration?.instances.find((one) => one.address === address);
  return explainPlan(plan, address, {
    types,
    configurationKnown: configuration !== undefined,
    ...(instance === undefined ? {} : { instance }),
  });
}
