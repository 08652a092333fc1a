/**
 * What has to be known of an endpoint before a configuration can name it: as it was answered, or
 * given by options. A password itself is never among it, only where it comes from.
 */

import { checkValue, isJsonSchema, shapeOf, urlMistake } from "../../config/read/form/shape.ts";
import { closestName } from "../../lib/text.ts";
import { CommandError, type ReadingEnvironment } from "../environment.ts";
import {
  type FirstConfiguration,
  type FirstSetting,
  firstConfigurations,
} from "./first-configurations.ts";

export type Secret = { readonly env: string } | { readonly file: string };

/** Of one provider; what is absent was not said. */
export type Answers = { readonly [name in FirstSetting]?: string } & { readonly secret?: Secret };

/** By provider. */
export type AnswersByProvider = { readonly [provider: string]: Answers };

/** Words of options, each `VALUE` or `PROVIDER=VALUE`. */
export type GivenWords = {
  readonly url?: readonly string[];
  readonly user?: readonly string[];
  readonly org?: readonly string[];
  readonly passwordEnv?: readonly string[];
  readonly passwordFile?: readonly string[];
};

type Known = Pick<ReadingEnvironment, "providerSettings">;

/** Throws `CommandError` for a name of no provider that has a first configuration. */
export function firstOf(provider: string): FirstConfiguration {
  const names = Object.keys(firstConfigurations);
  const first = Object.hasOwn(firstConfigurations, provider)
    ? firstConfigurations[provider]
    : undefined;
  if (first !== undefined) return first;
  const closest = closestName(provider, names);
  throw new CommandError(
    `There is no provider ${provider}.`,
    closest === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${closest}?`,
    "usage",
  );
}

/** Names of the settings that a provider is asked for, in order. */
export function settingsAsked(provider: string): readonly FirstSetting[] {
  const { settings } = firstOf(provider);
  return (["url", "user", "org"] as const).filter((name) => settings[name] !== undefined);
}

/** Why it cannot be the value of that setting, as a sentence; undefined when it can. */
export function settingProblem(
  { providerSettings }: Known,
  provider: string,
  name: FirstSetting,
  text: string,
): string | undefined {
  const json = providerSettings[provider]?.json;
  const own = isJsonSchema(json) && isJsonSchema(json.properties) ? json.properties[name] : null;
  if (!isJsonSchema(json) || !isJsonSchema(own)) return undefined;
  const [problem] = checkValue(text, shapeOf(own, json, false));
  if (problem === undefined) return undefined;
  const mistake = name === "url" ? urlMistake(text) : undefined;
  return `The ${name} ${mistake ?? problem}`.replace(/\.?$/, ".");
}

/** Why it is no name of a variable that could hold a password; undefined when it is one. */
export function variableNameProblem(text: string): string | undefined {
  // What is in small letters might be the password itself.
  return /^[A-Z_][A-Z0-9_]*$/.test(text)
    ? undefined
    : "The name of an environment variable is capital letters, digits and _; the password itself " +
        "is written nowhere.";
}

/** What the options say, checked. Throws `CommandError`, which holds nothing that was given. */
export function givenAnswers(
  known: Known,
  providers: readonly string[],
  words: GivenWords,
): AnswersByProvider {
  const answers = new Map<string, Answers>(providers.map((provider) => [provider, {}]));
  const put = (provider: string, more: Answers): void =>
    void answers.set(provider, { ...answers.get(provider), ...more });
  for (const name of ["url", "user", "org"] as const) {
    const able = providers.filter((provider) => settingsAsked(provider).includes(name));
    for (const { provider, text } of assigned(`--${name}`, words[name] ?? [], able)) {
      const problem = settingProblem(known, provider, name, text);
      if (problem !== undefined) throw new CommandError(problem, undefined, "usage");
      put(provider, { [name]: text });
    }
  }
  const able = providers.filter((provider) => firstOf(provider).password !== undefined);
  for (const { provider, text } of assigned("--password-env", words.passwordEnv ?? [], able)) {
    const problem = variableNameProblem(text);
    if (problem !== undefined) throw new CommandError(problem, undefined, "usage");
    put(provider, { secret: { env: text } });
  }
  for (const { provider, text } of assigned("--password-file", words.passwordFile ?? [], able)) {
    if (answers.get(provider)?.secret !== undefined) {
      const problem = `The password of ${provider} comes from a variable or from a file.`;
      throw new CommandError(problem, "Leave out one of the two options.", "usage");
    }
    put(provider, { secret: { file: text } });
  }
  return Object.fromEntries(answers);
}

/** Each word with the provider it is about: the one it names, or the only one that takes it. */
function assigned(
  option: string,
  words: readonly string[],
  able: readonly string[],
): readonly { readonly provider: string; readonly text: string }[] {
  const taken = new Set<string>();
  return words.map((word) => {
    const [, named, rest = ""] = /^([a-z]+)=(.*)$/s.exec(word) ?? [];
    const [only] = able;
    const isNamed = named !== undefined && Object.hasOwn(firstConfigurations, named);
    const provider = isNamed ? named : able.length === 1 ? only : undefined;
    const text = isNamed ? rest : word;
    if (provider === undefined && able.length > 1) {
      const fix = `Such as: ${option} ${able[0]}=VALUE`;
      throw new CommandError(`${option} does not say of which provider.`, fix, "usage");
    }
    if (provider === undefined || !able.includes(provider)) {
      throw new CommandError(`${option} is of no provider that is named here.`, undefined, "usage");
    }
    if (text === "") throw new CommandError(`${option} is empty.`, undefined, "usage");
    if (taken.has(provider)) {
      throw new CommandError(`${option} is given twice of ${provider}.`, undefined, "usage");
    }
    taken.add(provider);
    return { provider, text };
  });
}
