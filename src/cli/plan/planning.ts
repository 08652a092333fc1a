/** `vmform plan`, `apply` and `destroy` on the command line. */

import type { Command } from "commander";
import { planHasChanges } from "../../model/plan/plan-counts.ts";
import { planSummaryText } from "../../render/plan/plan-summary.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { notifying } from "../notifying.ts";
import type { Run, Shell } from "../run.ts";
import type { runApply } from "./apply.ts";
import { addApplying } from "./applying-flags.ts";
import { declarePlan, type PlanFlags, runPlan } from "./plan.ts";

export function addPlan(program: Command, shell: Shell, done: Done): void {
  declarePlan(program).action(
    action(shell, done, (run, flags) => plannedAlone(shell, run, flags), "stream"),
  );
}

export function addApply(program: Command, shell: Shell, done: Done): void {
  const apply = program
    .command("apply")
    .argument("[plan]", "a saved plan")
    .description("converge: make the world as the configuration wants it");
  addApplying(apply)
    .option("--resume", "where the saved plan was cut off: what is left of it, and no more")
    .action(
      action(
        shell,
        done,
        (run, flags, [file]) => applied(shell, run, "apply", file, flags),
        "stream",
      ),
    );
}

export function addDestroy(program: Command, shell: Shell, done: Done): void {
  const destroy = program.command("destroy").description("destroy everything that is recorded");
  addApplying(destroy).action(
    action(shell, done, (run, flags) => applied(shell, run, "destroy", undefined, flags), "stream"),
  );
}

/** Loaded when it is run. */
const applied: typeof runApply = async (...work) => {
  const { runApply: run } = await import("./apply.ts");
  return run(...work);
};

/** Others wait for a plan that is to be saved. Of any other, whoever looks at it sees it fail. */
function plannedAlone(shell: Shell, run: Run, flags: PlanFlags): Promise<ExitCode> {
  if (flags.out === undefined) return runPlan(shell, run, flags);
  return notifying(run, flags, "plan", async (tell) => {
    const code = await runPlan(shell, run, flags, async ({ plan }) => {
      // Who applies a saved plan agrees to it by that.
      if (!planHasChanges(plan)) return;
      run.view.diagnostics(await tell("needs_approval", planSummaryText(plan)));
    });
    if (code !== exitCodes.error) return code;
    run.view.diagnostics(await tell("failed", "The plan has errors, and cannot be applied."));
    return code;
  });
}
