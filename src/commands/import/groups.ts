/**
 * Which objects become one resource with `for_each`: those that have the same attributes, and names
 * that begin with the same word. One that stands alone stays a resource of its own.
 */

import { type AddressParts, parseAddress } from "../../model/value/address.ts";
import type { DescribedObject } from "./describe.ts";
import type { Reference } from "./references.ts";

/** An object with what it names: attributes in `references` are literals no more. */
export type LinkedObject = DescribedObject & {
  readonly references: { readonly [attribute: string]: Reference };
};

export type Group = {
  /** What the resource is called after. */
  readonly label: string;
  /** One without a key is a resource of its own. */
  readonly members: readonly { readonly key?: string; readonly object: LinkedObject }[];
};

export function ungrouped(objects: readonly LinkedObject[]): readonly Group[] {
  return objects.map((object) => ({ label: object.label, members: [{ object }] }));
}

/** In the order of their first members. */
export function groupsOf(objects: readonly LinkedObject[]): readonly Group[] {
  const families = new Map<string, LinkedObject[]>();
  for (const object of objects) {
    const alike = familyOf(object);
    const family = families.get(alike) ?? [];
    families.set(alike, family);
    family.push(object);
  }
  return [...families.values()].map((members): Group => {
    const [first] = members;
    if (first === undefined) throw new Error("a family has no members");
    if (members.length === 1) return { label: first.label, members: [{ object: first }] };
    const keys = keysOf(members.map(({ label }) => label));
    return {
      label: wordOf(first.label) ?? first.type.name.split("_").slice(1).join("_"),
      members: members.map((object, index) => ({ key: keys[index] ?? "", object })),
    };
  });
}

/** Objects of one family differ only in values. */
function familyOf({
  type,
  provider,
  label,
  attributes,
  secrets,
  references,
}: LinkedObject): string {
  const resources = Object.entries(references).map(([name, { address, attribute }]) => [
    name,
    resourceText(parseAddress(address)),
    attribute,
  ]);
  const names = Object.keys(attributes).toSorted();
  return JSON.stringify([type.name, provider, wordOf(label), names, secrets, resources]);
}

function resourceText(parts: AddressParts | undefined): string {
  return parts === undefined ? "" : `${parts.type}.${parts.name} ${typeof parts.key}`;
}

/** The first word of a name; none where it is a number or made of random digits. */
function wordOf(label: string): string | undefined {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(label)) return undefined;
  return /^[A-Za-z]+/.exec(label)?.[0];
}

/** One readable key for each label, in order; what all begin with before a `/` says nothing. */
function keysOf(labels: readonly string[]): readonly string[] {
  const prefix = labels[0]?.slice(0, labels[0].indexOf("/") + 1) ?? "";
  const isShared = labels.every((label) => label.startsWith(prefix));
  const taken = new Set<string>();
  return labels.map((label) => {
    const plain = (isShared ? label.slice(prefix.length) : label)
      .replaceAll(/[^A-Za-z0-9_./: -]+/g, "_")
      .trim();
    const base = plain === "" ? "_" : plain;
    let key = base;
    for (let number = 2; taken.has(key); number += 1) key = `${base}_${number}`;
    taken.add(key);
    return key;
  });
}
