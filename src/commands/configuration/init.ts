/** `vmform init`: a first configuration, into a folder that has none. Overwrites nothing. */

import { isAbsolute, normalize } from "node:path";
import { yamlText } from "../../lib/yaml/yaml-text.ts";
import { CommandError, type CommandFiles } from "../environment.ts";
import { escapeText } from "../import/written-resource.ts";
import { schemaLine } from "./example.ts";
import { type Answers, type AnswersByProvider, firstOf, type Secret } from "./first-answers.ts";
import { type FirstConfiguration, firstConfigurations } from "./first-configurations.ts";
import { type NewFile, passwordFile, writeNewFolder } from "./new-folder.ts";

export type InitOptions = {
  readonly directory: string;
  readonly providers: readonly string[];
  /** With an embedded simulator, to try without an endpoint. */
  readonly simulator: boolean;
  /** What is known of the endpoints; what is not, is shown by a sample. */
  readonly answers?: AnswersByProvider;
};

export type Initialized = {
  readonly providers: readonly string[];
  /** Paths, in the order they were written. */
  readonly files: readonly string[];
  /** Of these providers, the address is a sample. */
  readonly sampled: readonly string[];
  /** Where passwords have to be. */
  readonly secrets: readonly Secret[];
};

/** Throws `CommandError` before anything is written; the configuration itself is written last. */
export async function initCommand(
  environment: Pick<CommandFiles, "listFolder" | "createFile" | "makeFolder">,
  { directory, providers, simulator, answers = {} }: InitOptions,
): Promise<Initialized> {
  const names = [...new Set(providers)];
  const all = names.map((name) => endpointOf(name, answers[name] ?? {}));
  if (all.length === 0) throw withoutProvider();
  if (simulator) refuseSimulated(all);
  const [only] = all;
  const files = simulator && only !== undefined ? simulatedFiles(only) : [mainFile(all, simulator)];
  const secretFiles = all.flatMap(({ secret }) => ownFile(secret));
  const written = await writeNewFolder(environment, directory, files, secretFiles);
  return {
    providers: names,
    files: written,
    sampled: simulator ? [] : all.flatMap(({ name, isSample }) => (isSample ? [name] : [])),
    secrets: simulator ? [] : all.flatMap(({ secret }) => secret ?? []),
  };
}

/** A file with a password within the folder, as an ignore file names it. */
function ownFile(secret: Secret | undefined): readonly string[] {
  if (secret === undefined || "env" in secret || isAbsolute(secret.file)) return [];
  const path = normalize(secret.file).replaceAll("\\", "/");
  return /^(?:~|\.\.)(?:\/|$)/.test(path) ? [] : [path];
}

type FirstEndpoint = {
  readonly name: string;
  readonly first: FirstConfiguration;
  readonly settings: FirstConfiguration["settings"];
  readonly secret: Secret | undefined;
  readonly isGiven: boolean;
  readonly isSample: boolean;
};

function endpointOf(name: string, answers: Answers): FirstEndpoint {
  const first = firstOf(name);
  const { secret = first.password === undefined ? undefined : { env: first.password } } = answers;
  const { url, user, org } = { ...first.settings, ...answers };
  const isGiven = answers.url !== undefined;
  return {
    ...{ name, first, secret, isGiven },
    settings: {
      url,
      ...(user === undefined ? {} : { user }),
      ...(org === undefined ? {} : { org }),
    },
    isSample: !isGiven,
  };
}

/** What to write where nobody can be asked. */
export function withoutProvider(): CommandError {
  const names = Object.keys(firstConfigurations).join(", ");
  return new CommandError(
    `For which provider? There are: ${names}.`,
    "Such as: vmform init daemon; with --url, --user and --password-env for your endpoint; or " +
      "vmform init --example quickstart, which needs none",
    "usage",
  );
}

function refuseSimulated(all: readonly FirstEndpoint[]): void {
  if (all.length > 1) {
    throw new CommandError(
      "--simulator takes one provider.",
      "All of them in one world: vmform init --example platform",
      "usage",
    );
  }
  if (!all.some(({ isGiven, name, secret }) => isGiven || isSecretGiven(name, secret))) return;
  const problem = "With --simulator no endpoint is asked.";
  throw new CommandError(problem, "Leave it out, or what is said of the endpoint.", "usage");
}

function isSecretGiven(name: string, secret: Secret | undefined): boolean {
  return secret !== undefined && !("env" in secret && secret.env === firstOf(name).password);
}

function simulatedFiles(endpoint: FirstEndpoint): readonly NewFile[] {
  const { world: lines, password } = endpoint.first;
  const about = "# What the simulator begins with; it keeps what becomes of it in .vmform.";
  const world = { path: "world.yaml", text: `${[about, ...lines].join("\n")}\n` };
  const simulated = { ...endpoint, secret: { file: `./${passwordFile}` } };
  const main = mainFile([password === undefined ? endpoint : simulated], true);
  const secret = { path: passwordFile, text: "secret\n" };
  return password === undefined ? [world, main] : [world, secret, main];
}

function mainFile(all: readonly FirstEndpoint[], simulator: boolean): NewFile {
  const lines = [
    "# yaml-language-server: $schema=./vmform.schema.json",
    schemaLine,
    "",
    ...all.map(({ first, isGiven }) => `# ${isGiven ? `${capital(first.manages)}.` : first.about}`),
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
    ...all.flatMap(providerLines),
    "",
    ...resourceLines(all),
  ];
  return { path: "main.vmform.yaml", text: `${lines.join("\n")}\n` };
}

const worldLine = "simulator: { world: ./world.yaml }";

function providerLines({ name, settings, secret }: FirstEndpoint): readonly string[] {
  const { url, ...rest } = settings;
  const lines = [
    `url: ${JSON.stringify(escapeText(url))}`,
    ...Object.entries(rest).map(([key, text]) => `${key}: ${scalar(text)}`),
    ...(secret === undefined ? [] : [`password: ${secretText(secret)}`]),
  ];
  return [`  ${name}:`, ...lines.map((line) => `    ${line}`)];
}

function secretText(secret: Secret): string {
  return "env" in secret ? `{ env: ${secret.env} }` : `{ file: ${scalar(secret.file)} }`;
}

/** Within braces as well, where a comma or a brace would end it. */
function scalar(text: string): string {
  const escaped = escapeText(text);
  if (/[{}[\],]/.test(escaped)) return JSON.stringify(escaped);
  return yamlText(escaped).trimEnd();
}

/** At an endpoint that is there, nothing may be changed by a sample. */
function resourceLines(all: readonly FirstEndpoint[]): readonly string[] {
  const samples = all.filter(({ isGiven }) => !isGiven).flatMap(({ first }) => first.resources);
  const shown = all.filter(({ isGiven }) => isGiven).flatMap(({ first }) => first.resources);
  const comments = [
    "# What is there already: vmform adopt writes configuration for it. What is to be, such as:",
    ...(samples.length === 0 ? ["# resources:"] : []),
    ...shown.map((line) => `#   ${line}`),
  ];
  return [
    ...(samples.length === 0 ? [] : ["resources:", ...samples.map((line) => `  ${line}`)]),
    ...(shown.length === 0 ? [] : comments),
  ];
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
