/** Saved plans: read from their files, and whether they can be applied now, as they are. */

import type { Plan } from "../../../model/plan/plan.ts";
import type { RecordedState } from "../../../model/recorded/recorded.ts";
import type { Seal } from "../../../model/recorded/seal.ts";
import type { StoreSettings } from "../../../model/recorded/store-settings.ts";
import { defaultWorkspace } from "../../../model/recorded/workspace.ts";
import { decodePlan, isSealedPlan, PlanFileError } from "../../../plan/plan-file.ts";
import { CommandError, type CommandFiles, type WorkspaceEnvironment } from "../../environment.ts";
import { settingsAlone, type WorkspaceOptions } from "../../reading.ts";

/**
 * A saved plan, for the place where recorded state is. Throws `CommandError` for anything else, and
 * `StoreError` for one that is sealed by a key that is not there, or not sealed where it has to be.
 */
export async function readSavedPlan(
  environment: Pick<WorkspaceEnvironment, "readFile" | "openSeal">,
  path: string,
  settings: { readonly state: StoreSettings; readonly workspace: string },
): Promise<Plan> {
  const plan = await readPlanFile(environment, path, () =>
    environment.openSeal(settings.state, path),
  );
  requireItsWorkspace(plan, settings.workspace, path);
  return plan;
}

/** Two workspaces in which nothing is recorded yet differ in nothing else that a plan knows. */
function requireItsWorkspace(plan: Plan, now: string, path: string): void {
  const { workspace: made = defaultWorkspace } = plan;
  if (made === now) return;
  throw new CommandError(
    `${path} cannot be applied: it was made in the workspace ${made}, and ${now} is used now.`,
    `Apply it there, with VMFORM_WORKSPACE=${made}, or make a new plan here.`,
    "plan",
  );
}

async function readPlanFile(
  environment: Pick<CommandFiles, "readFile">,
  path: string,
  sealOf: (isSealed: boolean) => Promise<Seal | undefined>,
): Promise<Plan> {
  const bytes = await environment.readFile(path);
  const seal = await sealOf(isSealedPlan(bytes));
  try {
    return decodePlan(bytes, seal);
  } catch (error) {
    if (!(error instanceof PlanFileError)) throw error;
    throw new CommandError(`${path} cannot be used: it ${error.message}.`, again, "plan");
  }
}

/** One that is not sealed needs no configuration to be shown. */
export async function shownPlanFile(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  path: string,
): Promise<Plan> {
  return readPlanFile(environment, path, async (isSealed) => {
    if (!isSealed) return undefined;
    const { value } = await settingsAlone(environment, options);
    return environment.openSeal(value.settings.state, path);
  });
}

const again = "Make a new plan with: vmform plan --out FILE";
const againOrOn =
  "Make a new plan with vmform plan --out FILE, or go on with what is left of it: " +
  "vmform apply --resume FILE";

/** Throws `CommandError` for a plan of another state, or of another world. */
export function requireItsState(
  { simulated, base }: Plan,
  state: RecordedState,
  now: { readonly path: string; readonly simulated: boolean },
): void {
  // Nothing was recorded when it was made, so its lineage names no state either.
  const onNothing = base.serial === 0 && base.position === 0;
  const reason =
    simulated !== now.simulated
      ? "it was made for another world (simulated or real)"
      : base.lineage !== state.lineage && !onNothing
        ? "it was made against another state"
        : undefined;
  if (reason === undefined) return;
  throw new CommandError(`${now.path} cannot be applied: ${reason}.`, again, "plan");
}

/** Why it cannot be applied as it is, though it is of this state; undefined where it can. */
export function whyStale({ base }: Plan, state: RecordedState): string | undefined {
  if (state.open.length > 0) {
    return "an interrupted run has left operations open; run vmform apply without a plan first";
  }
  if (base.serial !== state.serial) {
    const words = `serial ${base.serial}, now ${state.serial}`;
    return `it was applied already, or something else was since it was made (${words})`;
  }
  if (base.position !== state.journal.position) {
    return "recorded state has moved on since it was made";
  }
  return undefined;
}

/** Throws `CommandError` for a plan that cannot be applied as it is. */
export function requireFresh(plan: Plan, state: RecordedState, path: string): void {
  const reason = whyStale(plan, state);
  if (reason === undefined) return;
  throw new CommandError(`${path} cannot be applied: ${reason}.`, againOrOn, "plan");
}
