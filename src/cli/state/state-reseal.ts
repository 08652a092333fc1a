/** `vmform state reseal` on the command line. */

import type { Command } from "commander";
import { resealCommand } from "../../commands/state/state-reseal.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, addLockTimeout, workspaceOptions } from "../options.ts";
import type { Shell } from "../run.ts";

export function addStateReseal(state: Command, shell: Shell, done: Done): void {
  const reseal = state
    .command("reseal")
    .description("write recorded state anew, encrypted as is configured now");
  addLockTimeout(addCommon(reseal)).action(
    action(shell, done, async ({ view, environment }, flags) => {
      const options = workspaceOptions(flags);
      const resealed = await resealCommand(environment, options, flags.lockTimeout ?? 0);
      const { changed, location, encrypted, left } = resealed;
      const how = encrypted ? "encrypted with the first key" : "not encrypted";
      const all = `All that is recorded in ${location} is ${how}`;
      view.text(changed ? `${all} now.` : `Nothing was changed: ${lowered(all)} already.`);
      if (left.length > 0) {
        const commands = left.map((name) => `  VMFORM_WORKSPACE=${name} vmform state reseal`);
        view.text(
          `\nThese workspaces are not yet, each is kept by itself:\n${commands.join("\n")}`,
        );
      }
      view.document({ resealed: changed, encrypted, workspaces_left: left });
      return exitCodes.ok;
    }),
  );
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
