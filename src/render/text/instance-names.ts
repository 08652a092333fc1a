/** Many addresses in little space: instances of one resource share its name. */

import {
  type Address,
  compareAddresses,
  type InstanceKey,
  parseAddress,
  resourceOf,
} from "../../model/value/address.ts";

/** Addresses named one by one; more of them are told by their resources. */
const namedMax = 10;

/** `a, b and c`, or `daemon_vm.web (300 instances), daemon_vm.db and 4 more`. Never empty text. */
export function namesText(addresses: Iterable<Address>): string {
  const all = [...new Set(addresses)].toSorted(compareAddresses);
  if (all.length <= namedMax) return all.join(", ");
  const resources = byResource(all);
  const named = [...resources].slice(0, namedMax);
  const texts = named.map(([resource, { length }]) =>
    length === 1 ? resource : `${resource} (${length} instances)`,
  );
  const more = all.length - named.reduce((sum, [, { length }]) => sum + length, 0);
  return more > 0 ? `${texts.join(", ")} and ${more} more` : texts.join(", ");
}

/** By the resource, or the one address it has; in order. */
function byResource(addresses: readonly Address[]): ReadonlyMap<Address, readonly Address[]> {
  const found = new Map<Address, Address[]>();
  for (const address of addresses) {
    const resource = resourceOf(address);
    const members = found.get(resource) ?? [];
    members.push(address);
    found.set(resource, members);
  }
  return new Map(
    [...found].map(([resource, members]) => {
      const [only] = members;
      return [members.length === 1 && only !== undefined ? only : resource, members];
    }),
  );
}

/** Keys as within brackets, runs of numbers shortened: `0-299`, `"a", "c"`. */
export function keysText(addresses: readonly Address[]): string {
  const keys = [...new Set(addresses)]
    .toSorted(compareAddresses)
    .flatMap((address): InstanceKey[] => {
      const key = parseAddress(address)?.key;
      return key === undefined ? [] : [key];
    });
  const texts: string[] = [];
  for (let at = 0; at < keys.length; at += 1) {
    const first = keys[at];
    if (typeof first !== "number") {
      texts.push(JSON.stringify(first));
      continue;
    }
    let last = first;
    while (keys[at + 1] === last + 1) {
      at += 1;
      last += 1;
    }
    texts.push(
      last === first ? `${first}` : last === first + 1 ? `${first}, ${last}` : `${first}-${last}`,
    );
  }
  return texts.join(", ");
}
