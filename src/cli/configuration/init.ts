/** `vmform init` on the command line. */

import type { Command } from "commander";
import { type Initialized, initCommand } from "../../commands/configuration/init.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, type CommonOptions, workspaceOptions } from "../options.ts";
import type { Shell } from "../run.ts";

type InitFlags = CommonOptions & { readonly simulator?: boolean };

export function addInit(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("init")
    .argument("[provider]", "daemon, cloud, manager or appliance")
    .description("write a first configuration into a folder that has none");
  addCommon(command)
    .option("--simulator", "with an embedded simulator, to try without an endpoint")
    .action(
      action<InitFlags>(shell, done, async ({ view, environment }, flags, [provider]) => {
        const { directory } = workspaceOptions(flags);
        const simulator = flags.simulator === true;
        const made = await initCommand(environment, { directory, provider, simulator });
        for (const file of made.files) view.text(`Wrote ${file}.`);
        view.text(`\n${nextText(made, simulator)}`);
        const { password } = made;
        view.document({
          provider: made.provider,
          files: made.files,
          ...(password === undefined ? {} : { password_variable: password }),
        });
        return exitCodes.ok;
      }),
    );
}

/** One line each, since a terminal may be narrow. */
function nextText({ provider, password }: Initialized, simulator: boolean): string {
  return [
    ...(simulator ? [] : ["Set the url in it to that of your endpoint."]),
    ...(password === undefined ? [] : [`Put the password into the variable ${password}.`]),
    `Next: vmform doctor, then vmform plan.`,
    `Settings: vmform explain ${provider}`,
  ].join("\n");
}
