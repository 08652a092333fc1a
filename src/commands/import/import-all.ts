/**
 * `vmform import --all`: configuration for every object that nobody manages. Reads only; what it
 * writes is a file to look through, and the next apply records what it says.
 */

import type { Configuration } from "../../config/load.ts";
import { lookWith } from "../../engine/look/look.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import { completeToRead } from "../plan/complete.ts";
import { soundConfiguration, type WorkspaceOptions } from "../reading.ts";
import { type Workspace, withWorkspace } from "../workspace.ts";
import type { FoundObject } from "./describe.ts";
import { type GeneratedConfiguration, generateConfiguration } from "./generated-configuration.ts";
import { inNamingOrder, typeNamed, typesToImport } from "./importable-types.ts";
import { knownObjects, refuseWithoutContainers, takenNames, targetsIn } from "./known-objects.ts";
import { newFile } from "./new-file.ts";
import { type ObjectFilter, readFilter } from "./object-filter.ts";
import { type Holder, search } from "./search.ts";

export type ImportAllOptions = WorkspaceOptions & {
  /** Names of types; none means all that can be listed of the configured providers. */
  readonly types: readonly string[];
  /** A file that is not there yet; without it nothing is written. */
  readonly out: string | undefined;
  /** An expression that is true of the objects that are meant. */
  readonly filter?: string | undefined;
  /** Objects that differ only in values become one resource with `for_each`. */
  readonly group: boolean;
};

export type ImportedAll = GeneratedConfiguration & {
  readonly types: readonly string[];
  /** Objects the configuration declares already; what is missing is their import. */
  readonly declared: readonly { readonly address: Address; readonly identity: string }[];
  /** Types that could not be listed, where all were asked for. */
  readonly unlisted: readonly { readonly type: string; readonly reason: string }[];
  /** Objects of which the filter was not true. */
  readonly filtered: number;
};

export async function importAllCommand(
  environment: WorkspaceEnvironment,
  options: ImportAllOptions,
): Promise<ImportedAll> {
  const named = options.types.map((name) => typeNamed(environment, name));
  const needs = { read: soundConfiguration, access: "read" } as const;
  return withWorkspace(environment, options, needs, (workspace) =>
    importAllIn(workspace, named, options),
  );
}

async function importAllIn(
  workspace: Workspace<Configuration>,
  named: readonly ResourceType[],
  { out, group, filter: text }: ImportAllOptions,
): Promise<ImportedAll> {
  const { environment, configured } = workspace;
  if (out !== undefined) await newFile(environment, out);
  const types = inNamingOrder(named.length > 0 ? named : typesToImport(environment, configured));
  const filter = text === undefined ? undefined : readFilter(text, types);
  const found = await findObjects(workspace, types, { isNamed: named.length > 0, filter });
  const generated = generatedOf(workspace, found, group);
  if (out !== undefined && generated.text !== "") {
    await environment.createFile(out, generated.text);
  }
  return {
    ...generated,
    skipped: [...found.skipped, ...generated.skipped],
    types: types.map(({ name }) => name),
    declared: found.declared,
    unlisted: found.unlisted,
    filtered: found.filtered,
  };
}

/** What there is of some types, whoever manages it. */
export type FoundObjects = Pick<ImportedAll, "declared" | "unlisted" | "filtered"> & {
  readonly desired: Configuration;
  readonly state: RecordedState;
  /** Those that nobody manages and the filter is true of. */
  readonly objects: readonly FoundObject[];
  /** Of which the filter cannot be told. */
  readonly skipped: GeneratedConfiguration["skipped"];
  readonly counts: readonly TypeCount[];
};

export type TypeCount = {
  readonly type: string;
  /** Neither recorded nor declared, and meant by the filter. */
  readonly unmanaged: number;
  readonly recorded: number;
  readonly declared: number;
};

type Finding = {
  /** Whoever names a type is told by an error that it cannot be listed. */
  readonly isNamed: boolean;
  readonly filter: ObjectFilter | undefined;
};

/** Types stand in the order in which they name each other. Reads only. */
export async function findObjects(
  workspace: Workspace<Configuration>,
  types: readonly ResourceType[],
  { isNamed, filter }: Finding,
): Promise<FoundObjects> {
  const { environment, configured } = workspace;
  const { state } = await workspace.recorded();
  const connection = await workspace.connect();
  const desired = await completeToRead(workspace, connection, state, configured);
  // All of them are listed, and then read.
  const look = lookWith(connection.sessions, () => Number.POSITIVE_INFINITY);
  const objects: FoundObject[] = [];
  const declared: FoundObjects["declared"][number][] = [];
  const skipped: GeneratedConfiguration["skipped"][number][] = [];
  const unlisted: ImportedAll["unlisted"][number][] = [];
  const counts: TypeCount[] = [];
  let filtered = 0;
  for (const type of types) {
    const known = knownObjects(environment, desired, state, type);
    const holders = [...known.holders, ...objects.map(holderOf)].filter(
      (holder) => holder.type === type.container?.type,
    );
    const isWithin = types.some(({ name }) => name === type.container?.type);
    if (isNamed && !isWithin) refuseWithoutContainers(type, holders);
    if (type.container !== undefined && !isWithin && holders.length === 0) {
      const reason = `it is content of a ${type.container.type}, and none is chosen or known`;
      unlisted.push({ type: type.name, reason });
      continue;
    }
    const what = `listing and reading objects of type ${type.name}`;
    const searched = () =>
      whileWaiting(environment.events, { rank: "phase", what }, () =>
        search({ environment, sessions: look, desired, isNamed }, type, known, holders),
      );
    const found = await environment.interrupts.untilInterrupted(() => orReason(searched));
    if (typeof found === "string") {
      if (isNamed) {
        throw new CommandError(`Objects of type ${type.name} cannot be listed: ${found}.`);
      }
      unlisted.push({ type: type.name, reason: found });
      continue;
    }
    declared.push(...found.declared);
    const before = objects.length;
    for (const object of found.objects) {
      const verdict = filter?.(object) ?? { status: "meant" };
      if (verdict.status === "meant") objects.push(object);
      else if (verdict.status === "other") filtered += 1;
      else skipped.push({ type: type.name, identity: object.identity, reason: verdict.why });
    }
    counts.push({
      type: type.name,
      unmanaged: objects.length - before,
      recorded: found.recorded,
      declared: found.declared.length,
    });
  }
  return { desired, state, objects, declared, skipped, unlisted, filtered, counts };
}

/** Configuration for what was found. */
export function generatedOf(
  { environment }: Workspace<Configuration>,
  { objects, desired, state }: FoundObjects,
  group: boolean,
): GeneratedConfiguration {
  return generateConfiguration(objects, {
    types: environment.types,
    taken: takenNames(desired, state),
    takenVariables: new Set(desired.variables),
    targets: targetsIn(environment, desired, state),
    group,
  });
}

function holderOf({ type, provider, identity }: FoundObject): Holder {
  return { type: type.name, provider, identity };
}

async function orReason<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return error.message;
  }
}
