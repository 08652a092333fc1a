/**
 * Configuration written for objects that exist: resources as they were read, and their imports.
 * `describe.ts` says what of an object may be written, `references.ts` what it names, `groups.ts`
 * what becomes one resource, `written-resource.ts` how one is written.
 */

import { type Remark, type YamlTextOptions, yamlText } from "../../lib/yaml/yaml-text.ts";
import type { ResourceType, TypeRegistry } from "../../model/provider/provider.ts";
import { type Address, formatAddress, parseAddress } from "../../model/value/address.ts";
import { type DescribedObject, describe, type FoundObject } from "./describe.ts";
import { generateNames } from "./generated-names.ts";
import { type Group, groupsOf, type LinkedObject, ungrouped } from "./groups.ts";
import { isReachable, type Reference, referenceOf, type Target } from "./references.ts";
import { escapeText, type Written, writeResource } from "./written-resource.ts";

export type GeneratedResource = {
  readonly address: Address;
  readonly provider: string;
  readonly identity: string;
};

export type SkippedObject = {
  readonly type: string;
  readonly identity: string;
  readonly reason: string;
};

export type GeneratedConfiguration = {
  /** Empty when there is nothing to write. */
  readonly text: string;
  readonly resources: readonly GeneratedResource[];
  readonly skipped: readonly SkippedObject[];
  /** Variables for secrets, which have no value yet. */
  readonly variables: readonly string[];
};

export type Generating = {
  readonly types: TypeRegistry;
  /** Names that mean something already, by type. */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>;
  readonly takenVariables?: ReadonlySet<string>;
  /** Objects that have an address already. */
  readonly targets: readonly Target[];
  /** Objects that differ only in values become one resource. */
  readonly group: boolean;
};

/** A resource with its name, as it will be written. */
export type NamedGroup = {
  readonly resource: Address;
  readonly members: readonly {
    readonly address: Address;
    readonly key?: string;
    readonly object: LinkedObject;
  }[];
};

/** Pure. Objects in the order in which they are to stand. */
export function generateConfiguration(
  objects: readonly FoundObject[],
  generating: Generating,
): GeneratedConfiguration {
  const skipped: SkippedObject[] = [];
  const groups: NamedGroup[] = [];
  const targets = generating.targets.filter(isReachable);
  for (const { type, found } of byType(objects)) {
    const described = found.flatMap((object): readonly DescribedObject[] => {
      const told = describe(object);
      if (told.ok) return [told.object];
      skipped.push({ type: type.name, identity: object.identity, reason: told.reason });
      return [];
    });
    const linked = inOrder(described.map((object) => linkedTo(object, targets, generating.types)));
    const shaped = generating.group ? groupsOf(linked) : ungrouped(linked);
    const named = nameGroups(type, shaped, generating.taken.get(type.name) ?? new Set());
    groups.push(...named);
    targets.push(...named.flatMap(targetsOf));
  }
  return { ...writeGroups(groups, { imports: true, ...generating }), skipped };
}

export type WritingOptions = {
  /** The entries of `imports` are written as well. */
  readonly imports: boolean;
  readonly takenVariables?: ReadonlySet<string>;
};

/** Pure. */
export function writeGroups(
  groups: readonly NamedGroup[],
  { imports, takenVariables = new Set() }: WritingOptions,
): Omit<GeneratedConfiguration, "skipped"> {
  const resources = groups.flatMap(({ members }) =>
    members.map(({ address, object: { provider, identity } }) => ({ address, provider, identity })),
  );
  if (resources.length === 0) return { text: "", resources, variables: [] };
  const variables = new Set(takenVariables);
  const written = groups.map((group) => writeResource(group, variables));
  const declared = written.flatMap(({ variables: own }) => Object.entries(own));
  const document = {
    ...(declared.length === 0 ? {} : { variables: Object.fromEntries(declared) }),
    resources: Object.fromEntries(written.map(({ resource, entry }) => [resource, entry])),
    ...(imports
      ? { imports: resources.map(({ address, identity }) => importOf(address, identity)) }
      : {}),
  };
  const remarks = [...headRemarks(groups), ...written.flatMap(remarksOf)];
  const text = yamlText(document, { remarks, layout });
  return { text, resources, variables: declared.map(([name]) => name) };
}

/** Types in the order in which they are found first. */
function byType(
  objects: readonly FoundObject[],
): readonly { readonly type: ResourceType; readonly found: readonly FoundObject[] }[] {
  const found = new Map<ResourceType, FoundObject[]>();
  for (const object of objects) found.set(object.type, [...(found.get(object.type) ?? []), object]);
  return [...found].map(([type, own]) => ({ type, found: own }));
}

export function linkedTo(
  object: DescribedObject,
  targets: readonly Target[],
  types: TypeRegistry,
): LinkedObject {
  const references: { [attribute: string]: Reference } = {};
  for (const { name, names } of Object.values(object.type.schema.attributes)) {
    if (names === undefined) continue;
    const value = object.attributes[name] ?? null;
    const reference = referenceOf(value, names, object.provider, targets, types);
    if (reference !== undefined) references[name] = reference;
  }
  return { ...object, label: labelWithin(object, references), references };
}

/** Content is called after what it belongs to, where that has a name in the configuration. */
function labelWithin(
  { type, label, identity, attributes }: DescribedObject,
  references: LinkedObject["references"],
): string {
  const parts = parseAddress(references[type.container?.attribute ?? ""]?.address ?? "");
  if (parts === undefined) return label;
  const own = attributes["label"];
  const rest = typeof own === "string" ? own : identity.slice(identity.lastIndexOf("/") + 1);
  const of = String(parts.key ?? parts.name);
  // A time is no name; what is known by it is alone in what holds it.
  return /^\d{4}-\d{2}-\d{2}T/.test(rest) ? of : `${of}/${rest}`;
}

/** `web-10` after `web-9`. */
function inOrder(objects: readonly LinkedObject[]): readonly LinkedObject[] {
  const { compare } = new Intl.Collator("en", { numeric: true });
  return objects.toSorted(
    (a, b) => compare(a.label, b.label) || (a.identity < b.identity ? -1 : 1),
  );
}

function nameGroups(
  type: ResourceType,
  groups: readonly Group[],
  taken: ReadonlySet<string>,
): readonly NamedGroup[] {
  const names = generateNames(
    groups.map(({ label }) => label),
    new Set(taken),
  );
  return groups.map(({ members }, index) => {
    const name = names[index] ?? "";
    const parts = { modules: [], mode: "managed", type: type.name, name } as const;
    return {
      resource: formatAddress(parts),
      members: members.map((member) => {
        const { key } = member;
        return { ...member, address: formatAddress(key === undefined ? parts : { ...parts, key }) };
      }),
    };
  });
}

export function targetsOf({ members }: NamedGroup): readonly Target[] {
  return members.map(({ address, object: { type, provider, identity, read, attributes } }) => ({
    address,
    type: type.name,
    provider,
    identity,
    attributes: { ...read, ...attributes },
  }));
}

/** Rows of a table on one line each, resources apart from each other. */
const layout: NonNullable<YamlTextOptions["layout"]> = ([block, name, attribute, key]) => {
  if (name === undefined) return "apart";
  if (block === "imports" || block === "variables") return "flow";
  if (attribute === undefined) return "apart";
  return attribute === "for_each" && key !== undefined ? "flow" : undefined;
};

function importOf(address: Address, identity: string): { to: string; id: string } {
  return { to: escapeText(address), id: escapeText(identity) };
}

/** What the interface never gives back cannot be seen to be missing. */
function headRemarks(groups: readonly NamedGroup[]): readonly Remark[] {
  const types = new Set(groups.flatMap(({ members }) => members.map(({ object }) => object.type)));
  const texts = [...types].flatMap((type) => {
    const names = Object.values(type.schema.attributes).flatMap((attribute) =>
      attribute.unreadable && !attribute.computed ? [attribute.name] : [],
    );
    return names.length === 0 ? [] : [`Not told of any ${type.name}: ${names.join(", ")}.`];
  });
  return texts.length === 0 ? [] : [{ path: ["resources"], text: texts.join("\n") }];
}

function remarksOf({ resource, remarks }: Written): readonly Remark[] {
  return remarks.length === 0
    ? []
    : [{ path: ["resources", resource], text: remarks.map((one) => `${one}.`).join("\n") }];
}
