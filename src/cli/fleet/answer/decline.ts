/** `vmform decline RUN`: no to the plan that a run waits with, which ends it. */

import { withFleet } from "../../../commands/fleet/submit.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { workspaceOptions } from "../../options.ts";
import type { Run } from "../../run.ts";
import type { DeclineFlags } from "../fleet-command.ts";
import { requireNode } from "../node-version.ts";
import { refusal, shownPlan } from "./waiting-plan.ts";

export async function runDecline(
  { view, environment }: Run,
  flags: DeclineFlags,
  name: string,
): Promise<ExitCode> {
  requireNode(environment, "vmform decline");
  const ports = { ...environment, fleet: await environment.loadFleet() };
  return withFleet(ports, workspaceOptions(flags), async (fleet) => {
    const { id, waiting } = await shownPlan(fleet, name, flags.plan, "declined");
    const { sum } = waiting;
    if (!(await fleet.decline(id, environment.operator, sum))) {
      throw await refusal(fleet, id, "declined");
    }
    view.text("Declined. Nothing of it is done.");
    view.document({ declined: id, plan_sha256: sum });
    return exitCodes.ok;
  });
}
