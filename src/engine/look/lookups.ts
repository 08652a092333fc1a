/**
 * Lookups: wanted objects that no record holds. Do they exist already? Owned ones are asked for by
 * the identity made of their keys, attached ones by what the configuration looks them up by.
 */

import type { Desired } from "../../model/plan/desired.ts";
import type { Observation, Wanted } from "../../model/provider/observation.ts";
import type { ResourceType, TypeRegistry } from "../../model/provider/provider.ts";
import { currentByAddress } from "../../model/recorded/current.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import {
  type Attributes,
  equalValues,
  isKnown,
  type PlannedAttributes,
  type Value,
} from "../../model/value/value.ts";
import type { Observations } from "../../plan/before/prior.ts";
import { type FoundObject, type WantedObject, wantedObjects } from "../../plan/before/wanted.ts";
import type { DataAnswers } from "../../plan/input.ts";
import { recordedKey } from "../../plan/keys.ts";
import { objectKeyOf } from "../../state/working.ts";

export type Lookups = ReadonlyMap<Address, Observation>;
export type LookupRequest = { readonly provider: string; readonly wanted: Wanted };

export type LookupContext = {
  readonly types: TypeRegistry;
  readonly recorded: RecordedState;
  readonly desired: Desired;
  readonly answers: DataAnswers;
  /** What was asked before; nothing is asked twice. */
  readonly known: Lookups;
  /** Of recorded objects, as far as they were read. */
  readonly observations: Observations;
};

export function lookupRequests(context: LookupContext): readonly LookupRequest[] {
  const { types, desired, recorded, known } = context;
  const records = currentByAddress(recorded.objects);
  const isAttached = (type: string): boolean => types[type]?.ownership === "attached";
  const open = desired.instances.filter(({ address }) => !known.has(address));
  if (open.length === 0) return [];
  const taken = new Set(recorded.objects.map((object) => object.address));
  const found = foundObjects(context, records);
  const wanted = wantedObjects(desired.instances, types, context.answers, found);
  const requests = open.flatMap((instance) => {
    const { address, type: typeName, provider } = instance;
    const type = types[typeName];
    const object = wanted.get(address);
    if (type === undefined || object === undefined) return [];
    const record = records.get(address);
    const asked = isAttached(typeName)
      ? attachedLookup(context, type, object, record)
      : ownedLookup(context, object, taken.has(address) ? (record ?? "deposed") : undefined);
    if (asked === undefined) return [];
    const attributes = isAttached(typeName) ? configuredNames(object.attributes) : [];
    return [{ provider, wanted: { address, type: typeName, attributes, ...asked } }];
  });
  const pending = requests.filter(({ wanted: { type } }) => isAttached(type));
  const later = dependentsOf(
    desired,
    pending.map((request) => request.wanted.address),
  );
  return requests.filter(({ wanted: { address } }) => !later.has(address));
}

/**
 * What refers to one of these, directly or not. While an attached object is looked up, whatever is
 * made of its attributes may be about to mean another object: it is asked for in the next round.
 */
function dependentsOf(desired: Desired, addresses: readonly Address[]): ReadonlySet<Address> {
  const found = new Set<Address>();
  if (addresses.length === 0) return found;
  const dependents = new Map<Address, Address[]>();
  for (const { address, references } of desired.instances) {
    for (const reference of references) {
      const list = dependents.get(reference.address) ?? [];
      list.push(address);
      dependents.set(reference.address, list);
    }
  }
  const stack = [...addresses];
  for (let address = stack.pop(); address !== undefined; address = stack.pop()) {
    for (const dependent of dependents.get(address) ?? []) {
      if (found.has(dependent)) continue;
      found.add(dependent);
      stack.push(dependent);
    }
  }
  return found;
}

/** What is configured is worth reading: it is compared. */
export function configuredNames(attributes: PlannedAttributes): readonly string[] {
  return Object.entries(attributes).flatMap(([name, value]) => (value === null ? [] : [name]));
}

type Asked = Pick<Wanted, "identity" | "lookup">;

/**
 * Asked where a new object may be made: when nothing is recorded, when the recorded one has another
 * key, and when it is gone but the server may have another under its key.
 */
function ownedLookup(
  { types, observations }: LookupContext,
  { identity, instance }: WantedObject,
  record: RecordedObject | "deposed" | undefined,
): Asked | undefined {
  if (identity === undefined || record === "deposed") return undefined;
  if (record === undefined || identity !== recordedKey(types, record)) return { identity };
  const observed = observations.get(objectKeyOf(instance.address, "current"));
  const other = observed?.status === "missing" && identity !== record.identity;
  return other ? { identity } : undefined;
}

/** Asked when nothing is recorded, when the lookup changed, and when the recorded one is gone. */
function attachedLookup(
  { observations }: LookupContext,
  type: ResourceType,
  { instance, attributes }: WantedObject,
  record: RecordedObject | undefined,
): Asked | undefined {
  const lookup: { [name: string]: Value } = {};
  for (const { name, lookup: finds } of Object.values(type.schema.attributes)) {
    const value = attributes[name] ?? null;
    if (!finds || value === null) continue;
    if (!isKnown(value)) return undefined;
    lookup[name] = value;
  }
  if (Object.keys(lookup).length === 0) {
    // The only one of its kind has nothing to be looked up by.
    const only = record === undefined ? type.identityOf(attributes) : undefined;
    return only === undefined ? undefined : { identity: only };
  }
  if (record === undefined) return { identity: "", lookup };
  const observed = observations.get(objectKeyOf(instance.address, "current"));
  const asks = observed?.status === "missing" || lookupChanged(type, lookup, record.applied);
  return asks ? { identity: "", lookup } : undefined;
}

/** After an import nothing was looked up yet: the id decided. */
function lookupChanged(
  type: ResourceType,
  lookup: Attributes,
  applied: Attributes | null,
): boolean {
  if (applied === null) return false;
  return Object.values(type.schema.attributes).some(
    ({ name, lookup: finds }) => finds && !equalValues(lookup[name] ?? null, applied[name] ?? null),
  );
}

function foundObjects(
  { types, desired, known, observations }: LookupContext,
  records: ReadonlyMap<Address, RecordedObject>,
): ReadonlyMap<Address, FoundObject> {
  const found = new Map<Address, FoundObject>();
  for (const { address, type } of desired.instances) {
    if (types[type]?.ownership !== "attached") continue;
    const record = records.get(address);
    const observation = known.get(address) ?? observations.get(objectKeyOf(address, "current"));
    if (observation?.status === "found") found.set(address, observation);
    else if (record !== undefined) found.set(address, record);
  }
  return found;
}
