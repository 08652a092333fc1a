/** `vmform plan` on the command line. */

import type { Command } from "commander";
import { CommandError } from "../../commands/environment.ts";
import { type Planned, type PlanOptions, planCommand, savePlan } from "../../commands/plan/plan.ts";
import { poolLimits } from "../../commands/plan/pool-limits.ts";
import { plannedAddress } from "../../commands/written-address.ts";
import { warning } from "../../engine/codes.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import { shellWord } from "../../lib/shell-word.ts";
import { plural } from "../../lib/text.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import type { Plan, PlanMode } from "../../model/plan/plan.ts";
import { planDiffers } from "../../model/plan/plan-counts.ts";
import { foreseesFailure, type Rehearsal } from "../../model/plan/rehearsal.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { ExpectedWith } from "../../render/plan/expected-duration.ts";
import { planText } from "../../render/plan/plan-text.ts";
import { requestsText } from "../../render/plan/requests-text.ts";
import { explanationMessage, planMessages } from "../../render/run/stream-json.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addAllow,
  addCommon,
  addDebug,
  addSelection,
  addSettle,
  addStateFrom,
  addVariables,
  type FlagsOf,
  type PlanningOptions,
  parallelismDefault,
  selectionOf,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { rememberingAnswers } from "../terminal/ask/remembered-answers.ts";
import type { View } from "../terminal/view.ts";
import { addPlanForm, refuseForms, writeMarkdown } from "./plan-form.ts";
import { outputsOf, writeReports } from "./plan-reports.ts";

export type PlanFlags = PlanningOptions & FlagsOf<typeof declarePlan>;

export function declarePlan(program: Command) {
  const plan = program.command("plan").description("show what apply would do; changes nothing");
  return addStateFrom(
    addPlanForm(addSelection(addSettle(addDebug(addAllow(addVariables(addCommon(plan))))))),
  )
    .option("--out <file>", "save the plan, to apply exactly it")
    .option("--html <file>", "write the plan as one page there, too")
    .option("--gitlab-report <file>", "write its numbers as GitLab's terraform report there, too")
    .option("--destroy", "plan to destroy everything recorded")
    .option("--rehearse", "run it in a simulated twin of what is there, and tell how it goes")
    .option("--requests", "show the wire requests of each operation")
    .option("--detailed-exitcode", "exit with 2 when there are changes")
    .option("--generate-config-out <file>", "write a new file of what imports has no resource for");
}

/** `made` gets a plan without errors, once it was shown. */
export async function runPlan(
  shell: Shell,
  run: Run,
  flags: PlanFlags,
  made?: (planned: Planned) => Promise<void>,
): Promise<ExitCode> {
  refuseForms(flags);
  if (flags.explain !== undefined) plannedAddress(flags.explain);
  const { view } = run;
  if (flags.format === "markdown") view.eventsAside();
  const environment = await generated(run, flags);
  const options: PlanOptions = {
    ...workspaceOptions(flags),
    mode: modeOf(flags),
    select: selectionOf(flags),
    allowed: flags.allow ?? [],
    settle: flags.settle === true,
    outputs: outputsOf(flags),
  };
  const planned = await plannedOrRehearsed(environment, options, flags);
  const { plan, running, rehearsal } = planned;
  if (running !== undefined) view.diagnostics([runningNotice(running)]);
  const markdown = flags.format === "markdown";
  if (flags.explain !== undefined) {
    const { explained } = await import("./explained.ts");
    const { explanationText } = await import("../../render/plan/explain/explanation-text.ts");
    const explanation = explained(flags.explain, plan, environment, planned.desired);
    view.text(explanationText(explanation, view.options));
    view.message(explanationMessage(explanation, environment.clock.now()));
  } else if (markdown) writeMarkdown(shell, view, plan, flags);
  else {
    const nowMs = environment.clock.now();
    const { requests = false, compact = false } = flags;
    const { durations } = planned;
    const limits = poolLimits(plan, environment.types);
    showPlan(view, plan, { requests, nowMs, compact, durations, poolLimits: limits });
  }
  if (rehearsal !== undefined) await showRehearsal(run, plan, rehearsal, markdown);
  const { version } = shell;
  await writeReports(environment, plan, flags, { ...view.options, version, rehearsal });
  if (flags.out !== undefined) {
    await savePlan(environment, flags.out, planned);
    const saved = savedText(flags.out, plan);
    if (markdown) view.note(saved);
    else view.text(`\n${saved}`);
  }
  if (hasErrors(plan.diagnostics)) return exitCodes.error;
  await made?.(planned);
  if (rehearsal !== undefined && foreseesFailure(rehearsal)) return exitCodes.foreseen;
  return flags.detailedExitcode === true && planDiffers(plan) ? exitCodes.changes : exitCodes.ok;
}

async function plannedOrRehearsed(
  environment: Run["environment"],
  options: PlanOptions,
  { rehearse = false }: PlanFlags,
): Promise<Planned & { readonly rehearsal?: Rehearsal }> {
  if (!rehearse) return planCommand(environment, options);
  const { rehearseCommand } = await import("../../commands/rehearse/rehearse.ts");
  return rehearseCommand(environment, { ...options, ...rehearsingAsApply });
}

/** What plan has no options for is as apply has it, and waits for the times of policies. */
const rehearsingAsApply = { parallelism: parallelismDefault, window: "wait" } as const;

/** Beside Markdown, which has standard output for itself, it is told on standard error. */
async function showRehearsal(
  { view, environment }: Run,
  plan: Plan,
  rehearsal: Rehearsal,
  aside: boolean,
): Promise<void> {
  const { rehearsalText } = await import("../../render/rehearsal/rehearsal-text.ts");
  const { rehearsalMessage } = await import("../../render/rehearsal/rehearsal-json.ts");
  const { types } = environment;
  const text = rehearsalText(plan, rehearsal, view.options);
  if (aside) view.note(text);
  else view.text(`\n${text}`);
  view.message(rehearsalMessage(plan, rehearsal, { types, atMs: environment.clock.now() }));
}

/** With configuration for imports that had none. What a person has answered is asked once. */
async function generated(
  { view, environment }: Run,
  flags: PlanFlags,
): Promise<Run["environment"]> {
  const { generateConfigOut: out } = flags;
  if (out === undefined) return environment;
  if (modeOf(flags) !== "apply") {
    const problem = "--generate-config-out belongs to a plan that records imports.";
    throw new CommandError(problem, "Leave out --destroy and --refresh-only.", "usage");
  }
  const remembering = rememberingAnswers(environment);
  const options = { ...workspaceOptions(flags), out };
  const { generateImportsCommand } = await import("../../commands/import/generate-imports.ts");
  const { resources } = await generateImportsCommand(remembering, options);
  view.note(
    resources.length === 0
      ? `Every entry of imports has its configuration: ${out} is not written.`
      : `Wrote configuration of ${plural(resources.length, "object")} to ${out}. ` +
          "Look through it before you apply.",
  );
  return remembering;
}

/** For plan and drift, which take no lock. */
function runningNotice(running: LockInfo): Diagnostic {
  const { who, host, pid, operation, createdMs } = running;
  return warning(nowhere, "RUN005", {
    detail:
      createdMs === 0
        ? "The recorded state is locked, and nothing says by whom."
        : `${who} on ${host} is running ${operation} at this moment (process ${pid}).`,
    fix: "What it does is not taken into account here; look again when it has ended.",
  });
}

export function modeOf(flags: Pick<PlanFlags, "destroy" | "refreshOnly">): PlanMode {
  if (flags.destroy === true && flags.refreshOnly === true) {
    throw new CommandError("--destroy and --refresh-only exclude each other.");
  }
  if (flags.destroy === true) return "destroy";
  return flags.refreshOnly === true ? "refresh" : "apply";
}

export type PlanShowing = ExpectedWith & {
  readonly requests: boolean;
  readonly nowMs: number;
  readonly compact: boolean;
  /** A person is asked next. */
  readonly asks?: boolean;
};

export function showPlan(view: View, plan: Plan, showing: PlanShowing): void {
  const { requests, nowMs, compact, asks = false } = showing;
  view.follow(plan, showing.durations);
  if (!view.json) {
    view.text(planText(plan, { ...view.options, asks, compact, expected: showing }));
    if (requests) view.text(`\n${requestsText(plan, view.options)}`);
  }
  for (const message of planMessages(plan, nowMs)) view.message(message);
}

function savedText(path: string, plan: Plan): string {
  const kinds = [...new Set(missingConsent(plan).map((need) => need.disruption))];
  const consent = kinds.length === 0 ? "" : ` --allow ${kinds.join(",")}`;
  const applying = `vmform apply ${shellWord(path)}${consent}`;
  return `Saved the plan to ${path}. To apply exactly this: ${applying}`;
}
