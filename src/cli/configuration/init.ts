/** `vmform init` on the command line. */

import type { Command } from "commander";
import { listExamples, writeExample } from "../../commands/configuration/example.ts";
import { type Initialized, initCommand } from "../../commands/configuration/init.ts";
import { initModules } from "../../commands/configuration/init-modules.ts";
import type { FetchedModule } from "../../commands/environment.ts";
import { CommandError } from "../../commands/environment.ts";
import { isConfigurationFile } from "../../commands/reading.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, type CommonOptions, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";
import type { View } from "../terminal/view.ts";

type InitFlags = CommonOptions & {
  readonly simulator?: boolean;
  readonly upgrade?: boolean;
  /** True without a name. */
  readonly example?: string | true;
};

export function addInit(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("init")
    .argument("[provider]", "daemon, cloud, manager or appliance")
    .description("write a first configuration, or fetch modules and packages of one that is there");
  addCommon(command)
    .option("--simulator", "with an embedded simulator, to try without an endpoint")
    .option("--example [name]", "a copy of a shipped example; without a name, lists them")
    .option("--upgrade", "fetch them anew, and lock what they are now")
    .action(
      action<InitFlags>(shell, done, async ({ view, environment }, flags, [provider]) => {
        const { directory } = workspaceOptions(flags);
        if (flags.example !== undefined) return runExample({ view, environment }, flags, provider);
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

async function runExample(
  { view, environment }: Run,
  flags: InitFlags,
  provider: string | undefined,
): Promise<ExitCode> {
  const { example, simulator, upgrade } = flags;
  if (provider !== undefined || simulator === true || upgrade === true) {
    const problem = "--example takes the name of an example, and nothing else.";
    throw new CommandError(problem, "Such as: vmform init --example quickstart", "usage");
  }
  if (example === true || example === undefined) {
    const examples = await listExamples(environment);
    for (const { name, about } of examples) view.say(`${name}: ${about}`);
    view.say("\nTo have one in this folder: vmform init --example NAME");
    view.document({ examples: examples.map(({ name, about }) => ({ name, about })) });
    return exitCodes.ok;
  }
  const { directory } = workspaceOptions(flags);
  const { name, files, head } = await writeExample(environment, { directory, name: example });
  for (const file of files) view.text(`Wrote ${file}.`);
  tellHead(view, head, directory);
  view.document({ example: name, files });
  return exitCodes.ok;
}

/** Commands stay as they are; what is written around them is wrapped. */
function tellHead(view: View, lines: readonly string[], directory: string): void {
  const paragraphs = lines.join("\n").split(/\n\n+/);
  const isCommands = (text: string): boolean => text.startsWith("  ");
  for (const text of paragraphs) {
    if (!isCommands(text)) view.say(`\n${text.replaceAll("\n", " ")}`);
  }
  const commands = paragraphs.find(isCommands) ?? "  vmform plan\n  vmform apply";
  const where = directory === "." ? "" : `, in the folder ${directory}`;
  view.say(`\nNext${where}:`);
  view.text(commands);
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
