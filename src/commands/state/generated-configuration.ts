/** Configuration written for objects that exist: resources as they were read, and their imports. */

import { yamlText } from "../../lib/yaml/yaml-text.ts";
import { isPowerState } from "../../model/operation/power.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { type Address, formatAddress } from "../../model/value/address.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import { isList } from "../../model/value/value.ts";
import { generateNames } from "./generated-names.ts";

export type FoundObject = {
  readonly provider: string;
  readonly identity: string;
  readonly observation: Observation;
};

export type GeneratedResource = {
  readonly address: Address;
  readonly provider: string;
  readonly identity: string;
};

export type GeneratedConfiguration = {
  /** Empty when there is nothing to write. */
  readonly text: string;
  readonly resources: readonly GeneratedResource[];
  readonly skipped: readonly { readonly identity: string; readonly reason: string }[];
};

/** `taken` are the names that resources of this type cannot have. Pure. */
export function generateConfiguration(
  type: ResourceType,
  objects: readonly FoundObject[],
  taken: ReadonlySet<string>,
): GeneratedConfiguration {
  const skipped: { identity: string; reason: string }[] = [];
  const usable = objects.flatMap((object) => {
    const attributes = configurable(type, object.observation);
    if (typeof attributes !== "string") return [{ ...object, attributes }];
    skipped.push({ identity: object.identity, reason: attributes });
    return [];
  });
  const names = generateNames(
    usable.map(({ identity, attributes }) => nameOf(type, attributes) ?? identity),
    new Set(taken),
  );
  const entries: { [key: string]: unknown } = {};
  const resources = usable.map(({ provider, identity, attributes }, index) => {
    const name = names[index] ?? "";
    const address = formatAddress({ modules: [], mode: "managed", type: type.name, name });
    const meta = provider === providerOf(type) ? {} : { provider };
    entries[address] = { ...meta, ...escaped(withoutIdentity(type, attributes, identity)) };
    return { address, provider, identity };
  });
  if (resources.length === 0) return { text: "", resources, skipped };
  const imports = resources.map(({ address, identity }) => ({
    to: address,
    id: escapeText(identity),
  }));
  return { text: yamlText({ resources: entries, imports }), resources, skipped };
}

/**
 * What was read and may be configured; never a secret. A text says why the object cannot be
 * described.
 */
function configurable(type: ResourceType, observation: Observation): Attributes | string {
  if (observation.status === "missing") return "it is gone meanwhile";
  if (observation.status === "unreadable") return observation.reason;
  const { attributes: read } = observation;
  const attributes: { [name: string]: Value } = {};
  for (const { name, computed, sensitive, required } of Object.values(type.schema.attributes)) {
    const value = name === type.power?.wanted ? powerOf(type, read) : (read[name] ?? null);
    if (!computed && !sensitive && value !== null) attributes[name] = value;
    else if (required) return `its ${name} could not be read`;
  }
  return attributes;
}

/** Nothing while it changes, or is what nobody can want: whatever it is stays. */
function powerOf(type: ResourceType, read: Attributes): Value {
  const power = read[type.power?.observed ?? ""];
  const words = type.schema.attributes[type.power?.wanted ?? ""]?.values;
  return isPowerState(power) && words?.includes(power) !== false ? power : null;
}

/** What people call an object that is found by its name; other keys are names already. */
function nameOf(type: ResourceType, { name }: Attributes): string | undefined {
  const finds = type.ownership === "attached" && type.schema.attributes.name?.lookup === true;
  return finds && typeof name === "string" && name !== "" ? name : undefined;
}

/** The import says which object it is; a link beside its name would only repeat it. */
function withoutIdentity(type: ResourceType, attributes: Attributes, identity: string): Attributes {
  if (nameOf(type, attributes) === undefined) return attributes;
  const entries = Object.entries(attributes).filter(
    ([name, value]) => type.schema.attributes[name]?.lookup !== true || value !== identity,
  );
  return Object.fromEntries(entries);
}

function providerOf(type: ResourceType): string {
  return type.name.split("_", 1)[0] ?? "";
}

/** A text with `${` in it is no expression. */
function escaped(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, escapeValue(value)]),
  );
}

function escapeValue(value: Value): Value {
  if (typeof value === "string") return escapeText(value);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map(escapeValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, escapeValue(member)]),
  );
}

function escapeText(text: string): string {
  return text.replaceAll("${", () => "$${");
}
