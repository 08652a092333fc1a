/** `vmform submit`: a configuration is packed, looked through as a worker will, and handed over. */

import { listWords } from "../../config/read/form/spelling.ts";
import { secretsGiven } from "../../config/variables/secret-variables.ts";
import type { Fleet } from "../../model/fleet/fleet.ts";
import type { Bundle } from "../../model/fleet/submission.ts";
import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import { CommandError, DiagnosticError, type WorkspaceEnvironment } from "../environment.ts";
import {
  configurationFiles,
  settingsAlone,
  validateConfiguration,
  type WorkspaceOptions,
} from "../reading.ts";
import type { FleetPorts } from "./ports.ts";

type Environment = WorkspaceEnvironment & { readonly fleet: FleetPorts };

/** What is done with the database in which recorded state of the configuration is kept. */
export async function withFleet<T>(
  environment: Environment,
  options: WorkspaceOptions,
  work: (fleet: Fleet, settings: PostgresStoreSettings) => Promise<T>,
): Promise<T> {
  const { state } = (await fleetSettings(environment, options)).settings;
  const fleet = await environment.fleet.open(state);
  try {
    return await work(fleet, state);
  } finally {
    await fleet.close();
  }
}

async function fleetSettings(environment: Environment, options: WorkspaceOptions) {
  const { value, diagnostics } = await settingsAlone(environment, options);
  environment.remark(diagnostics);
  const { state, workspace, simulator } = value.settings;
  if (state.kind !== "postgres") {
    throw new CommandError(
      "Workers are asked by the database in which recorded state is kept, and it is in none here.",
      "Name one in vmform.state.postgres; vmform state migrate brings recorded state there.",
    );
  }
  return { settings: { state, workspace, simulator } };
}

/** A configuration that can be handed to a worker. */
export type Packed = {
  readonly bundle: Bundle;
  readonly state: string;
  readonly workspace: string;
  /** Relative to the folder. */
  readonly variableFiles: readonly string[];
};

/** Throws `CommandError`, and `DiagnosticError` for a configuration that has errors. */
export async function packConfiguration(
  environment: Environment,
  options: WorkspaceOptions,
): Promise<Packed> {
  const { settings } = await fleetSettings(environment, options);
  if (settings.simulator !== undefined) {
    throw new CommandError(
      "The embedded simulator keeps its world beside the configuration, where no worker is.",
      "Start one that workers can reach with vmform simulate, and name it in providers.",
    );
  }
  await refuseSecrets(environment, options);
  const variableFiles = await Promise.all(
    options.variableFiles.map((path) => filesWithin(environment, options, path)),
  );
  const bundle = await environment.fleet.pack(options.directory);
  await lookThrough(environment, { ...options, variableFiles }, bundle);
  return { bundle, state: settings.state.name, workspace: settings.workspace, variableFiles };
}

/** What travels is read by whoever may read the database. */
async function refuseSecrets(environment: Environment, options: WorkspaceOptions): Promise<void> {
  const { directory, variables, variableFiles } = options;
  const names = await environment.listFolder(directory);
  const automatic = names.filter((name) => /\.auto\.vars\.ya?ml$/.test(name));
  const paths = [...automatic.map((name) => `${directory}/${name}`), ...variableFiles];
  const files = await Promise.all(
    paths.map(async (name) => ({ name, bytes: await environment.readFile(name) })),
  );
  const declared = await configurationFiles(environment, directory);
  const secret = secretsGiven(declared, { cli: variables, files });
  if (secret.length === 0) return;
  const given = secret.map((name) => `VMFORM_VAR_${name}`);
  throw new CommandError(
    `A sensitive value does not travel to workers: ${listWords(secret, "and")}.`,
    `Give it to the workers, in their environment: ${listWords(given, "and")}`,
  );
}

async function filesWithin(
  environment: Environment,
  { directory }: WorkspaceOptions,
  path: string,
): Promise<string> {
  const inside = await environment.fleet.within(directory, path);
  if (inside !== undefined) return inside;
  throw new CommandError(
    `${path} lies outside of the folder of the configuration, of which nothing travels.`,
    "Put it into the folder, or give its values with --var.",
  );
}

/** As the worker will find it: what lies elsewhere on this machine is not there. */
async function lookThrough(
  environment: Environment,
  options: WorkspaceOptions,
  { bytes }: Bundle,
): Promise<void> {
  const { fleet } = environment;
  await fleet.inTemporaryFolder(async (folder) => {
    await fleet.unpack(bytes, folder);
    const workspace = await environment.workspace?.(options.directory);
    const there: WorkspaceEnvironment = {
      ...environment,
      variables: {},
      ...(workspace === undefined ? {} : { workspace: () => Promise.resolve(workspace) }),
    };
    const variableFiles = options.variableFiles.map((path) => `${folder}/${path}`);
    const reading = { ...options, directory: folder, variableFiles };
    const { diagnostics } = await validateConfiguration(there, reading);
    const told = diagnostics.map((one) => withoutFolder(one, folder));
    if (hasErrors(told)) throw new DiagnosticError(told);
    environment.remark(told);
  });
}

function withoutFolder(diagnostic: Diagnostic, folder: string): Diagnostic {
  const clean = (text: string): string => text.replaceAll(`${folder}/`, "");
  const { detail, fix, source } = diagnostic;
  return {
    ...diagnostic,
    detail: clean(detail),
    ...(fix === undefined ? {} : { fix: clean(fix) }),
    ...(source === undefined ? {} : { source: { ...source, file: clean(source.file) } }),
  };
}
