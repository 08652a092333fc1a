/** The plan that a run waits with, for who says yes or no to it. */

import { CommandError } from "../../../commands/environment.ts";
import type { Fleet, WaitingPlan } from "../../../model/fleet/fleet.ts";
import type { Submission } from "../../../model/fleet/submission.ts";
import { statusWords } from "../submission-text.ts";
import { foundRun } from "../watch.ts";

type Answered = "approved" | "declined";

/**
 * The plan that the run of that name waits with. Throws `CommandError` where none
 * waits, and where it is not the one whose sum begins with `shown`; absent: whichever waits now.
 */
export async function shownPlan(
  fleet: Fleet,
  name: string,
  shown: string | undefined,
  what: Answered,
): Promise<{ readonly id: string; readonly waiting: WaitingPlan }> {
  const found = await foundRun(fleet, name);
  const { id } = found;
  const waiting = await fleet.waitingPlan(id);
  if (waiting === undefined) throw notWaiting(found);
  if (shown !== undefined && !waiting.sum.startsWith(shown)) throw anotherPlan(id, what);
  return { id, waiting };
}

/** Why the plan that was shown was not there to be approved. */
export async function refusal(fleet: Fleet, id: string, what: Answered): Promise<CommandError> {
  const now = await foundRun(fleet, id);
  return now.status === "needs_approval" ? anotherPlan(id, what) : notWaiting(now);
}

function anotherPlan(id: string, what: Answered): CommandError {
  return new CommandError(
    `Run ${id} waits with another plan than the one that was shown. Nothing was ${what}.`,
    `Look at the plan as it is now: vmform runs --watch ${id}`,
    "approval",
  );
}

function notWaiting({ id, status }: Submission): CommandError {
  return new CommandError(
    `Run ${id} does not wait for approval: ${statusWords[status]}.`,
    `See what became of it: vmform runs --watch ${id}`,
  );
}
