/** `vmform init` on the command line. */

import type { Command } from "commander";
import { listExamples, writeExample } from "../../commands/configuration/example.ts";
import { givenAnswers } from "../../commands/configuration/first-answers.ts";
import {
  type Initialized,
  initCommand,
  withoutProvider,
} from "../../commands/configuration/init.ts";
import { initModules } from "../../commands/configuration/init-modules.ts";
import { CommandError, type FetchedModule } from "../../commands/environment.ts";
import { isConfigurationFile } from "../../commands/reading.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, type FlagsOf, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { type Asker, createAsker } from "../terminal/ask/questions.ts";
import type { View } from "../terminal/view.ts";
import { addEndpoint, askAnswers, givenWords, interfaceChoices } from "./first-questions.ts";

type InitFlags = FlagsOf<typeof declareInit>;

export function addInit(program: Command, shell: Shell, done: Done): void {
  declareInit(program).action(
    action(shell, done, (run, flags, [providers]) => runInit(shell, run, flags, providers)),
  );
}

function declareInit(program: Command) {
  const command = program
    .command("init")
    .argument("[providers...]", "daemon, cloud, manager, appliance")
    .description("write a first configuration, or fetch modules and packages of one that is there");
  return addEndpoint(addCommon(command))
    .option("--simulator", "with an embedded simulator, to try without an endpoint")
    .option("--example [name]", "a copy of a shipped example; without a name, lists them")
    .option("--upgrade", "fetch them anew, and lock what they are now");
}

async function runInit(
  shell: Shell,
  run: Run,
  flags: InitFlags,
  providers: readonly string[],
): Promise<ExitCode> {
  const { view, environment } = run;
  const { directory } = workspaceOptions(flags);
  if (flags.example !== undefined) return runExample(run, flags, providers);
  const isNamed = providers.length > 0;
  const present = isNamed ? [] : await environment.listFolder(directory);
  if (present.some(isConfigurationFile)) return runModules(run, flags);
  if (!isNamed && view.asks && flags.simulator !== true) return askFirst(shell, run, flags);
  if (!isNamed) throw withoutProvider();
  const answers = givenAnswers(environment, providers, givenWords(flags));
  return writeFirst(run, flags, providers, answers);
}

async function runModules({ view, environment }: Run, flags: InitFlags): Promise<ExitCode> {
  const isUpgrade = flags.upgrade === true;
  const modules = await initModules(environment, workspaceOptions(flags), isUpgrade);
  view.text(modulesText(modules));
  view.document({ modules: modules.map(({ origin, hash }) => ({ source: origin, hash })) });
  return exitCodes.ok;
}

const simulatorChoice = {
  name: "simulator",
  about: "none of them yet, a simulator to try vmform with",
};

async function askFirst(shell: Shell, run: Run, flags: InitFlags): Promise<ExitCode> {
  const { view, environment } = run;
  const asker = createAsker(shell, view, "Nothing was written.");
  const chosen = await askProviders(asker, view);
  if (chosen.length > 0) {
    const given = givenAnswers(environment, chosen, givenWords(flags));
    const answers = await askAnswers(asker, environment, chosen, given);
    shell.terminal.write("\n");
    return writeFirst(run, flags, chosen, answers);
  }
  view.say("\nWhich example?");
  const [example] = await asker.choose({
    text: "One, by number or name",
    choices: await listExamples(environment),
    many: false,
    usual: "quickstart",
  });
  shell.terminal.write("\n");
  return runExample(run, { ...flags, ...(example === undefined ? {} : { example }) }, []);
}

/** None for the simulator, which stands alone. */
async function askProviders(asker: Asker, view: View): Promise<readonly string[]> {
  view.say("What is to be managed?");
  for (;;) {
    const chosen = await asker.choose({
      text: "One or several, by number or name",
      choices: [...interfaceChoices(), simulatorChoice],
      many: true,
      usual: simulatorChoice.name,
    });
    if (!chosen.includes(simulatorChoice.name)) return chosen;
    if (chosen.length === 1) return [];
    view.say("  The simulator has all of them in its examples, and stands alone here.");
  }
}

async function writeFirst(
  { view, environment }: Run,
  flags: InitFlags,
  providers: readonly string[],
  answers: ReturnType<typeof givenAnswers>,
): Promise<ExitCode> {
  const { directory } = workspaceOptions(flags);
  const simulator = flags.simulator === true;
  const made = await initCommand(environment, { directory, providers, simulator, answers });
  for (const file of made.files) view.text(`Wrote ${file}.`);
  view.say(`\n${nextLines(made, simulator).join("\n")}`);
  const variables = made.secrets.flatMap((secret) => ("env" in secret ? [secret.env] : []));
  const [first] = made.providers;
  const [variable] = variables;
  view.document({
    provider: first ?? "",
    providers: [...made.providers],
    files: [...made.files],
    ...(variable === undefined ? {} : { password_variable: variable }),
    ...(variables.length === 0 ? {} : { password_variables: variables }),
  });
  return exitCodes.ok;
}

async function runExample(
  { view, environment }: Run,
  flags: InitFlags,
  providers: readonly string[],
): Promise<ExitCode> {
  const { example, simulator, upgrade } = flags;
  const isMore = providers.length > 0 || Object.keys(givenWords(flags)).length > 0;
  if (isMore || simulator === true || upgrade === true) {
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

function modulesText(modules: readonly FetchedModule[]): string {
  if (modules.length === 0) return "Every module and package is here, as it was locked.";
  return modules.map(({ origin, hash }) => `Fetched ${origin}\n  as ${hash}`).join("\n");
}

/** One line each, since a terminal may be narrow. */
function nextLines(
  { providers, sampled, secrets }: Initialized,
  simulator: boolean,
): readonly string[] {
  return [
    ...(sampled.length === 0 ? [] : [sampleText(sampled.length)]),
    ...secrets.map((secret) =>
      "env" in secret
        ? `Put the password into the variable ${secret.env}.`
        : `Put the password into the file ${secret.file}.`,
    ),
    simulator || sampled.length > 0
      ? "Next: vmform doctor, then vmform plan."
      : "Next: vmform doctor, then vmform adopt for what is there already.",
    ...providers.map((provider) => `Settings: vmform explain ${provider}`),
  ];
}

function sampleText(count: number): string {
  return count === 1
    ? "Set the url in it to that of your endpoint."
    : "Set the urls in it to those of your endpoints.";
}
