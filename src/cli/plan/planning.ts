/** `vmform plan`, `apply` and `destroy` on the command line. */

import type { Command } from "commander";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { notifying } from "../notifying.ts";
import {
  addAllow,
  addApplyingAllow,
  addCommon,
  addDebug,
  addLockTimeout,
  addParallelism,
  addProgress,
  addSelection,
  addSettle,
  addStateFrom,
  addVariables,
  addWindow,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { type ApplyFlags, runApply } from "./apply.ts";
import { type PlanFlags, runPlan } from "./plan.ts";
import { addCompact, addPlanForm } from "./plan-form.ts";

export function addPlanning(program: Command, shell: Shell, done: Done): void {
  const plan = program.command("plan").description("show what apply would do; changes nothing");
  addStateFrom(
    addPlanForm(addSelection(addSettle(addDebug(addAllow(addVariables(addCommon(plan))))))),
  )
    .option("--out <file>", "save the plan, to apply exactly it")
    .option("--html <file>", "write the plan as one page there, too")
    .option("--gitlab-report <file>", "write its numbers as GitLab's terraform report there, too")
    .option("--destroy", "plan to destroy everything recorded")
    .option("--rehearse", "run it in a simulated twin of what is there, and tell how it goes")
    .option("--requests", "show the wire requests of each operation")
    .option("--detailed-exitcode", "exit with 2 when there are changes")
    .option("--generate-config-out <file>", "write a new file of what imports has no resource for")
    .action(
      action<PlanFlags>(shell, done, (run, flags) => plannedAlone(shell, run, flags), "stream"),
    );

  const apply = program
    .command("apply")
    .argument("[plan]", "a saved plan")
    .description("converge: make the world as the configuration wants it");
  addApplying(apply)
    .option("--resume", "where the saved plan was cut off: what is left of it, and no more")
    .action(
      action<ApplyFlags>(
        shell,
        done,
        (run, flags, [file]) => runApply(shell, run, "apply", file, flags),
        "stream",
      ),
    );

  const destroy = program.command("destroy").description("destroy everything that is recorded");
  addApplying(destroy).action(
    action<ApplyFlags>(
      shell,
      done,
      (run, flags) => runApply(shell, run, "destroy", undefined, flags),
      "stream",
    ),
  );
}

function addApplying(command: Command): Command {
  const planning = addStateFrom(
    addSelection(addDebug(addApplyingAllow(addVariables(addCommon(command))))),
  );
  planning.option("--allow-partial", "apply the rest although some resources are blocked");
  addProgress(addWindow(addCompact(planning)));
  return addParallelism(addLockTimeout(planning)).option(
    "--auto-approve",
    "do not ask; disruptions still need --allow",
  );
}

/** Others wait for a plan that is to be saved. Of any other, whoever looks at it sees it fail. */
function plannedAlone(shell: Shell, run: Run, flags: PlanFlags): Promise<ExitCode> {
  if (flags.out === undefined) return runPlan(shell, run, flags);
  return notifying(run, flags, "plan", async (tell) => {
    const code = await runPlan(shell, run, flags);
    if (code !== exitCodes.error) return code;
    run.view.diagnostics(await tell("failed", "The plan has errors, and cannot be applied."));
    return code;
  });
}
