/** `vmform decline RUN`: no to the plan that a run waits with, which ends it. */

import { withFleet } from "../../commands/fleet/submit.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run } from "../run.ts";
import { anotherPlan, notWaiting, refusal } from "./approve.ts";
import { requireNode } from "./node-version.ts";
import { foundRun } from "./watch.ts";

export type DeclineFlags = CommonOptions & {
  /** The beginning of the sum of the plan that was shown. Absent: whichever waits now. */
  readonly plan?: string;
};

export async function runDecline(
  { view, environment }: Run,
  flags: DeclineFlags,
  name: string,
): Promise<ExitCode> {
  requireNode(environment, "vmform decline");
  const ports = { ...environment, fleet: await environment.loadFleet() };
  return withFleet(ports, workspaceOptions(flags), async (fleet) => {
    const found = await foundRun(fleet, name);
    const { id } = found;
    const waiting = await fleet.waitingPlan(id);
    if (waiting === undefined) throw notWaiting(found);
    const { sum } = waiting;
    if (flags.plan !== undefined && !sum.startsWith(flags.plan)) throw anotherPlan(id, "declined");
    if (!(await fleet.decline(id, environment.operator, sum))) {
      throw await refusal(fleet, id, "declined");
    }
    view.text("Declined. Nothing of it is done.");
    view.document({ declined: id, plan_sha256: sum });
    return exitCodes.ok;
  });
}
