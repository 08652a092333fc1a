/** `vmform decline RUN`: no to the plan that a run waits with, which ends it. */

import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import type { Run } from "../../run.ts";
import { inFleet } from "../asking.ts";
import type { DeclineFlags } from "../fleet-command.ts";
import { refusal, shownPlan } from "./waiting-plan.ts";

export async function runDecline(
  { view, environment }: Run,
  flags: DeclineFlags,
  name: string,
): Promise<ExitCode> {
  return inFleet(environment, flags, "vmform decline", async (fleet) => {
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
