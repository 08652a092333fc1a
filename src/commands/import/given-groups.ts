/**
 * Groups whose addresses are given: what is imported to instances of one resource is written as
 * that resource, whatever the objects have in common.
 */

import { type Address, parseAddress, resourceOf } from "../../model/value/address.ts";
import type { NamedGroup } from "./generated-configuration.ts";
import type { LinkedObject } from "./groups.ts";
import type { Reference } from "./references.ts";

export type AddressedObject = { readonly address: Address; readonly object: LinkedObject };

/** In the order of their first members. */
export function givenGroups(objects: readonly AddressedObject[]): readonly NamedGroup[] {
  const byResource = new Map<Address, AddressedObject[]>();
  for (const one of objects) {
    const resource = resourceOf(one.address);
    byResource.set(resource, [...(byResource.get(resource) ?? []), one]);
  }
  return [...byResource].map(([resource, members]) => {
    const keyed = members.map((member) => {
      const key = parseAddress(member.address)?.key;
      return key === undefined ? member : { ...member, key: String(key) };
    });
    return { resource, members: keyed.length === 1 ? keyed : evened(keyed) };
  });
}

/** Why these entries cannot be one resource; undefined when they can. */
export function keysProblem(addresses: readonly Address[]): string | undefined {
  const keys = addresses.map((address) => parseAddress(address)?.key);
  if (keys.some((key) => typeof key === "number")) {
    return "Configuration with count is not generated: a position says nothing of the object.";
  }
  const isMixed = keys.some((key) => key === undefined) && keys.length > 1;
  return isMixed
    ? "Several objects are imported to one resource, and not all have a key."
    : undefined;
}

/** Every member has the attributes of all; what refers to different resources stays a literal. */
function evened(members: NamedGroup["members"]): NamedGroup["members"] {
  const names = [...new Set(members.flatMap(({ object }) => Object.keys(object.attributes)))];
  const secrets = [...new Set(members.flatMap(({ object }) => object.secrets))];
  const shared = names.filter((name) =>
    areAlike(members.map(({ object }) => object.references[name])),
  );
  return members.map(({ object, ...member }) => ({
    ...member,
    object: {
      ...object,
      secrets,
      attributes: Object.fromEntries(names.map((name) => [name, object.attributes[name] ?? null])),
      references: Object.fromEntries(
        shared.flatMap((name) => {
          const reference = object.references[name];
          return reference === undefined ? [] : [[name, reference]];
        }),
      ),
    },
  }));
}

function areAlike(references: readonly (Reference | undefined)[]): boolean {
  const [first] = references;
  if (first === undefined) return false;
  return references.every(
    (one) =>
      one !== undefined &&
      one.attribute === first.attribute &&
      resourceOf(one.address) === resourceOf(first.address) &&
      hasKey(one) === hasKey(first),
  );
}

function hasKey({ address }: Reference): boolean {
  return parseAddress(address)?.key !== undefined;
}
