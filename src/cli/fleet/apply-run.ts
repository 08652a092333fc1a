/**
 * Applying by a worker: planned first, and applied when the plan is approved. What was approved and
 * cut off is gone on with by the rule of `apply --resume`; where more is to be done by now, that is
 * planned and waits for consent.
 */

import { writeFile } from "node:fs/promises";
import { notify } from "../../commands/notify.ts";
import { beyondApprovedCode } from "../../commands/plan/saved/resume.ts";
import { shownPlanFile } from "../../commands/plan/saved/saved-plan.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planHasChanges } from "../../model/plan/plan-counts.ts";
import { savedPlanSum, shortPlanSum } from "../../plan/plan-file.ts";
import { planSummaryText } from "../../render/plan/plan-summary.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { notifying } from "../notifying.ts";
import { workspaceOptions } from "../options.ts";
import { runApply } from "../plan/apply.ts";
import { runPlan } from "../plan/plan.ts";
import { type Run, runCommand } from "../run.ts";
import { endOf, flagsOf, savedText } from "./look-run.ts";
import type { OneRun, RunEnd } from "./one-run.ts";

const consentCode = "CLI005";

export async function applyRun(run: OneRun): Promise<RunEnd> {
  const { taken } = run;
  if (taken.plan !== undefined && taken.approved) return applied(run);
  const planned = await plannedFor(run);
  if ("status" in planned) return planned;
  const { plan, text } = planned;
  if (!planHasChanges(plan)) {
    return { status: "done", exitCode: exitCodes.ok, detail: planSummaryText(plan) };
  }
  const isCovered = taken.options.autoApprove && missingConsent(plan).length === 0;
  await run.keepPlan(text, isCovered);
  if (isCovered) {
    await writeFile(run.planFile, text, { mode: 0o600 });
    return applied(run);
  }
  return waiting(run, planned, "");
}

type Planned = { readonly plan: Plan; readonly text: string };

async function plannedFor(run: OneRun): Promise<Planned | RunEnd> {
  const { taken, planFile, shell } = run;
  const destroy = taken.kind === "destroy";
  const flags = { ...flagsOf(run), ...(destroy ? { destroy } : {}) };
  let planned: Planned | undefined;
  const work = (ready: Run): Promise<ExitCode> =>
    notifying(ready, flags, taken.kind, async (tell) => {
      const code = await runPlan(shell, ready, flags, async (made) => {
        const text = await savedText(ready, planFile, made);
        const plan = await shownPlanFile(ready.environment, workspaceOptions(flags), planFile);
        planned = { plan, text };
      });
      if (code !== exitCodes.error) return code;
      const why = run.sink.summary().error ?? "the plan has errors.";
      ready.view.diagnostics(await tell("failed", `Nothing was changed: ${why}`));
      return code;
    });
  const code = await runCommand(shell, flags, "stream", work);
  return planned ?? endOf(run, code);
}

async function applied(run: OneRun): Promise<RunEnd> {
  const { taken, shell, planFile, sink } = run;
  const { window, parallelism } = taken.options;
  const given = flagsOf(run);
  const flags = {
    ...given,
    allow: allowedIn(run),
    resume: true,
    lockTimeout: lockTimeoutMs,
    ...(window === undefined ? {} : { window }),
    ...(parallelism === undefined ? {} : { parallelism }),
  };
  const code = await runCommand(shell, flags, "stream", (ready) =>
    runApply(shell, unlessItWaits(ready, sink), "apply", planFile, flags),
  );
  const end = endOf(run, code);
  if (end.status !== "failed" || !waitsAgain(sink)) return end;
  const planned = await plannedFor(run);
  if ("status" in planned) return planned;
  await run.keepPlan(planned.text, false);
  return waiting(run, planned, `${end.detail} `);
}

/** More is to be done than was agreed to: that is no failure, it waits with a new plan. */
function waitsAgain({ codes }: OneRun["sink"]): boolean {
  return codes().has(beyondApprovedCode) || codes().has(consentCode);
}

/** Hooks are told once that a run waits, with how it is approved. */
function unlessItWaits(ready: Run, sink: OneRun["sink"]): Run {
  const { environment } = ready;
  const { sendHook } = environment;
  if (sendHook === undefined) return ready;
  const unless: typeof sendHook = (hook, message) =>
    waitsAgain(sink) ? Promise.resolve(undefined) : sendHook(hook, message);
  return { ...ready, environment: { ...environment, sendHook: unless } };
}

/** A session that was cut off is let go of by its server a moment later. */
const lockTimeoutMs = 30_000;

/** What was said yes to before was another plan. */
function allowedIn({ taken: { approvals, options } }: OneRun): readonly Consent[] {
  return [...new Set([...options.allowed, ...(approvals.at(-1)?.allowed ?? [])])];
}

/** Those who can say yes are told; whoever watches is shown the plan. */
async function waiting(run: OneRun, { plan, text }: Planned, why: string): Promise<RunEnd> {
  const { taken, shell, sink } = run;
  const missing = [...new Set(missingConsent(plan).map(({ disruption }) => disruption))];
  const allow = missing.length === 0 ? "" : ` --allow ${missing.join(",")}`;
  // A yes names the plan that it is a yes to.
  const approving = `vmform approve ${taken.id} --plan ${shortPlanSum(savedPlanSum(text))}${allow}`;
  const detail = `${why}${planSummaryText(plan)} To approve it: ${approving}`;
  const flags = flagsOf(run);
  await runCommand(shell, flags, "stream", async ({ environment, view }) => {
    const happened = { event: "needs_approval", command: taken.kind, summary: detail } as const;
    view.diagnostics(await notify(environment, workspaceOptions(flags), happened));
    return exitCodes.ok;
  });
  sink.say(detail);
  return { status: "needs_approval", detail };
}
