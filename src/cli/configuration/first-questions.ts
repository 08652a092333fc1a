/** What `init` and `adopt` ask a person: which interfaces, where they are, how to log in. */

import type { Command, OptionValues } from "commander";
import {
  type Answers,
  type AnswersByProvider,
  firstOf,
  type GivenWords,
  type Secret,
  settingProblem,
  settingsAsked,
  variableNameProblem,
} from "../../commands/configuration/first-answers.ts";
import { firstConfigurations } from "../../commands/configuration/first-configurations.ts";
import type { ReadingEnvironment } from "../../commands/environment.ts";
import { collect, type FlagsOf } from "../options.ts";
import type { Asker, Choice } from "../terminal/ask/questions.ts";

type EndpointFlags = FlagsOf<typeof addEndpoint<[], {}>>;

/** Options that answer what would be asked. */
export function addEndpoint<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option(
      "--url <url>",
      "address of the endpoint; PROVIDER=URL where there are several",
      collect<string>,
    )
    .option("--user <name>", "whom to log in as; PROVIDER=NAME", collect<string>)
    .option("--org <name>", "organization of the cloud to log in at", collect<string>)
    .option("--password-env <name>", "environment variable with the password", collect<string>)
    .option("--password-file <file>", "file with the password", collect<string>);
}

export function givenWords(flags: EndpointFlags): GivenWords {
  const { url, user, org, passwordEnv, passwordFile } = flags;
  const all = { url, user, org, passwordEnv, passwordFile };
  return Object.fromEntries(Object.entries(all).filter(([, words]) => words !== undefined));
}

/** What can be managed, and what it is. */
export function interfaceChoices(): readonly Choice[] {
  return Object.entries(firstConfigurations).map(([name, { manages }]) => ({
    name,
    about: manages,
  }));
}

/** What is not answered yet is asked, provider by provider. */
export async function askAnswers(
  asker: Asker,
  environment: Pick<ReadingEnvironment, "providerSettings">,
  providers: readonly string[],
  given: AnswersByProvider,
): Promise<AnswersByProvider> {
  const answers: { [provider: string]: Answers } = {};
  for (const provider of providers) {
    answers[provider] = await askOne(asker, environment, provider, given[provider] ?? {});
  }
  return answers;
}

async function askOne(
  asker: Asker,
  environment: Pick<ReadingEnvironment, "providerSettings">,
  provider: string,
  given: Answers,
): Promise<Answers> {
  const first = firstOf(provider);
  const answers: { [name in "url" | "user" | "org"]?: string } = {};
  for (const name of settingsAsked(provider)) {
    const usual = name === "url" && first.usualUrl !== true ? undefined : first.settings[name];
    const shown = usual === undefined ? `, such as ${first.settings[name]}` : "";
    answers[name] =
      given[name] ??
      (await asker.text({
        text: `${questions[name]} of the ${provider}${shown}`,
        usual,
        problem: (text) => settingProblem(environment, provider, name, text),
      }));
  }
  if (first.password === undefined) return answers;
  return { ...answers, secret: given.secret ?? (await askSecret(asker, provider, first.password)) };
}

const questions = { url: "Address", user: "User", org: "Organization" } as const;

/** Where it comes from: what is typed here would stand in a file, and in the scrollback. */
async function askSecret(asker: Asker, provider: string, variable: string): Promise<Secret> {
  const [source] = await asker.choose({
    text: `Where does the password of the ${provider} come from`,
    choices: [
      { name: "variable", about: "an environment variable" },
      { name: "file", about: "a file that holds nothing else" },
    ],
    many: false,
    usual: "variable",
  });
  if (source === "file") {
    return { file: await asker.text({ text: "Path of the file", usual: "./password.txt" }) };
  }
  const env = await asker.text({
    text: "Name of the variable",
    usual: variable,
    problem: variableNameProblem,
  });
  return { env };
}
