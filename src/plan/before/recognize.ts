/**
 * Recognizing recorded objects: is what stands under a recorded identity still that object? Short
 * ids are given again, and mean nothing at another server; what the server knows an object by
 * besides, such as a UUID, tells.
 */

import type { Observation } from "../../model/provider/observation.ts";
import type { ResourceType, TypeRegistry } from "../../model/provider/provider.ts";
import { type Endpoint, endpointText, relateEndpoints } from "../../model/recorded/endpoint.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import { objectKeyOf } from "../../state/working.ts";
import type { Observations } from "./prior.ts";

/** Where each provider of a run speaks to, by its name with alias. */
export type Endpoints = ReadonlyMap<string, Endpoint>;

/** What was read, with every object that is another one told as missing, and so recorded. */
export function recognize(
  types: TypeRegistry,
  objects: readonly RecordedObject[],
  observations: Observations,
  endpoints: Endpoints,
): Observations {
  const recognized = new Map(observations);
  const others = new Set<string>();
  const deny = (record: RecordedObject, proof: string): void => {
    const key = objectKeyOf(record.address, record.objectKey);
    recognized.set(key, { status: "missing", proof, another: true });
    others.add(containerOf(record, record));
  };
  for (const record of objects) {
    const observation = observations.get(objectKeyOf(record.address, record.objectKey));
    const type = types[record.type];
    const told = toldBy(observation);
    if (told === undefined || type === undefined) continue;
    const why = whyAnother(type, record, told, endpoints.get(record.provider));
    if (why !== undefined) deny(record, why);
  }
  // What is in another object is other content, also where nothing can be read of it.
  for (const record of others.size === 0 ? [] : objects) {
    const { container, address, objectKey } = record;
    if (container === undefined || !others.has(containerOf(record, container))) continue;
    if (recognized.get(objectKeyOf(address, objectKey))?.status === "missing") continue;
    deny(record, `${container.identity}, which it is content of, is another object now`);
  }
  return recognized;
}

/** Of a record of work nothing can be read but what the work was done on. */
function toldBy(observation: Observation | undefined): Attributes | undefined {
  if (observation?.status === "found") return observation.attributes;
  return observation?.status === "unreadable" ? observation.knownBy : undefined;
}

function containerOf(
  { provider }: Pick<RecordedObject, "provider">,
  { type, identity }: { readonly type: string; readonly identity: string },
): string {
  return `${provider} ${type} ${identity}`;
}

function whyAnother(
  type: ResourceType,
  record: RecordedObject,
  observed: Attributes,
  present: Endpoint | undefined,
): string | undefined {
  const { identity, endpoint } = record;
  const likeness = likenessOf(type, { ...record.applied, ...record.attributes }, observed);
  if (likeness === "same") return undefined;
  if (likeness !== "unknown") return `${identity} is another object now: ${likeness.difference}`;
  if (endpoint === undefined || present === undefined) return undefined;
  if (relateEndpoints(endpoint, present) !== "other") return undefined;
  return (
    `it was recorded at ${endpointText(endpoint)}; ${identity} at ${endpointText(present)}, ` +
    "which is another server, is another object"
  );
}

/** Whether two readings are of one object, by what the server knows it by besides its identity. */
export type Likeness = "same" | "unknown" | { readonly difference: string };

export function likenessOf(type: ResourceType, known: Attributes, observed: Attributes): Likeness {
  let likeness: Likeness = "unknown";
  for (const group of type.identifiers ?? []) {
    const name = group.find((item) => isText(known[item]) && isText(observed[item]));
    if (name === undefined) continue;
    const [is, was] = [textOf(observed[name]), textOf(known[name])];
    if (is !== was) return { difference: `its ${name} is ${is}, recorded is ${was}` };
    likeness = "same";
  }
  return likeness;
}

/** What of an object's attributes tells it from another one; undefined where nothing does. */
export function knownBy(type: ResourceType, attributes: Attributes): Attributes | undefined {
  const known: { [name: string]: Value } = {};
  for (const name of (type.identifiers ?? []).flat()) {
    const value = attributes[name];
    if (value !== undefined && isText(value)) known[name] = value;
  }
  return Object.keys(known).length === 0 ? undefined : known;
}

function isText(value: Value | undefined): boolean {
  return typeof value === "string" && value !== "";
}

/** UUIDs are written in either case. */
function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}
