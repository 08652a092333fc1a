/** A saved plan to be rehearsed: where it could be applied now, as policies of now judge it. */

import type { Consent } from "../../model/operation/disruption.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { DesiredPolicy } from "../../model/plan/policy.ts";
import { judgedSavedPlan } from "../plan/saved/judged.ts";
import { type Configured, policiesAlone, type Reading, settingsAlone } from "../reading.ts";
import type { Workspace } from "../workspace.ts";

/** Only where its state is, and which policies there are, the configuration tells. */
type Source = Configured & { readonly policies: readonly DesiredPolicy[] };

export const sourceOfSaved: Reading<Source> = async (environment, options) => {
  const { value, diagnostics } = await settingsAlone(environment, options);
  return { value: { ...value, policies: await policiesAlone(environment, options) }, diagnostics };
};

/** Throws `CommandError` where it cannot be applied as it is. */
export async function savedIn(
  workspace: Workspace<Source>,
  path: string,
  allowed: readonly Consent[],
): Promise<Plan> {
  const { state } = await workspace.recorded();
  const { connect } = workspace;
  return judgedSavedPlan(workspace, { path, state, connect, allowed, keepsWindows: true });
}
