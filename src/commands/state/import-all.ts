/**
 * `vmform import --all`: configuration for every object of a type that nobody manages. Reads only;
 * what it writes is a file to look through, and the next apply records what it says.
 */

import { basename, dirname } from "node:path";
import type { Configuration } from "../../config/load.ts";
import { lookWith } from "../../engine/look/look.ts";
import type { Sessions } from "../../engine/sessions.ts";
import { closestName } from "../../lib/text.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { type Address, formatAddress, parseAddress } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import { otherObject } from "../../plan/before/lookup.ts";
import { type WantedObject, wantedObjects } from "../../plan/before/wanted.ts";
import { type CommandEnvironment, CommandError } from "../environment.ts";
import { soundConfiguration, type WorkspaceOptions } from "../reading.ts";
import { type Workspace, withWorkspace } from "../workspace.ts";
import { listOf } from "./drift-unmanaged.ts";
import {
  type FoundObject,
  type GeneratedConfiguration,
  generateConfiguration,
} from "./generated-configuration.ts";

export type ImportAllOptions = WorkspaceOptions & {
  readonly type: string;
  /** A file that is not there yet; without it nothing is written. */
  readonly out: string | undefined;
};

export type ImportedAll = GeneratedConfiguration & {
  /** Objects the configuration declares already; what is missing is their import. */
  readonly declared: readonly { readonly address: Address; readonly identity: string }[];
};

export async function importAllCommand(
  environment: CommandEnvironment,
  options: ImportAllOptions,
): Promise<ImportedAll> {
  const type = typeNamed(environment, options.type);
  const needs = { read: soundConfiguration, access: "read" } as const;
  return withWorkspace(environment, options, needs, (workspace) =>
    importAllIn(workspace, type, options.out),
  );
}

async function importAllIn(
  workspace: Workspace<Configuration>,
  type: ResourceType,
  out: string | undefined,
): Promise<ImportedAll> {
  const { environment, configured: desired } = workspace;
  if (out !== undefined) await refuseExisting(environment, out);
  const { state } = await workspace.recorded();
  const { sessions } = await workspace.connect();
  const known = knownObjects(environment, desired, state, type);
  refuseWithoutContainers(type, known);
  // All of them are listed, and then read.
  const look = lookWith(sessions, () => Number.POSITIVE_INFINITY);
  const what = `listing and reading objects of type ${type.name}`;
  const searched = () =>
    whileWaiting(environment.events, { rank: "phase", what }, () =>
      search(environment, look, desired, type, known),
    );
  try {
    const { objects, declared } = await environment.interrupts.untilInterrupted(searched);
    const generated = generateConfiguration(type, objects, takenNames(desired, state, type));
    if (out !== undefined && generated.text !== "") {
      await environment.createFile(out, generated.text);
    }
    return { ...generated, declared };
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    throw new CommandError(`Objects of type ${type.name} cannot be listed: ${error.message}.`);
  }
}

function typeNamed(environment: CommandEnvironment, name: string): ResourceType {
  const { types } = environment;
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined) {
    const closest = closestName(name, Object.keys(types));
    const all = `The types are ${Object.keys(types).join(", ")}.`;
    throw new CommandError(
      `There is no resource type ${name}.`,
      closest === undefined ? all : `Did you mean ${closest}?`,
    );
  }
  if (type.container === undefined || type.container.listed === true) return type;
  throw new CommandError(
    `Objects of type ${name} cannot be listed: they are content of a ${type.container.type}.`,
    "Declare each, and import it with: vmform import ADDRESS ID",
  );
}

async function refuseExisting(environment: CommandEnvironment, path: string): Promise<void> {
  const names = await environment.listFolder(dirname(path));
  if (!names.includes(basename(path))) return;
  throw new CommandError(`${path} is there already.`, "Give the name of a new file.", "file");
}

type KnownObjects = {
  readonly recorded: ReadonlySet<string>;
  readonly declared: ReadonlyMap<string, Address>;
  /** Recorded and declared objects that hold content of the type, by provider and identity. */
  readonly containers: ReadonlySet<string>;
  /** Declared attached objects, found by what they are looked up by. */
  readonly lookedUp: readonly WantedObject[];
};

function knownObjects(
  environment: CommandEnvironment,
  desired: Configuration,
  state: RecordedState,
  type: ResourceType,
): KnownObjects {
  const own = state.objects.filter((object) => object.type === type.name);
  const declared = new Map<string, Address>();
  const wanted = [...wantedObjects(desired.instances, environment.types).values()];
  for (const { instance, identity } of wanted) {
    if (instance.type !== type.name || identity === undefined) continue;
    declared.set(objectKey(instance.provider, identity), instance.address);
  }
  const recorded = new Set(own.map(({ provider, identity }) => objectKey(provider, identity)));
  const addresses = new Set(own.map(({ address }) => address));
  const lookedUp = wanted.filter(
    ({ instance, attributes }) =>
      type.ownership === "attached" &&
      instance.type === type.name &&
      !addresses.has(instance.address) &&
      Object.values(type.schema.attributes).some(
        ({ name, lookup }) => lookup && typeof attributes[name] === "string",
      ),
  );
  const holders = [
    ...state.objects,
    ...wanted.flatMap(({ instance: { type: name, provider }, identity }) =>
      identity === undefined ? [] : [{ type: name, provider, identity }],
    ),
  ].filter((holder) => holder.type === type.container?.type);
  const containers = new Set(
    holders.map(({ provider, identity }) => objectKey(provider, identity)),
  );
  return { recorded, declared, containers, lookedUp };
}

/** Content is looked for in what is known: where that is nothing, nothing can be said of it. */
function refuseWithoutContainers({ name, container }: ResourceType, known: KnownObjects): void {
  if (container === undefined || known.containers.size > 0) return;
  throw new CommandError(
    `${name} is content of a ${container.type}, and none is recorded or declared: there is ` +
      "nowhere to look.",
    `Begin with: vmform import --all ${container.type}`,
  );
}

function objectKey(provider: string, identity: string): string {
  return `${provider}\0${identity}`;
}

type Searched = {
  readonly objects: readonly FoundObject[];
  readonly declared: ImportedAll["declared"];
};

/** Lists each endpoint of the type, and reads at once what nobody manages. */
async function search(
  environment: CommandEnvironment,
  sessions: Sessions,
  desired: Configuration,
  type: ResourceType,
  known: KnownObjects,
): Promise<Searched> {
  const objects: FoundObject[] = [];
  const declared: { address: Address; identity: string }[] = [];
  for (const { name: provider, settings } of endpointsOf(environment, desired, type)) {
    const session = await sessions.get(provider, settings);
    if (session.list === undefined) {
      throw new CommandError(`The provider ${provider} cannot list its objects.`);
    }
    const fresh: string[] = [];
    const within = [...known.containers].flatMap((container) => {
      const [at, identity = ""] = container.split("\0");
      return at === provider ? [identity] : [];
    });
    for (const { identity, name } of await listOf(session, type, within)) {
      const key = objectKey(provider, identity);
      // The configuration may ask by a name for what the server has an id of.
      const address =
        known.declared.get(key) ?? known.declared.get(objectKey(provider, name ?? ""));
      if (known.recorded.has(key)) continue;
      if (address === undefined) fresh.push(identity);
      else declared.push({ address, identity });
    }
    fresh.sort();
    const placeholder = formatAddress({ modules: [], mode: "managed", type: type.name, name: "x" });
    const observations = await session.read(
      fresh.map((identity) => ({
        address: placeholder,
        type: type.name,
        identity,
        attributes: [],
      })),
    );
    fresh.forEach((identity, index) => {
      const observation = observations[index];
      if (observation === undefined) return;
      const meant = meantBy(type, known.lookedUp, provider, observation);
      if (meant === undefined) objects.push({ provider, identity, observation });
      else declared.push({ address: meant, identity });
    });
  }
  return { objects, declared };
}

/** The address that looks this object up. */
function meantBy(
  type: ResourceType,
  lookedUp: readonly WantedObject[],
  provider: string,
  observation: Observation,
): Address | undefined {
  if (observation.status !== "found") return undefined;
  const { attributes: found } = observation;
  return lookedUp.find(
    ({ instance, attributes }) =>
      instance.provider === provider && otherObject(type, attributes, found) === undefined,
  )?.instance.address;
}

/** The configured endpoints of a type's provider; without any, the one of its defaults. */
function endpointsOf(
  environment: CommandEnvironment,
  desired: Configuration,
  type: ResourceType,
): readonly { readonly name: string; readonly settings: Value }[] {
  const base = type.name.split("_", 1)[0] ?? "";
  const configured = desired.providers.filter(({ name }) => name.split(".", 1)[0] === base);
  if (configured.length > 0) return configured;
  const settings: { [name: string]: Value } = {};
  for (const attribute of Object.values(environment.providerSettings[base]?.attributes ?? {})) {
    if (attribute.default !== undefined) settings[attribute.name] = attribute.default;
    else if (attribute.required) {
      throw new CommandError(
        `The provider ${base} is not configured, and it needs ${attribute.name}.`,
        "Add it to the block providers.",
      );
    }
  }
  return [{ name: base, settings }];
}

/** Names that mean something already, in the configuration or in recorded state. */
function takenNames(
  desired: Configuration,
  state: RecordedState,
  type: ResourceType,
): ReadonlySet<string> {
  const addresses = [
    ...desired.instances.map(({ address }) => address),
    ...desired.moved.flatMap(({ from, to }) => [from, to]),
    ...desired.removed.map(({ from }) => from),
    ...state.objects.map(({ address }) => address),
  ];
  return new Set(
    addresses.flatMap((address) => {
      const parts = parseAddress(address);
      return parts?.type === type.name ? [parts.name] : [];
    }),
  );
}
