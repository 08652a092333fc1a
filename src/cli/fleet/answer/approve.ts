/**
 * `vmform approve RUN`: consent to the plan that a run waits with. The yes names that plan, which
 * may be planned anew while a person thinks: then nothing is recorded.
 */

import { CommandError } from "../../../commands/environment.ts";
import type { WaitingPlan } from "../../../model/fleet/fleet.ts";
import { type Consent, isConsent } from "../../../model/operation/disruption.ts";
import { missingConsent } from "../../../model/plan/consent.ts";
import { shortPlanSum } from "../../../plan/plan-file.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import type { Run, Shell } from "../../run.ts";
import { isPlanConsented } from "../../terminal/ask/consent-question.ts";
import { inFleet } from "../asking.ts";
import type { ApproveFlags } from "../fleet-command.ts";
import { watchRun } from "../watch.ts";
import { keptPlan, showKeptPlan } from "./kept-plan.ts";
import { refusal, shownPlan } from "./waiting-plan.ts";

export async function runApprove(
  shell: Shell,
  run: Run,
  flags: ApproveFlags,
  name: string,
): Promise<ExitCode> {
  const { view, environment } = run;
  return inFleet(environment, flags, "vmform approve", async (fleet) => {
    const { id, waiting } = await shownPlan(fleet, name, flags.plan, "approved");
    const allowed =
      flags.plan === undefined
        ? await asked({ shell, run, flags }, id, waiting)
        : (flags.allow ?? []);
    if (allowed === undefined) {
      view.text("Nothing was approved.");
      return exitCodes.error;
    }
    if (!(await fleet.approve(id, { ...environment.operator, allowed }, waiting.sum))) {
      throw await refusal(fleet, id, "approved");
    }
    if (flags.watch === true) return watchRun(run, flags, fleet, { id });
    view.text(`Approved.\nTo see what becomes of it: vmform runs --watch ${id}`);
    view.document({ approved: id, plan_sha256: waiting.sum });
    return exitCodes.ok;
  });
}

type Asking = { readonly shell: Shell; readonly run: Run; readonly flags: ApproveFlags };

/** Shows the plan, and gives the consents of a yes; undefined for a no. */
async function asked(
  { shell, run, flags }: Asking,
  id: string,
  waiting: WaitingPlan,
): Promise<readonly Consent[] | undefined> {
  const { view } = run;
  if (!view.asks) {
    throw new CommandError(
      "Which plan is approved has to be said where nobody can be asked.",
      `Look at it with vmform runs --watch ${id}; the command that approves it stands at the end.`,
      "approval",
    );
  }
  const plan = await keptPlan(run, flags, waiting.text);
  showKeptPlan(run, plan, true);
  view.text(`\nThis is the plan ${shortPlanSum(waiting.sum)} of run ${id}.`);
  const given = flags.allow ?? [];
  const needs = missingConsent({ ...plan, allowed: [...plan.allowed, ...given] });
  if (!(await isPlanConsented(shell, view, needs))) return undefined;
  return [...new Set([...given, ...needs.map(({ disruption }) => disruption).filter(isConsent)])];
}
