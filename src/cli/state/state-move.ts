/** `vmform state mv` on the command line. */

import type { Command } from "commander";
import { moveCommand } from "../../commands/state/state-move.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, addLockTimeout, type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";

export function addStateMove(state: Command, shell: Shell, done: Done): void {
  const move = state
    .command("mv")
    .argument("<from>")
    .argument("<to>")
    .description("record an object, or all of a resource, at another address");
  addLockTimeout(addCommon(move)).action(
    action(shell, done, (run, flags, [from, to]) =>
      runMove(run, from, to, flags, flags.lockTimeout ?? 0),
    ),
  );
}

async function runMove(
  run: Run,
  from: string,
  to: string,
  flags: CommonOptions,
  lockTimeoutMs: number,
): Promise<ExitCode> {
  const options = workspaceOptions(flags);
  const move = { from, to };
  const moves = await moveCommand(run.environment, options, move, lockTimeoutMs);
  for (const one of moves) run.view.text(`Moved ${one.from} to ${one.to}.`);
  run.view.document({ moved: moves.map((one) => ({ from: one.from, to: one.to })) });
  return exitCodes.ok;
}
