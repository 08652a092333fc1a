/** `vmform state pull` and `state push` on the command line. */

import type { Command } from "commander";
import { pullCommand, pushCommand } from "../../commands/state/state-transfer.ts";
import { parseJson, stringifyJson } from "../../lib/json.ts";
import { plural } from "../../lib/text.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, addLockTimeout, addStateFrom, workspaceOptions } from "../options.ts";
import type { Shell } from "../run.ts";

export function addStateTransfer(state: Command, shell: Shell, done: Done): void {
  const pull = state.command("pull").description("print recorded state as one JSON text");
  addStateFrom(addCommon(pull)).action(
    action(shell, done, async ({ view, environment }, flags) => {
      const text = await pullCommand(environment, workspaceOptions(flags));
      // In JSON, one object is one line.
      shell.terminal.write(view.json ? `${stringifyJson(parseJson(text))}\n` : text);
      return exitCodes.ok;
    }),
  );

  const push = state
    .command("push")
    .argument("<file>", "a state as state pull prints it; - for standard input")
    .description("replace recorded state by the one in a file");
  addLockTimeout(addCommon(push))
    .option("--force", "also over another history, later runs and open operations")
    .action(
      action(shell, done, async ({ view, environment }, flags, [file]) => {
        const pushed = await pushCommand(environment, {
          ...workspaceOptions(flags),
          file: file === "-" ? "/dev/stdin" : file,
          force: flags.force === true,
          lockTimeoutMs: flags.lockTimeout ?? 0,
        });
        if (pushed.kind === "same") {
          view.text("Nothing was changed: this is what is recorded already.");
          view.document({ pushed: false });
          return exitCodes.ok;
        }
        const { objects, serial, backup } = pushed;
        view.text(`Recorded state is now serial ${serial}, with ${plural(objects, "object")}.`);
        if (backup !== undefined) view.text(`What was recorded before is in ${backup}.`);
        const before = backup === undefined ? {} : { backup };
        view.document({ pushed: true, objects, serial, ...before });
        return exitCodes.ok;
      }),
    );
}
