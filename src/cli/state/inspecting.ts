/** `vmform drift`, `show` and `output` on the command line: what looks and changes nothing. */

import type { Command } from "commander";
import { action, type Done } from "../action.ts";
import { addCommon, addStateFrom } from "../options.ts";
import { addPlanForm } from "../plan/plan-form.ts";
import type { Shell } from "../run.ts";
import { declareDrift, runDrift } from "./drift.ts";
import { runOutput, runShow } from "./state.ts";

export function addInspecting(program: Command, shell: Shell, done: Done): void {
  declareDrift(program).action(action(shell, done, (run, flags) => runDrift(shell, run, flags)));

  const show = program
    .command("show")
    .argument("[plan]", "a saved plan; without it, recorded state")
    .description("show recorded state or a saved plan");
  addStateFrom(addPlanForm(addCommon(show))).action(
    action(shell, done, (run, flags, [file]) => runShow(shell, run, file, flags)),
  );

  const output = program
    .command("output")
    .argument("[name]", "one output")
    .description("show recorded outputs");
  addStateFrom(addCommon(output))
    .option("--raw", "the value alone, text without quotes")
    .action(action(shell, done, (run, flags, [name]) => runOutput(shell, run, name, flags)));
}
