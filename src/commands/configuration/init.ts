/** `vmform init`: a first configuration, into a folder that has none. Overwrites nothing. */

import { closestName } from "../../lib/text.ts";
import { CommandError, type CommandFiles } from "../environment.ts";
import { schemaLine } from "./example.ts";
import { type FirstConfiguration, firstConfigurations } from "./first-configurations.ts";
import { type NewFile, passwordFile, writeNewFolder } from "./new-folder.ts";

export type InitOptions = {
  readonly directory: string;
  readonly provider: string | undefined;
  /** With an embedded simulator, to try without an endpoint. */
  readonly simulator: boolean;
};

export type Initialized = {
  readonly provider: string;
  /** Paths, in the order they were written. */
  readonly files: readonly string[];
  /** Environment variable that must hold the password. */
  readonly password: string | undefined;
};

/** Throws `CommandError` before anything is written; the configuration itself is written last. */
export async function initCommand(
  environment: Pick<CommandFiles, "listFolder" | "createFile" | "makeFolder">,
  { directory, provider, simulator }: InitOptions,
): Promise<Initialized> {
  const first = known(provider);
  const files = filesOf(first.name, first.first, simulator);
  const written = await writeNewFolder(environment, directory, files);
  const password = simulator ? undefined : first.first.password;
  return { provider: first.name, files: written, password };
}

function known(provider: string | undefined): {
  readonly name: string;
  readonly first: FirstConfiguration;
} {
  const names = Object.keys(firstConfigurations);
  const all = `There are: ${names.join(", ")}.`;
  if (provider === undefined) {
    throw new CommandError(`For which provider? ${all}`, "Such as: vmform init daemon", "usage");
  }
  const first = Object.hasOwn(firstConfigurations, provider)
    ? firstConfigurations[provider]
    : undefined;
  if (first !== undefined) return { name: provider, first };
  const closest = closestName(provider, names);
  throw new CommandError(
    `There is no provider ${provider}.`,
    closest === undefined ? all : `Did you mean ${closest}?`,
    "usage",
  );
}

function filesOf(
  provider: string,
  first: FirstConfiguration,
  simulator: boolean,
): readonly NewFile[] {
  const main = { path: "main.vmform.yaml", text: mainText(provider, first, simulator) };
  if (!simulator) return [main];
  const about = "# What the simulator begins with; it keeps what becomes of it in .vmform.";
  const world = { path: "world.yaml", text: `${[about, ...first.world].join("\n")}\n` };
  const password = { path: passwordFile, text: "secret\n" };
  return first.password === undefined ? [world, main] : [world, password, main];
}

function mainText(provider: string, first: FirstConfiguration, simulator: boolean): string {
  const { about, settings, password, resources } = first;
  const secret =
    password === undefined
      ? []
      : [`password: { ${simulator ? `file: ./${passwordFile}` : `env: ${password}`} }`];
  const lines = [
    "# yaml-language-server: $schema=./vmform.schema.json",
    schemaLine,
    "",
    `# ${about}`,
    "#",
    "#   vmform plan    shows what would be done",
    "#   vmform apply   does it",
    "",
    "vmform:",
    '  required_version: ">=0.1"',
    ...(simulator
      ? ["  # Requests go to an embedded simulator instead of the url below.", `  ${worldLine}`]
      : []),
    "",
    "providers:",
    `  ${provider}:`,
    ...[...settings, ...secret].map((line) => `    ${line}`),
    "",
    "resources:",
    ...resources.map((line) => `  ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

const worldLine = "simulator: { world: ./world.yaml }";
