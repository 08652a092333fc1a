/** A saved plan where it can be used now, as policies of now judge it. */

import type { Consent } from "../../../model/operation/disruption.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import type { DesiredPolicy } from "../../../model/plan/policy.ts";
import type { RecordedState } from "../../../model/recorded/recorded.ts";
import { judgePlan } from "../../../plan/policies/judge.ts";
import type { Configured } from "../../reading.ts";
import type { Connection, Workspace } from "../../workspace.ts";
import { requirePlannedEndpoints } from "./endpoints.ts";
import { readSavedPlan, requireFresh, requireItsState } from "./saved-plan.ts";

type Judging = {
  readonly path: string;
  /** What stands there, where it was read before. */
  readonly read?: Plan | undefined;
  readonly state: RecordedState;
  readonly connect: () => Promise<Connection>;
  /** Besides those that it was made with. */
  readonly allowed: readonly Consent[];
  /** As of `judgePlan`. */
  readonly keepsWindows: boolean;
};

type Judged = Pick<
  Workspace<Configured & { readonly policies: readonly DesiredPolicy[] }>,
  "environment" | "configured" | "simulated"
>;

/** Throws `CommandError` where it cannot be applied as it is; connects only where it could be. */
export async function judgedSavedPlan(
  { environment, configured, simulated }: Judged,
  { path, state, connect, allowed, keepsWindows, ...given }: Judging,
): Promise<Plan> {
  const read = given.read ?? (await readSavedPlan(environment, path, configured.settings));
  requireItsState(read, state, { path, simulated });
  requireFresh(read, state, path);
  const saved = { ...read, allowed: [...new Set([...read.allowed, ...allowed])] };
  const { sessions, allowCommands } = await connect();
  allowCommands(saved.providers.map((provider) => provider.settings));
  await requirePlannedEndpoints(sessions, saved, path);
  return judgePlan(saved, {
    policies: configured.policies,
    types: environment.types,
    nowMs: environment.clock.now(),
    restores: state.restores,
    keepsWindows,
  });
}
