/**
 * `vmform plan --generate-config-out`: configuration for entries of `imports` that have none, made
 * of what is read of their objects. Reads only; writes a new file of the configuration, or nothing.
 */

import { dirname, resolve } from "node:path";
import type { Configuration } from "../../config/load.ts";
import type { UndeclaredImport } from "../../config/objects/imports.ts";
import { closestName } from "../../lib/text.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type Address, parseAddress, resourceOf } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import { parsedIdentity } from "../../plan/before/imports.ts";
import { problem } from "../codes.ts";
import { CommandError, DiagnosticError, type WorkspaceEnvironment } from "../environment.ts";
import { importsToGenerate, isConfigurationFile, type WorkspaceOptions } from "../reading.ts";
import { type Workspace, withWorkspace } from "../workspace.ts";
import { type DescribedObject, describe } from "./describe.ts";
import {
  type GeneratedConfiguration,
  linkedTo,
  type NamedGroup,
  targetsOf,
  writeGroups,
} from "./generated-configuration.ts";
import { type AddressedObject, givenGroups, keysProblem } from "./given-groups.ts";
import { inNamingOrder } from "./importable-types.ts";
import { targetsIn } from "./known-objects.ts";
import { newFile } from "./new-file.ts";
import { isReachable } from "./references.ts";
import { endpointsOf } from "./search.ts";

export type GenerateOptions = WorkspaceOptions & {
  /** A file of the configuration that is not there yet. */
  readonly out: string;
};

export type GeneratedImports = Pick<GeneratedConfiguration, "resources" | "variables">;

/** Throws `CommandError` or `DiagnosticError`; nothing is written then. */
export async function generateImportsCommand(
  environment: WorkspaceEnvironment,
  options: GenerateOptions,
): Promise<GeneratedImports> {
  const { out, directory } = options;
  if (!isConfigurationFile(out) || resolve(dirname(out)) !== resolve(directory)) {
    throw new CommandError(
      `What is generated has to be planned, and ${out} would not be read.`,
      "Name a new file of the configuration, such as generated.vmform.yaml, beside the others.",
      "usage",
    );
  }
  await newFile(environment, out);
  const needs = { read: importsToGenerate, access: "read" } as const;
  return withWorkspace(environment, options, needs, (workspace) => generateIn(workspace, out));
}

async function generateIn(
  workspace: Workspace<Configuration>,
  out: string,
): Promise<GeneratedImports> {
  const { environment, configured: desired } = workspace;
  if (desired.undeclared.length === 0) return { resources: [], variables: [] };
  const entries = settled(desired.undeclared.map((entry) => entryOf(environment, desired, entry)));
  settled(entries.map((entry) => keysOf(entry, entries)));
  const { state } = await workspace.recorded();
  const described = await environment.interrupts.untilInterrupted(() =>
    readEntries(workspace, entries),
  );
  const targets = targetsIn(environment, desired, state).filter(isReachable);
  const groups: NamedGroup[] = [];
  for (const type of inNamingOrder([...new Set(entries.map((entry) => entry.type))])) {
    const own = described.flatMap(({ address, object }): readonly AddressedObject[] =>
      object.type === type
        ? [{ address, object: linkedTo(object, targets, environment.types) }]
        : [],
    );
    const made = givenGroups(own);
    groups.push(...made);
    targets.push(...made.flatMap(targetsOf));
  }
  const takenVariables = new Set(desired.variables);
  const written = writeGroups(groups, { imports: false, takenVariables });
  await environment.createFile(out, written.text);
  return written;
}

type Entry = UndeclaredImport & {
  readonly type: ResourceType;
  readonly identity: string;
  readonly endpoint: { readonly name: string; readonly settings: Value };
};

/** All problems at once. */
function settled<T extends object>(results: readonly (T | Diagnostic)[]): readonly T[] {
  const problems = results.filter(isProblem);
  if (problems.length > 0) throw new DiagnosticError(problems);
  return results.filter((one): one is T => !isProblem(one));
}

function isProblem(one: object): one is Diagnostic {
  return "severity" in one;
}

function refusal(
  { to, source }: Pick<UndeclaredImport, "to" | "source">,
  detail: string,
  fix: string,
): Diagnostic {
  return problem({ address: to, source }, "CLI027", { detail, fix });
}

function entryOf(
  environment: WorkspaceEnvironment,
  desired: Configuration,
  entry: UndeclaredImport,
): Entry | Diagnostic {
  const { to, id } = entry;
  const parts = parseAddress(to);
  if (parts === undefined || parts.modules.length > 0) {
    return refusal(
      entry,
      `${to} is within a module, whose files may be used elsewhere as well.`,
      "Declare the resource in the module, or import the object to an address of the root module.",
    );
  }
  const { types } = environment;
  const type = Object.hasOwn(types, parts.type) ? types[parts.type] : undefined;
  if (type === undefined) {
    const closest = closestName(parts.type, Object.keys(types));
    const fix = closest === undefined ? "Correct the address." : `Did you mean ${closest}?`;
    return refusal(entry, `There is no resource type ${parts.type}.`, fix);
  }
  const identity = parsedIdentity(type, id);
  if (identity === undefined) {
    const fix = `The page of ${type.name} says what it calls an object.`;
    return refusal(entry, `${JSON.stringify(id)} is no id of an object such as ${to}.`, fix);
  }
  const endpoint = endpointFor(environment, desired, entry, type);
  return "severity" in endpoint ? endpoint : { ...entry, type, identity, endpoint };
}

/** The one that the entry names; else the one there is. */
function endpointFor(
  environment: WorkspaceEnvironment,
  desired: Configuration,
  entry: UndeclaredImport,
  type: ResourceType,
): Entry["endpoint"] | Diagnostic {
  const all = endpointsOf(environment, desired, type);
  const named = entry.provider ?? type.name.split("_", 1)[0];
  const found = all.find(({ name }) => name === named);
  const [only] = all;
  if (found !== undefined) return found;
  if (entry.provider === undefined && only !== undefined && all.length === 1) return only;
  const names = all.map(({ name }) => name).join(", ");
  return refusal(
    entry,
    entry.provider === undefined
      ? `Several providers could have ${entry.id}: ${names}.`
      : `There is no provider ${entry.provider} that could have ${entry.id}.`,
    `Name one of them in the entry: provider: ${only?.name ?? "NAME"}`,
  );
}

function keysOf(entry: Entry, all: readonly Entry[]): Entry | Diagnostic {
  const resource = resourceOf(entry.to);
  const addresses = all.flatMap(({ to }) => (resourceOf(to) === resource ? [to] : []));
  const detail = keysProblem(addresses);
  if (detail !== undefined) {
    const fix = `Give each a text as its key, such as ${resource}["web"].`;
    return refusal(entry, detail, fix);
  }
  const isTwice = addresses.filter((address) => address === entry.to).length > 1;
  if (isTwice) {
    return refusal(entry, `Two objects are imported to ${entry.to}.`, "Keep one of the entries.");
  }
  const others = all.filter(
    ({ type, endpoint, to }) =>
      resourceOf(to) === resource && (type !== entry.type || endpoint.name !== entry.endpoint.name),
  );
  if (others.length === 0) return entry;
  const fix = "Give the objects of one provider a resource of their own.";
  return refusal(entry, `The instances of ${resource} are at several providers.`, fix);
}

type DescribedEntry = { readonly address: Address; readonly object: DescribedObject };

async function readEntries(
  workspace: Workspace<Configuration>,
  entries: readonly Entry[],
): Promise<readonly DescribedEntry[]> {
  const { environment } = workspace;
  const { sessions } = await workspace.connect();
  const what = "reading what is imported";
  const observations = new Map<Entry, Observation>();
  await whileWaiting(environment.events, { rank: "phase", what }, async () => {
    for (const name of new Set(entries.map(({ endpoint }) => endpoint.name))) {
      const own = entries.filter(({ endpoint }) => endpoint.name === name);
      const settings = own[0]?.endpoint.settings ?? null;
      const read = await orFailed(own, async () => {
        const session = await sessions.get(name, settings);
        return session.read(
          own.map(({ to, type, identity }) => ({
            ...{ address: to, type: type.name, identity },
            attributes: [],
          })),
        );
      });
      own.forEach((entry, index) => {
        const one = read[index];
        if (one !== undefined) observations.set(entry, one);
      });
    }
  });
  return settled(entries.map((entry) => describeEntry(entry, observations.get(entry))));
}

/** An endpoint that cannot be asked is told of each of its entries. */
async function orFailed(
  entries: readonly Entry[],
  work: () => Promise<readonly Observation[]>,
): Promise<readonly Observation[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const reason = error.message;
    return entries.map(() => ({ status: "unreadable", rule: "failed", reason }));
  }
}

function describeEntry(
  entry: Entry,
  observation: Observation = { status: "unreadable", rule: "failed", reason: "nothing was said" },
): DescribedEntry | Diagnostic {
  const { to, id, type, identity, endpoint } = entry;
  if (observation.status === "missing") {
    const detail = `There is no ${id}: ${observation.proof}.`;
    return refusal(entry, detail, "Correct the id, or remove the entry.");
  }
  const own = observation.status === "found" ? observation.identity : identity;
  const told = describe({ type, provider: endpoint.name, identity: own, observation });
  if (told.ok) return { address: to, object: told.object };
  const detail = `The ${type.name} ${id} cannot be described: ${told.reason}.`;
  return refusal(entry, detail, "Try again when it can be read, or declare the resource by hand.");
}
