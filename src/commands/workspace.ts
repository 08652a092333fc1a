/** The workspace of a command: configuration, state store and engine ports of one folder. */

import { join } from "node:path";
import type { Settings } from "../config/blocks/settings.ts";
import {
  type Configuration,
  type ConfigurationFile,
  type LoadInput,
  loadConfiguration,
} from "../config/load.ts";
import { loadForDestroy } from "../config/load-destroy.ts";
import { loadSettings } from "../config/load-settings.ts";
import type { EnginePorts } from "../engine/ports.ts";
import { evaluateDeferred } from "../expressions/deferred.ts";
import type { Desired } from "../model/desired.ts";
import { type Diagnostic, hasErrors, type WithDiagnostics } from "../model/diagnostic.ts";
import type { PlanMode } from "../model/plan.ts";
import type { RecordedState } from "../model/recorded.ts";
import { allRules } from "../model/rules.ts";
import { foldAll } from "../state/fold.ts";
import { initialState } from "../state/initial.ts";
import { verifyState } from "../state/integrity.ts";
import {
  type CommandEnvironment,
  CommandError,
  type CommandStore,
  type ProviderAccess,
} from "./environment.ts";

export type WorkspaceOptions = {
  /** Folder of the configuration. */
  readonly directory: string;
  /** `--var NAME=VALUE`, in order. */
  readonly variables: readonly { readonly name: string; readonly text: string }[];
  /** `--var-file` paths, in order. */
  readonly variableFiles: readonly string[];
};

/** Whether a file of that name is read as configuration. */
export function isConfigurationFile(name: string): boolean {
  return /\.vmform\.ya?ml$/.test(name);
}

export async function readConfiguration(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<WithDiagnostics<Configuration | undefined>> {
  return loadConfiguration(await readInput(environment, options));
}

/** What a plan is made for, and where its state is. */
export type PlannedFor = Desired & { readonly settings: Settings };

/** To destroy, no more of the configuration is needed than settings and providers. */
export async function readFor(
  mode: PlanMode,
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<WithDiagnostics<(PlannedFor & Partial<Configuration>) | undefined>> {
  const input = await readInput(environment, options);
  return mode === "destroy" ? loadForDestroy(input) : loadConfiguration(input);
}

async function readInput(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<LoadInput> {
  const files = await readFiles(environment, options.directory);
  const otherNames = files.length > 0 ? [] : await environment.listFolder(options.directory);
  const variableFiles = await Promise.all(
    options.variableFiles.map(async (name) => ({ name, bytes: await environment.readFile(name) })),
  );
  return {
    files,
    otherNames: otherNames.toSorted(),
    directory: options.directory,
    home: environment.system.home,
    types: environment.types,
    dataTypes: environment.dataTypes,
    providerSettings: environment.providerSettings,
    variables: {
      cli: options.variables,
      files: variableFiles,
      environment: environment.variables,
    },
    version: environment.version,
  };
}

/** Settings alone, for commands that look at recorded state only. */
export async function readSettingsOnly(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<WithDiagnostics<Settings>> {
  const { directory } = options;
  const files = await readFiles(environment, directory);
  const { settings, diagnostics } = loadSettings(files, {
    directory,
    home: environment.system.home,
    version: environment.version,
  });
  return { value: settings, diagnostics };
}

/** For commands that cannot go on without: the defaults would lead to another state. */
export async function requireSettings(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<Settings> {
  const { value, diagnostics } = await readSettingsOnly(environment, options);
  const error = diagnostics.find((item) => hasErrors([item]));
  if (error === undefined) return value;
  throw new CommandError(
    `What says where recorded state is kept has an error: ${error.detail}`,
    "See all that is wrong with vmform validate.",
  );
}

async function readFiles(
  environment: CommandEnvironment,
  directory: string,
): Promise<readonly ConfigurationFile[]> {
  const names = (await environment.listFolder(directory)).filter(isConfigurationFile);
  return Promise.all(
    names.toSorted().map(async (name) => ({
      name: directory === "." ? name : join(directory, name),
      bytes: await environment.readFile(join(directory, name)),
    })),
  );
}

export function openStore(environment: CommandEnvironment, settings: Settings): CommandStore {
  return environment.openStore(settings.state.path);
}

/** Snapshot and journal as one state; a state never written is an empty one. */
export async function readRecorded(
  environment: CommandEnvironment,
  store: CommandStore,
  simulated: boolean,
): Promise<{ readonly state: RecordedState; readonly fresh: boolean }> {
  const { snapshot, journal } = await store.read();
  if (snapshot === undefined) {
    const state = initialState(environment.newId(), environment.newId(), simulated);
    return { state, fresh: true };
  }
  const state = foldAll(snapshot, journal);
  const problems = verifyState(state);
  if (problems.length > 0) {
    const list = problems.map((problem) => problem.message).join("; ");
    throw new CommandError(
      `Recorded state at ${store.location} contradicts itself: ${list}.`,
      "Nothing was changed. Go back to its backup, and please report how this came about.",
    );
  }
  return { state, fresh: false };
}

export async function openProviders(
  environment: CommandEnvironment,
  settings: Settings,
  directory: string,
): Promise<ProviderAccess> {
  if (settings.simulator === undefined) return environment.openProviders(undefined, directory);
  const persist = join(directory, ".vmform", "simulator.json");
  return environment.openProviders({ world: settings.simulator.world, persist }, directory);
}

export function enginePorts(
  environment: CommandEnvironment,
  store: CommandStore,
  providers: ProviderAccess,
): EnginePorts {
  return {
    store,
    clock: environment.clock,
    types: environment.types,
    open: providers.open,
    events: environment.events,
    newId: environment.newId,
    evaluate: (deferred, lookup) => {
      const { value, problems } = evaluateDeferred(deferred, lookup);
      return { value, problems: problems.map((problem) => problem.message) };
    },
    rules: allRules,
    requestsSent: providers.requestsSent,
  };
}

/** Either errors that stop the command, or what it works on. */
export type Loaded<T> =
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }
  | { readonly ok: true; readonly value: T; readonly diagnostics: readonly Diagnostic[] };

export function loaded<T>({ value, diagnostics }: WithDiagnostics<T | undefined>): Loaded<T> {
  if (value === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  return { ok: true, value, diagnostics };
}
