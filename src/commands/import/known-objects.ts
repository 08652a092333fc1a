/** What configuration and recorded state know already: nothing of it is written again. */

import type { Configuration } from "../../config/load.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { currentByAddress } from "../../model/recorded/current.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import { type Attributes, isKnown } from "../../model/value/value.ts";
import { parsedIdentity } from "../../plan/before/imports.ts";
import { type WantedObject, wantedObjects } from "../../plan/before/wanted.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import { shownOf } from "./describe.ts";
import type { Target } from "./references.ts";
import type { Holder } from "./search.ts";

export type KnownObjects = {
  readonly recorded: ReadonlySet<string>;
  readonly declared: ReadonlyMap<string, Address>;
  /** Recorded and declared objects of every type, which may hold content. */
  readonly holders: readonly Holder[];
  /** Declared attached objects, found by what they are looked up by. */
  readonly lookedUp: readonly WantedObject[];
};

export function knownObjects(
  environment: WorkspaceEnvironment,
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
  // An entry says more than what a resource is looked up by, which may mean several objects.
  const instances = new Map(desired.instances.map((instance) => [instance.address, instance]));
  const imported = desired.imports.flatMap(({ to, id }) => {
    const instance = instances.get(to);
    if (instance === undefined) return [];
    const { type: name, provider } = instance;
    return [
      { to, type: name, provider, identity: parsedIdentity(environment.types[name], id) ?? id },
    ];
  });
  for (const { to, type: name, provider, identity } of imported) {
    if (name === type.name) declared.set(objectKey(provider, identity), to);
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
    ...imported,
    ...wanted.flatMap(({ instance: { type: name, provider }, identity }) =>
      identity === undefined ? [] : [{ type: name, provider, identity }],
    ),
  ];
  return { recorded, declared, holders, lookedUp };
}

/** Content is looked for in what is known: where that is nothing, nothing can be said of it. */
export function refuseWithoutContainers(
  { name, container }: ResourceType,
  holders: readonly Holder[],
): void {
  if (container === undefined || holders.length > 0) return;
  throw new CommandError(
    `${name} is content of a ${container.type}, and none is recorded or declared: there is ` +
      "nowhere to look.",
    `Begin with: vmform import --all ${container.type},${name}`,
  );
}

export function objectKey(provider: string, identity: string): string {
  return `${provider}\0${identity}`;
}

/** Objects that have an address: a reference to it says more than its id. */
export function targetsIn(
  { types }: Pick<WorkspaceEnvironment, "types">,
  desired: Configuration,
  state: RecordedState,
): readonly Target[] {
  const found = currentByAddress(state.objects);
  const wanted = wantedObjects(desired.instances, types, new Map(), found);
  return [...wanted.values()].flatMap(({ instance, identity, attributes }) => {
    const { address, type: name, provider } = instance;
    const type = types[name];
    if (identity === undefined || type === undefined) return [];
    const known: Attributes = Object.fromEntries(
      Object.entries(attributes).flatMap(([one, value]) => (isKnown(value) ? [[one, value]] : [])),
    );
    const recorded = found.get(address)?.attributes ?? {};
    const all = shownOf(type, { ...known, ...recorded });
    return [{ address, type: name, provider, identity, attributes: all }];
  });
}

/** Names that mean something already, in the configuration or in recorded state, by type. */
export function takenNames(
  desired: Configuration,
  state: RecordedState,
): ReadonlyMap<string, ReadonlySet<string>> {
  const addresses = [
    ...desired.declared.map(({ address }) => address),
    ...desired.instances.map(({ address }) => address),
    ...desired.moved.flatMap(({ from, to }) => [from, to]),
    ...desired.removed.map(({ from }) => from),
    ...state.objects.map(({ address }) => address),
  ];
  const taken = new Map<string, Set<string>>();
  for (const address of addresses) {
    const parts = parseAddress(address);
    if (parts === undefined) continue;
    const names = taken.get(parts.type) ?? new Set();
    taken.set(parts.type, names.add(parts.name));
  }
  return taken;
}
