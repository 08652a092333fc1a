/** `vmform apply` and `vmform destroy` on the command line; loaded when one of them is run. */

import { CommandError } from "../../commands/environment.ts";
import { appliedAsAsked } from "../../commands/plan/applied-as-asked.ts";
import { type ApplyResult, applyCommand } from "../../commands/plan/apply.ts";
import { poolLimits } from "../../commands/plan/pool-limits.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planHasChanges } from "../../model/plan/plan-counts.ts";
import { applySummaryText, planSummaryText } from "../../render/plan/plan-summary.ts";
import { applySummaryMessage, outputsMessage } from "../../render/run/stream-json.ts";
import { outputsText } from "../../render/state/outputs.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { notifying, type Tell } from "../notifying.ts";
import { mirrorConsent, parallelismDefault, selectionOf, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { isMirrorConsented, isPlanConsented } from "../terminal/ask/consent-question.ts";
import { requireDrawable } from "../terminal/progress.ts";
import type { View } from "../terminal/view.ts";
import { summaryOf } from "./apply-summary.ts";
import type { ApplyFlags } from "./applying-flags.ts";
import { refuseBesidePlan } from "./beside-plan.ts";
import { showPlan } from "./plan.ts";

export function runApply(
  shell: Shell,
  run: Run,
  mode: "apply" | "destroy",
  planFile: string | undefined,
  flags: ApplyFlags,
): Promise<ExitCode> {
  const work = (tell: Tell): Promise<ExitCode> =>
    applyTelling(shell, run, mode, planFile, flags, tell);
  return notifying(run, flags, mode, work);
}

async function applyTelling(
  shell: Shell,
  { view, environment }: Run,
  mode: "apply" | "destroy",
  planFile: string | undefined,
  flags: ApplyFlags,
  tell: Tell,
): Promise<ExitCode> {
  requireDrawable(flags.progress, shell.terminal);
  const resume = flags.resume === true;
  if (resume && planFile === undefined) throw withoutPlan();
  if (planFile !== undefined && !resume) refuseBesidePlan(flags, "applied");
  const now = (): number => environment.clock.now();
  const approved = planFile !== undefined || flags.autoApprove === true;
  let asking: ReturnType<Tell> = Promise.resolve([]);
  const result = await applyCommand(environment, {
    ...workspaceOptions(flags),
    mode: mode === "apply" && flags.refreshOnly === true ? "refresh" : mode,
    select: selectionOf(flags),
    allowPartial: flags.allowPartial === true,
    allowed: (flags.allow ?? []).filter((kind) => kind !== mirrorConsent),
    agreeToMirror: async (asOf) => {
      if (flags.allow?.includes(mirrorConsent) === true) return true;
      if (!isAsked(view, approved)) return false;
      view.diagnostics(asOf);
      return isMirrorConsented(shell, view);
    },
    planFile,
    resume,
    parallelism: flags.parallelism ?? parallelismDefault,
    lockTimeoutMs: flags.lockTimeout ?? 0,
    window: flags.window,
    show: (plan, durations) => {
      const asks = isAsked(view, approved);
      const limits = poolLimits(plan, environment.types);
      const { compact = false } = flags;
      showPlan(view, plan, {
        ...{ requests: false, nowMs: now(), compact, asks },
        ...{ durations, poolLimits: limits },
      });
    },
    // Neither the answer nor what comes of it, under the lock, waits for who is told of it.
    review: (plan) => {
      const onAsking = (): void => {
        asking = tell("needs_approval", planSummaryText(plan));
      };
      return review(shell, view, plan, approved, onAsking);
    },
  });
  const code = showResult(view, result, now(), flags);
  view.diagnostics(await asking);
  const ending = endingOf(result, code);
  if (ending !== undefined) view.diagnostics(await tell(...ending));
  return code;
}

/** What is worth telling: neither a no nor that there was nothing to do. */
function endingOf(result: ApplyResult, code: ExitCode): Parameters<Tell> | undefined {
  if (result.kind === "declined") return undefined;
  if (result.kind === "errors") {
    const [first] = result.plan.diagnostics.filter((item) => item.severity === "error");
    return ["failed", `Nothing was changed: ${first?.detail ?? "the plan has errors."}`];
  }
  const summary = applySummaryText(summaryOf(result.plan, result.applied));
  if (code !== exitCodes.ok) return ["failed", summary];
  return planHasChanges(result.plan) ? ["applied", summary] : undefined;
}

function withoutPlan(): CommandError {
  const detail = "--resume goes on with a plan that was approved, and none is named.";
  return new CommandError(detail, "Name its file: vmform apply --resume FILE", "usage");
}

/** True where a person will be asked, whose yes is consent to what was shown. */
function isAsked(view: View, approved: boolean): boolean {
  return !approved && view.asks;
}

async function review(
  shell: Shell,
  view: View,
  plan: Plan,
  approved: boolean,
  onAsking: () => void,
): Promise<"agreed" | "approved" | "declined"> {
  if (approved || !planHasChanges(plan)) return "approved";
  if (!isAsked(view, approved)) {
    throw new CommandError(
      "Nobody can be asked here whether to apply the plan.",
      "Use --auto-approve, or save the plan with vmform plan --out FILE and apply that file.",
      "approval",
    );
  }
  shell.terminal.write("\n");
  onAsking();
  const yes = await isPlanConsented(shell, view, missingConsent(plan));
  return yes ? "agreed" : "declined";
}

function showResult(
  view: View,
  result: ApplyResult,
  nowMs: number,
  { window }: ApplyFlags,
): ExitCode {
  if (result.kind === "errors") {
    const rest = result.partial ? " To apply what is not blocked: --allow-partial" : "";
    view.say(`\nNothing was changed, because of the errors above.${rest}`);
    return exitCodes.error;
  }
  if (result.kind === "declined") {
    view.text("Nothing was changed.");
    return exitCodes.error;
  }
  const summary = summaryOf(result.plan, result.applied);
  view.diagnostics(result.failures);
  view.say(`\n${applySummaryText(summary)}`);
  view.message(applySummaryMessage(summary, nowMs));
  if (result.outputs.length > 0) {
    view.text(`\nOutputs:\n\n${outputsText(result.outputs, view.options)}`);
    view.message(outputsMessage(result.outputs, nowMs));
  }
  if (result.applied.interrupted) return exitCodes.interrupted;
  return appliedAsAsked(result, window) ? exitCodes.ok : exitCodes.error;
}
