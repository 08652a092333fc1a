/** `vmform rehearse` on the command line. */

import type { Command } from "commander";
import { poolLimits } from "../../commands/plan/pool-limits.ts";
import {
  type RehearsedPlan,
  rehearseCommand,
  rehearseSaved,
} from "../../commands/rehearse/rehearse.ts";
import { foreseesFailure } from "../../model/plan/rehearsal.ts";
import { planText } from "../../render/plan/plan-text.ts";
import { rehearsalJson } from "../../render/rehearsal/rehearsal-json.ts";
import { rehearsalText } from "../../render/rehearsal/rehearsal-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addAllow,
  addCommon,
  addDebug,
  addParallelism,
  addSelection,
  addVariables,
  addWindow,
  type FlagsOf,
  parallelismDefault,
  selectionOf,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { refuseBesidePlan } from "./beside-plan.ts";
import { modeOf } from "./plan.ts";

type RehearseFlags = FlagsOf<typeof declareRehearse>;

export function addRehearse(program: Command, shell: Shell, done: Done): void {
  declareRehearse(program).action(
    action(shell, done, (run, flags, [file]) => runRehearse(run, file, flags), "document"),
  );
}

function declareRehearse(program: Command) {
  const command = program
    .command("rehearse")
    .argument("[plan]", "a saved plan")
    .description("run a plan in a simulated twin of what is there; changes nothing");
  const planning = addSelection(addDebug(addAllow(addVariables(addCommon(command)))));
  return addParallelism(addWindow(planning)).option(
    "--destroy",
    "rehearse to destroy everything recorded",
  );
}

async function runRehearse(
  { view, environment }: Run,
  planFile: string | undefined,
  flags: RehearseFlags,
): Promise<ExitCode> {
  const rehearsing = {
    parallelism: flags.parallelism ?? parallelismDefault,
    window: flags.window ?? "wait",
  };
  if (planFile !== undefined) refuseBesidePlan(flags, "rehearsed");
  const options = {
    ...workspaceOptions(flags),
    ...rehearsing,
    mode: modeOf(flags),
    select: selectionOf(flags),
    allowed: flags.allow ?? [],
    settle: false,
    outputs: [],
  };
  const rehearsed =
    planFile === undefined
      ? await rehearseCommand(environment, options)
      : await rehearseSaved(environment, options, planFile);
  const { plan, rehearsal, durations } = rehearsed;
  const expected = { durations, poolLimits: poolLimits(plan, environment.types) };
  view.text(`${planText(plan, { ...view.options, compact: true, expected })}\n`);
  view.text(rehearsalText(plan, rehearsal, view.options));
  view.document(rehearsalJson(plan, rehearsal, environment.types));
  return rehearsedCode(rehearsed);
}

/** An error of the plan itself is one of the command, as in `plan`. */
export function rehearsedCode({ rehearsal }: Pick<RehearsedPlan, "rehearsal">): ExitCode {
  return foreseesFailure(rehearsal) ? exitCodes.foreseen : exitCodes.ok;
}
