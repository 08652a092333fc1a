/** One resource of generated configuration as data that is written as YAML. */

import { nameProblem } from "../../config/read/names.ts";
import { type Address, formatAddress, parseAddress } from "../../model/value/address.ts";
import { equalValues, isList, type Value, type ValueMap } from "../../model/value/value.ts";
import type { NamedGroup } from "./generated-configuration.ts";
import { generateNames } from "./generated-names.ts";
import type { LinkedObject } from "./groups.ts";
import type { Reference } from "./references.ts";

export type Written = {
  readonly resource: Address;
  readonly entry: ValueMap;
  /** Variables that it uses, as the block `variables` declares them. */
  readonly variables: ValueMap;
  readonly remarks: readonly string[];
};

/** Adds the names of new variables to `taken`. */
export function writeResource(group: NamedGroup, taken: Set<string>): Written {
  const { resource, members } = group;
  const [first] = members;
  if (first === undefined) throw new Error(`${resource} is written without an object`);
  const meta = metaOf(first.object);
  const remarks = members.flatMap(({ key, object }) =>
    object.remarks.map((remark) => (key === undefined ? remark : `${key}: ${remark}`)),
  );
  const { entries, variables } = secretsOf(group, first, taken);
  const own = first.key === undefined ? singleEntries(first.object) : groupedEntries(group);
  return { resource, entry: { ...meta, ...own, ...entries }, variables, remarks };
}

function metaOf({ type, provider }: LinkedObject): ValueMap {
  return provider === type.name.split("_", 1)[0] ? {} : { provider };
}

function singleEntries({ attributes, references }: LinkedObject): ValueMap {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const reference = references[name];
      return [name, reference === undefined ? escapeValue(value) : referenceText(reference)];
    }),
  );
}

/** What is the same of all is written once; the rest is what `for_each` holds. */
function groupedEntries({ members }: NamedGroup): ValueMap {
  const values = members.map((): { [name: string]: Value } => ({}));
  const entries: { [name: string]: Value } = {};
  for (const name of Object.keys(members[0]?.object.attributes ?? {})) {
    const common = commonText(members, name);
    if (common !== undefined) {
      entries[name] = common;
      continue;
    }
    entries[name] = variedText(members, name);
    members.forEach(({ object }, index) => {
      const own = values[index];
      if (own !== undefined) own[name] = variedValue(object, name);
    });
  }
  const keys = members.map(({ key = "" }) => escapeText(key));
  const isPlain = values.every((own) => Object.keys(own).length === 0);
  const each = isPlain
    ? keys
    : Object.fromEntries(keys.map((key, index) => [key, values[index] ?? {}]));
  return { for_each: each, ...entries };
}

type Members = NamedGroup["members"];

/** What says the attribute of every member without a value of its own. */
function commonText(members: Members, name: string): Value | undefined {
  const [first] = members;
  if (first === undefined) return undefined;
  const reference = first.object.references[name];
  const isSame = members.every(({ object }) =>
    reference === undefined
      ? equalValues(object.attributes[name] ?? null, first.object.attributes[name] ?? null)
      : object.references[name]?.address === reference.address,
  );
  if (isSame) {
    if (reference !== undefined) return referenceText(reference);
    return escapeValue(first.object.attributes[name] ?? null);
  }
  const isKey = members.every(({ key, object }) => {
    const own = reference === undefined ? object.attributes[name] : keyOf(object, name);
    return own === key;
  });
  if (!isKey) return undefined;
  return reference === undefined ? "${each.key}" : referenceText(reference, "each.key");
}

function variedText(members: Members, name: string): string {
  const own = nameProblem(name) === undefined ? `.${name}` : `[${JSON.stringify(name)}]`;
  const reference = members[0]?.object.references[name];
  return reference === undefined
    ? `\${each.value${own}}`
    : referenceText(reference, `each.value${own}`);
}

/** Of a reference, which instance of the resource it names. */
function variedValue(object: LinkedObject, name: string): Value {
  return keyOf(object, name) ?? escapeValue(object.attributes[name] ?? null);
}

function keyOf({ references }: LinkedObject, name: string): string | number | undefined {
  return parseAddress(references[name]?.address ?? "")?.key;
}

function referenceText({ address, attribute }: Reference, key?: string): string {
  const parts = parseAddress(address);
  const { key: _own, ...resource } = parts ?? { modules: [], mode: "managed", type: "", name: "" };
  const at = key === undefined ? address : `${formatAddress(resource)}[${key}]`;
  return `\${${at}.${attribute}}`;
}

/** Of a group, one variable holds the secrets of all by key. */
function secretsOf(
  { resource }: NamedGroup,
  { key, object: { secrets, identity, type } }: NamedGroup["members"][number],
  taken: Set<string>,
): { readonly entries: ValueMap; readonly variables: ValueMap } {
  const name = parseAddress(resource)?.name ?? "";
  const names = generateNames(
    secrets.map((secret) => `${name}_${secret}`),
    taken,
  );
  const reference = "{ env: NAME } or { file: PATH }";
  const description =
    key === undefined
      ? `A secret of the ${type.name} ${identity}: ${reference}.`
      : `Secrets of ${resource} by key, each ${reference}.`;
  const at = key === undefined ? "" : "[each.key]";
  return {
    entries: Object.fromEntries(
      secrets.map((secret, index) => [secret, `\${vars.${names[index] ?? ""}${at}}`]),
    ),
    variables: Object.fromEntries(
      names.map((one) => [one, { type: "map", sensitive: true, description }]),
    ),
  };
}

function escapeValue(value: Value): Value {
  if (typeof value === "string") return escapeText(value);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map(escapeValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [escapeText(name), escapeValue(member)]),
  );
}

/** A text with `${` in it is no expression. */
export function escapeText(text: string): string {
  return text.replaceAll("${", () => "$${");
}
