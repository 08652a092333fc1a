/** `vmform cancel RUN`: takes back a run that waits for a worker. */

import { CommandError } from "../../../commands/environment.ts";
import { withFleet } from "../../../commands/fleet/submit.ts";
import type { Submission } from "../../../model/fleet/submission.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { type CommonOptions, workspaceOptions } from "../../options.ts";
import type { Run } from "../../run.ts";
import { requireNode } from "../node-version.ts";
import { statusWords } from "../submission-text.ts";
import { foundRun } from "../watch.ts";

export async function runCancel(
  { view, environment }: Run,
  flags: CommonOptions,
  name: string,
): Promise<ExitCode> {
  requireNode(environment, "vmform cancel");
  const ports = { ...environment, fleet: await environment.loadFleet() };
  return withFleet(ports, workspaceOptions(flags), async (fleet) => {
    const { id } = await foundRun(fleet, name);
    if (!(await fleet.cancel(id, environment.operator))) {
      throw notCancelled(await foundRun(fleet, id));
    }
    view.text("Cancelled. No worker takes it any more.");
    view.document({ cancelled: id });
    return exitCodes.ok;
  });
}

function notCancelled({ id, status, worker }: Submission): CommandError {
  const ways: { readonly [status in Submission["status"]]?: string } = {
    needs_approval: `To have nothing of it done: vmform decline ${id}`,
    running: `Stop the worker ${worker ?? "that has it"}, which puts it back; then cancel it.`,
  };
  return new CommandError(
    `Run ${id} does not wait for a worker: ${statusWords[status]}.`,
    ways[status] ?? `See what became of it: vmform runs --watch ${id}`,
  );
}
