/** Which consent a plan still lacks: one rule for the refusal and for the text announcing it. */

import type { Consent, Disruption } from "../operation/disruption.ts";
import type { ConsentNeed, Plan } from "./plan.ts";

/** Whoever asks for a destroy has said so. */
const destroyImplies: readonly Disruption[] = ["destroy", "power-off"];

/** Needs that were not allowed, in the plan's order. */
export function missingConsent(plan: Plan): readonly ConsentNeed[] {
  const allowed = new Set<Consent>(plan.allowed);
  if (plan.mode === "destroy") for (const implied of destroyImplies) allowed.add(implied);
  return plan.consent.filter((need) => !allowed.has(need.disruption));
}
