/** Addresses like one that is unknown: what a person most likely meant. */

import { closestName } from "../lib/text.ts";
import {
  type Address,
  compareAddresses,
  isModulePath,
  type ModulePath,
  moduleText,
  parseAddress,
  resourceOf,
  type Selector,
} from "../model/value/address.ts";
import { addressesText } from "../model/value/address-text.ts";

/** Addresses that are proposed in one sentence. */
const proposedMax = 3;
/** Addresses that are named where none is like the written one. */
const listedMax = 5;

/**
 * What to write in place of `written`, as a sentence. Where nothing is near: what there is, and
 * what else may be done.
 */
export function nearAddressAdvice(
  written: Selector,
  known: Iterable<Address>,
  otherwise: string,
): string {
  const addresses = [...new Set(known)].sort(compareAddresses);
  if (isModulePath(written)) return nearModuleAdvice(written, addresses, otherwise);
  const resource = resourceOf(written);
  const instances = addresses.filter((item) => resourceOf(item) === resource);
  if (instances.length === 1) return `Did you mean ${addressesText(instances)}?`;
  if (instances.length > 1) return `${resource} has the instances ${addressesText(instances)}.`;
  const near = nearAddresses(written, addresses);
  if (near.length > 0) return `Did you mean ${near.join(" or ")}?`;
  const resources = [...new Set(addresses.map(resourceOf))];
  if (resources.length === 0) return otherwise;
  return `There are: ${addressesText(resources, listedMax)}. ${otherwise}`;
}

function nearModuleAdvice(
  written: ModulePath,
  addresses: readonly Address[],
  otherwise: string,
): string {
  const paths = new Set<string>();
  for (const address of addresses) {
    const steps = parseAddress(address)?.modules ?? [];
    for (let depth = 1; depth <= steps.length; depth += 1) {
      const path = steps.slice(0, depth);
      paths.add(moduleText(path));
      paths.add(moduleText([...path.slice(0, -1), { name: path.at(-1)?.name ?? "" }]));
    }
  }
  const all = [...paths].sort(compareAddresses);
  const near = closestName(written, all);
  if (near !== undefined) return `Did you mean ${near}?`;
  const named = all.slice(0, listedMax).join(", ");
  return all.length === 0
    ? `There are no modules. ${otherwise}`
    : `There are: ${named}. ${otherwise}`;
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
