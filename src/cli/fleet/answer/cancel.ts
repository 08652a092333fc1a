/** `vmform cancel RUN`: takes back a run that waits for a worker, and stops one that has it. */

import { CommandError } from "../../../commands/environment.ts";
import type { Submission } from "../../../model/fleet/submission.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import type { Run } from "../../run.ts";
import { inFleet } from "../asking.ts";
import type { CancelFlags } from "../fleet-command.ts";
import { statusWords } from "../submission-text.ts";
import { foundRun, watchRun } from "../watch.ts";

export async function runCancel(run: Run, flags: CancelFlags, name: string): Promise<ExitCode> {
  const { view, environment } = run;
  return inFleet(environment, flags, "vmform cancel", async (fleet) => {
    const { id } = await foundRun(fleet, name);
    const cancelled = await fleet.cancel(id, environment.operator);
    if (cancelled === undefined) throw notCancelled(await foundRun(fleet, id));
    if (flags.watch === true) return watchRun(run, flags, fleet, { id });
    view.text(
      cancelled === "ended"
        ? "Cancelled. No worker takes it any more."
        : "Its worker was asked to stop it: what has begun ends, and nothing else is begun.\n" +
            `To see what becomes of it: vmform runs --watch ${id}`,
    );
    view.document({ cancelled: id, ended: cancelled === "ended" });
    return exitCodes.ok;
  });
}

function notCancelled({ id, status }: Submission): CommandError {
  if (status === "needs_approval") {
    return new CommandError(
      `Run ${id} does nothing now: it ${statusWords[status]}.`,
      `To have nothing of it done: vmform decline ${id}`,
    );
  }
  return new CommandError(
    `Run ${id} has ended by now: ${statusWords[status]}.`,
    `See what became of it: vmform runs --watch ${id}`,
  );
}
