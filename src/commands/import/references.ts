/** What an attribute names, as an address instead of a literal: only where it can be one object. */

import type { ResourceType, TypeRegistry } from "../../model/provider/provider.ts";
import { foundBy } from "../../model/recorded/found-by.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import type { Attributes, Value } from "../../model/value/value.ts";

/** An object with an address: managed, declared, or written in the same file. */
export type Target = {
  readonly address: Address;
  readonly type: string;
  readonly provider: string;
  readonly identity: string;
  readonly attributes: Attributes;
};

export type Reference = {
  readonly address: Address;
  readonly attribute: string;
};

/** A name in a root module reaches no further than that module. */
export function isReachable({ address }: Pick<Target, "address">): boolean {
  return parseAddress(address)?.modules.length === 0;
}

/** The attribute of the one object that this value names; undefined where it stays a literal. */
export function referenceOf(
  value: Value,
  named: string,
  provider: string,
  targets: readonly Target[],
  types: TypeRegistry,
): Reference | undefined {
  const type = types[named];
  if (typeof value !== "string" || type === undefined) return undefined;
  const identity = type.parseIdentity === undefined ? value : type.parseIdentity(value);
  const meant = targets.filter(
    (target) =>
      target.type === named && target.provider === provider && target.identity === identity,
  );
  const [one] = meant;
  if (one === undefined || meant.length > 1) return undefined;
  const attribute = identifying(type, one.attributes, value);
  return attribute === undefined ? undefined : { address: one.address, attribute };
}

/** The attribute that is the same as the name: one that the object is known by. */
function identifying(
  type: ResourceType,
  attributes: Attributes,
  value: string,
): string | undefined {
  const { schema } = type;
  const found = foundBy(type, attributes);
  return Object.values(schema.attributes).find(
    ({ name, key, lookup }) => (key || lookup) && found[name] === value,
  )?.name;
}
