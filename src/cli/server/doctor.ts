/** `vmform doctor` on the command line. */

import type { Command } from "commander";
import { doctorCommand } from "../../commands/server/doctor.ts";
import { count, doctorJson, doctorText } from "../../render/state/doctor-text.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, addDebug, addVariables, workspaceOptions } from "../options.ts";
import type { Shell } from "../run.ts";

export function addDoctor(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("doctor")
    .description("look whether all that a run needs is there; changes nothing");
  addDebug(addVariables(addCommon(command))).action(
    action(shell, done, async ({ view, environment }, flags) => {
      view.eventsAside();
      const checks = await doctorCommand(environment, workspaceOptions(flags));
      view.text(doctorText(checks, view.options));
      view.document(doctorJson(checks));
      return count(checks, "failed") === 0 ? exitCodes.ok : exitCodes.error;
    }),
  );
}
