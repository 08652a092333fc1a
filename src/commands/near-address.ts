/** Addresses like one that is unknown: what a person most likely meant. */

import { closestName } from "../lib/text.ts";
import {
  type Address,
  compareAddresses,
  parseAddress,
  resourceOf,
} from "../model/value/address.ts";
import { addressesText } from "../model/value/address-text.ts";

/** Addresses that are proposed in one sentence. */
const proposedMax = 3;

/** What to write in place of `written`, as a sentence; undefined when nothing is near. */
export function nearAddressAdvice(written: Address, known: Iterable<Address>): string | undefined {
  const addresses = [...new Set(known)].sort(compareAddresses);
  const resource = resourceOf(written);
  const instances = addresses.filter((item) => resourceOf(item) === resource);
  if (instances.length === 1) return `Did you mean ${addressesText(instances)}?`;
  if (instances.length > 1) return `${resource} has the instances ${addressesText(instances)}.`;
  const near = nearAddresses(written, addresses);
  return near.length === 0 ? undefined : `Did you mean ${near.join(" or ")}?`;
}

/**
 * Of the same or the nearest name, whatever their module and type: equal types would make any two
 * short names look alike. Of the instances of a resource, the one with the same key, else the
 * resource as a whole.
 */
function nearAddresses(written: Address, addresses: readonly Address[]): readonly Address[] {
  const name = nameOf(written);
  const closest = name === undefined ? undefined : closestName(name, addresses.flatMap(namesOf));
  const alike = addresses.filter((item) => nameOf(item) === closest);
  const key = keyOf(written);
  const same = alike.filter((item) => keyOf(item) === key);
  const meant = same.length > 0 ? same : alike.map(resourceOf);
  return [...new Set(meant)].slice(0, proposedMax);
}

function namesOf(address: Address): readonly string[] {
  const name = nameOf(address);
  return name === undefined ? [] : [name];
}

function nameOf(address: Address): string | undefined {
  return parseAddress(address)?.name;
}

function keyOf(address: Address): string | number | undefined {
  return parseAddress(address)?.key;
}
