/**
 * What commands read of a configuration: all of it, or no more than they need, so that an error
 * elsewhere does not stop them.
 */

import { join } from "node:path";
import {
  type Configuration,
  type ConfigurationFile,
  type LoadInput,
  loadConfiguration,
} from "../config/load.ts";
import { loadForDestroy } from "../config/load-destroy.ts";
import { loadPolicies } from "../config/load-policies.ts";
import { loadSettings } from "../config/load-settings.ts";
import { missingVariables } from "../config/missing-variables.ts";
import { listWords } from "../config/read/form/spelling.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { Desired, DesiredProvider } from "../model/plan/desired.ts";
import type { PlanMode } from "../model/plan/plan.ts";
import type { DesiredPolicy } from "../model/plan/policy.ts";
import { defaultWorkspace, isWorkspaceName } from "../model/recorded/workspace.ts";
import { hasErrors, type WithDiagnostics } from "../model/said/diagnostic.ts";
import { nowhere } from "../model/said/problem.ts";
import { problem, warning } from "./codes.ts";
import { DiagnosticError, type ReadingEnvironment, type StateSource } from "./environment.ts";

export type WorkspaceOptions = {
  /** Folder of the configuration. */
  readonly directory: string;
  /** `--var NAME=VALUE`, in order. */
  readonly variables: readonly { readonly name: string; readonly text: string }[];
  /** `--var-file` paths, in order. */
  readonly variableFiles: readonly string[];
  /** Absent: the store itself. */
  readonly stateFrom?: StateSource;
};

/** What every reading has: where recorded state is. */
export type Configured = {
  readonly settings: Settings;
  /** Providers with their settings; absent where no more than `settings` was read. */
  readonly providers?: readonly Pick<DesiredProvider, "settings">[];
};

/** Reads what a command needs, with remarks on it. Throws `DiagnosticError` for errors in that. */
export type Reading<C extends Configured> = (
  environment: ReadingEnvironment,
  options: WorkspaceOptions,
) => Promise<WithDiagnostics<C>>;

/** What a plan is made for, and where its state is. */
export type PlannedFor = Desired & Configured & Partial<Configuration>;

/** The whole configuration, without errors. */
export const soundConfiguration: Reading<Configuration> = async (environment, options) =>
  sound(loadConfiguration(await completeInput(environment, options)));

/** The same, where entries of `imports` may name resources that are still to be written. */
export const importsToGenerate: Reading<Configuration> = async (environment, options) => {
  const input = await completeInput(environment, options);
  return sound(loadConfiguration({ ...input, undeclaredImports: "gathered" }));
};

/** The same for commands that read nothing: what waits for that is left out, and told. */
export const knownConfiguration: Reading<Configuration> = async (environment, options) => {
  const { value, diagnostics } = await soundConfiguration(environment, options);
  const { waiting = [] } = value;
  if (waiting.length === 0) return { value, diagnostics };
  const named = waiting.map(({ subject, setting }) => `${setting} of ${subject}`);
  const detail = `It is not known yet: ${listWords([...new Set(named)], "and")}.`;
  return { value, diagnostics: [...diagnostics, warning(nowhere, "CLI028", { detail })] };
};

/** To destroy, no more of the configuration is needed than where recorded state is. */
export function plannedFor(mode: PlanMode): Reading<PlannedFor> {
  if (mode !== "destroy") return soundConfiguration;
  return async (environment, options) =>
    sound(loadForDestroy(await completeInput(environment, options)));
}

/** The block `vmform` alone, for commands that look at recorded state only. */
export const settingsAlone: Reading<Configured> = async (environment, options) => {
  const { directory } = options;
  const files = await readFiles(environment, directory);
  const { settings, diagnostics } = loadSettings(files, {
    directory,
    home: environment.system.home,
    version: environment.version,
    workspace: await workspaceIn(environment, directory),
  });
  return sound({ value: { settings }, diagnostics });
};

/** The whole configuration with what is wrong with it; undefined when that is too much. */
export async function readConfiguration(
  environment: ReadingEnvironment,
  options: WorkspaceOptions,
): Promise<WithDiagnostics<Configuration | undefined>> {
  return loadConfiguration(await readInput(environment, options));
}

/** The same offline, where a variable may get its value later. */
export async function validateConfiguration(
  environment: ReadingEnvironment,
  options: WorkspaceOptions,
): Promise<WithDiagnostics<Configuration | undefined>> {
  const input = await readInput(environment, options);
  return loadConfiguration({ ...input, missingValues: "later" });
}

/** Throws `DiagnosticError` when it has errors. */
function sound<T>({ value, diagnostics }: WithDiagnostics<T | undefined>): WithDiagnostics<T> {
  if (value === undefined || hasErrors(diagnostics)) throw new DiagnosticError(diagnostics);
  return { value, diagnostics };
}

/** The policies of the folder alone. Throws `DiagnosticError` when one cannot be read. */
export async function policiesAlone(
  environment: ReadingEnvironment,
  { directory }: WorkspaceOptions,
): Promise<readonly DesiredPolicy[]> {
  const { value } = sound(
    loadPolicies({
      files: await readFiles(environment, directory),
      policyFiles: await readFiles(environment, directory, isPolicyFile),
      types: environment.types,
      dataTypes: environment.dataTypes,
    }),
  );
  return value;
}

/** Whether a file of that name is read for its policies, and for nothing else. */
export function isPolicyFile(name: string): boolean {
  return /\.vmformpolicy\.ya?ml$/.test(name);
}

/** Whether a file of that name holds tests of the configuration. */
export function isTestFile(name: string): boolean {
  return /\.vmformtest\.ya?ml$/.test(name);
}

/** Whether a file of that name is read as configuration. */
export function isConfigurationFile(name: string): boolean {
  return /\.vmform\.ya?ml$/.test(name);
}

/** With values of missing variables, where a person can be asked for them. */
async function completeInput(
  environment: ReadingEnvironment,
  options: WorkspaceOptions,
): Promise<LoadInput> {
  const input = await readInput(environment, options);
  const { askVariable, interrupts } = environment;
  if (askVariable === undefined) return input;
  const asked: { readonly name: string; readonly text: string }[] = [];
  for (const variable of missingVariables(input)) {
    const text = await interrupts.untilInterrupted(() => askVariable(variable));
    // What is left out is told as where nobody is asked.
    if (text === undefined || text === "") return input;
    asked.push({ name: variable.name, text });
  }
  const { variables } = input;
  return { ...input, variables: { ...variables, cli: [...variables.cli, ...asked] } };
}

async function readInput(
  environment: ReadingEnvironment,
  options: WorkspaceOptions,
): Promise<LoadInput> {
  const files = await readFiles(environment, options.directory);
  const names = await environment.listFolder(options.directory);
  const automatic = names
    .filter(isAutomaticFile)
    .toSorted()
    .map((name) => inFolder(options.directory, name));
  const variableFiles = await Promise.all(
    [...automatic, ...options.variableFiles].map(async (name) => ({
      name,
      bytes: await environment.readFile(name),
    })),
  );
  return {
    files,
    policyFiles: await readFiles(environment, options.directory, isPolicyFile),
    otherNames: files.length > 0 ? [] : names.toSorted(),
    directory: options.directory,
    home: environment.system.home,
    types: environment.types,
    dataTypes: environment.dataTypes,
    providerSettings: environment.providerSettings,
    ...(environment.packages === undefined ? {} : { packages: environment.packages }),
    variables: {
      cli: options.variables,
      files: variableFiles,
      environment: environment.variables,
    },
    version: environment.version,
    workspace: await workspaceIn(environment, options.directory),
    readFile: environment.fileReader(options.directory),
    readFolder: environment.folderReader(options.directory),
    nowMs: environment.clock.now(),
  };
}

/** Throws `DiagnosticError` for a name that is none. */
async function workspaceIn(environment: ReadingEnvironment, directory: string): Promise<string> {
  const selection = await environment.workspace?.(directory);
  if (selection === undefined) return defaultWorkspace;
  const { name, by } = selection;
  if (isWorkspaceName(name)) return name;
  const where = by === "environment" ? "VMFORM_WORKSPACE" : ".vmform/workspace";
  const detail = `${where} names the workspace ${JSON.stringify(name)}.`;
  const fix = "Take it away, or write the name of one: vmform workspace list";
  throw new DiagnosticError([problem(nowhere, "CLI031", { detail, fix })]);
}

/** Values for variables that need not be named on the command line. */
function isAutomaticFile(name: string): boolean {
  return /\.auto\.vars\.ya?ml$/.test(name);
}

function inFolder(directory: string, name: string): string {
  return directory === "." ? name : join(directory, name);
}

/** The files of a folder that are read as configuration. */
export async function configurationFiles(
  environment: ReadingEnvironment,
  directory: string,
): Promise<readonly ConfigurationFile[]> {
  return readFiles(environment, directory);
}

async function readFiles(
  environment: ReadingEnvironment,
  directory: string,
  isRead = isConfigurationFile,
): Promise<readonly ConfigurationFile[]> {
  const names = (await environment.listFolder(directory)).filter(isRead);
  return Promise.all(
    names.toSorted().map(async (name) => ({
      name: inFolder(directory, name),
      bytes: await environment.readFile(join(directory, name)),
    })),
  );
}
