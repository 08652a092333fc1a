/**
 * Provider packages that a configuration names join the environment of a command: their types,
 * their settings and their sessions. What is wrong with one is told with the configuration.
 */

import { namedPackages, type PackageProblem } from "../config/load-packages.ts";
import type { LoadedPackage } from "../model/provider/package.ts";
import type { CommandEnvironment } from "./environment.ts";
import { configurationFiles } from "./reading.ts";

/** With the packages that the configuration of a folder names. Does not throw for what they do. */
export async function withPackages(
  environment: CommandEnvironment,
  directory: string,
): Promise<CommandEnvironment> {
  const files = await configurationFiles(environment, directory).catch(() => []);
  const { wanted, problems: unread } = namedPackages(files);
  if (wanted.length === 0 && unread.length === 0) return environment;
  const loader = environment.packageLoader(directory);
  const problems: PackageProblem[] = [...unread];
  const loaded: LoadedPackage[] = [];
  for (const { provider, source, place } of wanted) {
    const told = (detail: string, fix: string): void => void problems.push({ detail, fix, place });
    if (Object.hasOwn(environment.providerSettings, provider)) {
      told(`${provider} is a provider of vmform itself.`, "Leave package out, or rename it.");
      continue;
    }
    const outcome = await loader.load(source);
    if (!outcome.ok) told(outcome.detail, outcome.fix);
    else if (outcome.package.name === provider) loaded.push(outcome.package);
    else {
      const { label, name } = outcome.package;
      told(`${label} is the provider ${name}, and not ${provider}.`, `Call it ${name}.`);
    }
  }
  return joined(environment, loaded, problems);
}

function joined(
  environment: CommandEnvironment,
  loaded: readonly LoadedPackage[],
  problems: readonly PackageProblem[],
): CommandEnvironment {
  const named = <T extends { readonly name: string }>(items: readonly T[]) =>
    Object.fromEntries(items.map((item) => [item.name, item]));
  const settings = loaded.map(({ name, settingsSchema }) => [name, settingsSchema] as const);
  return {
    ...environment,
    types: { ...environment.types, ...named(loaded.flatMap(({ types }) => types)) },
    dataTypes: { ...environment.dataTypes, ...named(loaded.flatMap(({ dataTypes }) => dataTypes)) },
    providerSettings: { ...environment.providerSettings, ...Object.fromEntries(settings) },
    packages: {
      labels: Object.fromEntries(loaded.map(({ name, label }) => [name, label])),
      problems,
    },
    openProviders: (simulator, folder, behind) =>
      environment.openProviders(simulator, folder, behind, loaded),
    openTestWorld: (source) => environment.openTestWorld(source, loaded),
  };
}
