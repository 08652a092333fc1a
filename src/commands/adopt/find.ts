/**
 * The first half of `vmform adopt`: whether the endpoints answer, what is there, and configuration
 * for what of it is chosen. Sends session and read calls only; the one file that is written is new.
 */

import { basename, dirname, join, resolve } from "node:path";
import type { Configuration } from "../../config/load.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { Check } from "../../model/provider/check.ts";
import type { Address } from "../../model/value/address.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import {
  type FoundObjects,
  findObjects,
  generatedOf,
  type ImportedAll,
  type TypeCount,
} from "../import/import-all.ts";
import { inNamingOrder, typeNamed, typesToImport } from "../import/importable-types.ts";
import { newFile } from "../import/new-file.ts";
import { type ObjectFilter, readFilter } from "../import/object-filter.ts";
import { isConfigurationFile, soundConfiguration, type WorkspaceOptions } from "../reading.ts";
import { endpointChecks } from "../server/doctor-endpoint.ts";
import { type Workspace, withWorkspace } from "../workspace.ts";

/** What is to be managed; what is absent was not said. */
export type Wanted = {
  /** Names of types. */
  readonly types?: readonly string[] | undefined;
  /** An expression that is true of the objects that are meant. */
  readonly filter?: string | undefined;
};

export type FindOptions = WorkspaceOptions & {
  readonly wanted: Wanted;
  /** A new file of the folder; without it, one is named. */
  readonly out: string | undefined;
  /** Objects that differ only in values become one resource with `for_each`. */
  readonly group: boolean;
  /** Told as soon as they are known. */
  readonly checked: (checks: readonly Check[]) => void;
  readonly counted: (counts: readonly TypeCount[], unlisted: ImportedAll["unlisted"]) => void;
  /** What of it is meant, where somebody can be asked. */
  readonly choose: (counts: readonly TypeCount[], refuse: Refuse) => Promise<Wanted>;
  /** Whether the file may be written; refuses by an error. */
  readonly agree: (objects: number, file: string) => Promise<boolean>;
};

/** Why an expression cannot be the filter of these types. */
export type Refuse = (filter: string, types: readonly string[]) => string | undefined;

/** What an endpoint that cannot be used is left with. */
export type Found =
  | { readonly kind: "unreachable"; readonly checks: readonly Check[] }
  | { readonly kind: "declined"; readonly checks: readonly Check[] }
  | ({
      readonly kind: "found";
      readonly checks: readonly Check[];
      readonly counts: readonly TypeCount[];
      /** Absent where there was nothing to write. */
      readonly file?: string;
      readonly resources: readonly {
        readonly address: Address;
        readonly provider: string;
        readonly identity: string;
      }[];
    } & Pick<ImportedAll, "skipped" | "unlisted" | "filtered" | "variables">);

export async function findToAdopt(
  environment: WorkspaceEnvironment,
  options: FindOptions,
): Promise<Found> {
  const needs = { read: soundConfiguration, access: "read" } as const;
  return withWorkspace(environment, options, needs, (workspace) => findIn(workspace, options));
}

/** Throws `CommandError` for what can be used with no configuration at all. */
export async function requireUsable(
  environment: WorkspaceEnvironment,
  options: Pick<FindOptions, "wanted" | "out" | "directory">,
): Promise<void> {
  const { types = [], filter } = options.wanted;
  for (const name of types) typeNamed(environment, name);
  const meant = types.length > 0 ? types : Object.keys(environment.types);
  filterOf(environment, filter, meant);
  await fileFor(environment, options);
}

async function findIn(workspace: Workspace<Configuration>, options: FindOptions): Promise<Found> {
  const { environment, configured } = workspace;
  const all = inNamingOrder(typesToImport(environment, configured));
  const file = await fileFor(environment, options);
  const { types = [], filter } = options.wanted;
  // A mistake is told before anything is asked.
  filterOf(environment, filter, types.length > 0 ? types : all.map(({ name }) => name));
  const checks = await checkEndpoints(workspace);
  options.checked(checks);
  if (checks.some(({ status }) => status === "failed")) return { kind: "unreachable", checks };
  const find = (wanted: Wanted): Promise<FoundObjects> => {
    const meant = wanted.types ?? [];
    const own = meant.length === 0 ? all : all.filter(({ name }) => meant.includes(name));
    const names = own.map(({ name }) => name);
    const sieve = filterOf(environment, wanted.filter, names);
    return findObjects(workspace, own, { isNamed: false, filter: sieve });
  };
  const first = await find(options.wanted);
  options.counted(first.counts, first.unlisted);
  const chosen = first.objects.length === 0 ? {} : await chooseFrom(environment, first, options);
  const isLess = chosen.filter !== undefined || (chosen.types?.length ?? 0) > 0;
  const found = isLess ? await find({ ...options.wanted, ...chosen }) : first;
  const generated = generatedOf(workspace, found, options.group);
  const { text, resources, skipped, variables } = generated;
  if (text !== "") {
    if (!(await options.agree(resources.length, file))) return { kind: "declined", checks };
    await environment.createFile(file, text);
  }
  return {
    ...{ kind: "found", checks, counts: first.counts, resources, variables },
    ...(text === "" ? {} : { file }),
    skipped: [...found.skipped, ...skipped],
    unlisted: found.unlisted,
    filtered: found.filtered,
  };
}

async function chooseFrom(
  environment: WorkspaceEnvironment,
  { counts }: FoundObjects,
  { choose }: FindOptions,
): Promise<Wanted> {
  const refuse: Refuse = (text, types) => {
    try {
      filterOf(environment, text, types);
      return undefined;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return [error.message, error.fix].filter((part) => part !== undefined).join(" ");
    }
  };
  return choose(
    counts.filter(({ unmanaged }) => unmanaged > 0),
    refuse,
  );
}

function filterOf(
  environment: WorkspaceEnvironment,
  text: string | undefined,
  types: readonly string[],
): ObjectFilter | undefined {
  if (text === undefined) return undefined;
  return readFilter(
    text,
    types.flatMap((name) => environment.types[name] ?? []),
  );
}

/** As `doctor` does. */
async function checkEndpoints(workspace: Workspace<Configuration>): Promise<readonly Check[]> {
  const { environment, configured, simulated } = workspace;
  const { sessions } = await workspace.connect();
  const checks: Check[] = [];
  for (const { name, settings: value } of configured.providers) {
    const what = `checking provider ${name}`;
    const check = () => endpointChecks(environment, sessions, { name, value, simulated });
    const checking = () => whileWaiting(environment.events, { rank: "phase", what }, check);
    checks.push(...(await environment.interrupts.untilInterrupted(checking)));
  }
  return checks;
}

/** What is written has to be read as part of the configuration. */
async function fileFor(
  environment: WorkspaceEnvironment,
  { out, directory }: Pick<FindOptions, "out" | "directory">,
): Promise<string> {
  if (out === undefined) {
    const present = await environment.listFolder(directory);
    for (let number = 1; ; number += 1) {
      const name = `adopted${number === 1 ? "" : `-${number}`}.vmform.yaml`;
      if (!present.includes(name)) return join(directory, name);
    }
  }
  if (!isConfigurationFile(basename(out)) || resolve(dirname(out)) !== resolve(directory)) {
    throw new CommandError(
      `${out} would not be read as part of the configuration.`,
      "Give a file of its folder, whose name ends in .vmform.yaml.",
      "usage",
    );
  }
  await newFile(environment, out);
  return out;
}
