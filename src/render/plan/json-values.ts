/** Addresses and values of a plan as its JSON has them. No secret is in any of them. */

import { type Address, parseAddress } from "../../model/value/address.ts";
import {
  isKnown,
  isList,
  isMap,
  isUnknown,
  type PlannedAttributes,
  type PlannedValue,
  type Value,
  type ValueMap,
} from "../../model/value/value.ts";
import { sensitiveLiteral } from "../text/value/value-text.ts";

export function resourceJson(address: Address, provider?: string): ValueMap {
  const parts = parseAddress(address);
  if (parts === undefined) return { address };
  const own = `${parts.mode === "data" ? "data." : ""}${parts.type}.`;
  const module = parts.modules.length === 0 ? undefined : moduleAddress(address, own);
  return {
    address,
    ...(module === undefined ? {} : { module_address: module }),
    mode: parts.mode,
    type: parts.type,
    name: parts.name,
    ...(parts.key === undefined ? {} : { index: parts.key }),
    ...(provider === undefined ? {} : { provider_name: provider }),
  };
}

function moduleAddress(address: Address, own: string): string {
  return address.slice(0, address.lastIndexOf(`.${own}`));
}

export type IsSecret = (name: string) => boolean;

/** Without unknown attributes; a secret that is set is a text that says so. */
export function knownAttributes(attributes: PlannedAttributes, isSecret: IsSecret): ValueMap {
  const known = Object.entries(attributes).flatMap(([name, value]): [string, Value][] => {
    if (isUnknown(value)) return [];
    if (value !== null && isSecret(name)) return [[name, sensitiveLiteral]];
    return [[name, knownPart(value)]];
  });
  return Object.fromEntries(known);
}

/** Unknown members of maps are left out; unknown elements of lists become null. */
export function knownPart(value: PlannedValue): Value {
  if (isKnown(value)) return value;
  if (isList(value)) return value.map((item) => knownPart(item));
  if (!isMap(value)) return null;
  const members = Object.entries(value).filter(([, item]) => !isUnknown(item));
  return Object.fromEntries(members.map(([name, item]) => [name, knownPart(item)]));
}

export function unknownAttributes(attributes: PlannedAttributes): ValueMap {
  const unknowns = Object.entries(attributes).filter(([, value]) => !isKnown(value));
  return Object.fromEntries(unknowns.map(([name, value]) => [name, unknownPart(value)]));
}

/** Mirrors the value with `true` where it is unknown, `false` for what is known in a list. */
export function unknownPart(value: PlannedValue): Value {
  if (isUnknown(value)) return true;
  if (isList(value)) return value.map((item) => unknownPart(item));
  return isMap(value) ? unknownAttributes(value) : false;
}

export function secretAttributes(attributes: PlannedAttributes, isSecret: IsSecret): ValueMap {
  const secrets = Object.entries(attributes).filter(
    ([name, value]) => value !== null && isSecret(name),
  );
  return Object.fromEntries(secrets.map(([name]) => [name, true]));
}
