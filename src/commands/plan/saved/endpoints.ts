/** A saved plan is for the servers it was made for; whoever answers there now may be another. */

import { askEndpoints } from "../../../engine/look/endpoints.ts";
import type { Sessions } from "../../../engine/sessions.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import { endpointText, relateEndpoints } from "../../../model/recorded/endpoint.ts";
import { CommandError } from "../../environment.ts";

/** Throws `CommandError`. A server that does not answer fails its operations by itself. */
export async function requirePlannedEndpoints(
  sessions: Sessions,
  plan: Plan,
  file: string,
): Promise<void> {
  const settings = new Map(plan.providers.map((item) => [item.name, item.settings]));
  const used = new Set(plan.operations.map(({ subject: { provider } }) => provider));
  const present = await askEndpoints(sessions, settings, used);
  for (const planned of plan.endpoints) {
    const { provider } = planned;
    const now = present.get(provider);
    if (now === undefined || relateEndpoints(planned, now) === "same") continue;
    throw new CommandError(
      `${file} cannot be applied: it was made for provider ${provider} at ` +
        `${endpointText(planned)}, and there is ${endpointText(now)} now.`,
      "Make a new plan with: vmform plan --out FILE",
      "plan",
    );
  }
}
