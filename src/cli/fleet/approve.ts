/** `vmform approve RUN`: consent to the plan that a run waits with. */

import { CommandError } from "../../commands/environment.ts";
import { withFleet } from "../../commands/fleet/submit.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run } from "../run.ts";
import { requireNode } from "./node-version.ts";
import { statusWords } from "./submission-text.ts";
import { foundRun, watchRun } from "./watch.ts";

export type ApproveFlags = CommonOptions & {
  readonly allow?: readonly Consent[];
  readonly watch?: boolean;
};

export async function runApprove(run: Run, flags: ApproveFlags, name: string): Promise<ExitCode> {
  const { view, environment } = run;
  requireNode(environment, "vmform approve");
  const ports = { ...environment, fleet: await environment.loadFleet() };
  return withFleet(ports, workspaceOptions(flags), async (fleet) => {
    const { id, status } = await foundRun(fleet, name);
    const approval = { ...environment.operator, allowed: flags.allow ?? [] };
    if (!(await fleet.approve(id, approval))) {
      throw new CommandError(
        `Run ${id} does not wait for approval: ${statusWords[status]}.`,
        `See what became of it: vmform runs --watch ${id}`,
      );
    }
    if (flags.watch === true) return watchRun(run, fleet, { id });
    view.text(`Approved.\nTo see what becomes of it: vmform runs --watch ${id}`);
    view.document({ approved: id });
    return exitCodes.ok;
  });
}
