/** `vmform init` on the command line. */

import type { Command } from "commander";
import { type Initialized, initCommand } from "../../commands/configuration/init.ts";
import { initModules } from "../../commands/configuration/init-modules.ts";
import type { FetchedModule } from "../../commands/environment.ts";
import { isConfigurationFile } from "../../commands/reading.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon, type CommonOptions, workspaceOptions } from "../options.ts";
import type { Shell } from "../run.ts";

type InitFlags = CommonOptions & { readonly simulator?: boolean; readonly upgrade?: boolean };

export function addInit(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("init")
    .argument("[provider]", "daemon, cloud, manager or appliance")
    .description("write a first configuration, or fetch modules and packages of one that is there");
  addCommon(command)
    .option("--simulator", "with an embedded simulator, to try without an endpoint")
    .option("--upgrade", "fetch them anew, and lock what they are now")
    .action(
      action<InitFlags>(shell, done, async ({ view, environment }, flags, [provider]) => {
        const { directory } = workspaceOptions(flags);
        const present = provider === undefined ? await environment.listFolder(directory) : [];
        if (present.some(isConfigurationFile)) {
          const modules = await initModules(environment, workspaceOptions(flags), isUpgrade(flags));
          view.text(modulesText(modules));
          view.document({ modules: modules.map(({ origin, hash }) => ({ source: origin, hash })) });
          return exitCodes.ok;
        }
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

function isUpgrade({ upgrade }: InitFlags): boolean {
  return upgrade === true;
}

function modulesText(modules: readonly FetchedModule[]): string {
  if (modules.length === 0) return "Every module and package is here, as it was locked.";
  return modules.map(({ origin, hash }) => `Fetched ${origin}\n  as ${hash}`).join("\n");
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
