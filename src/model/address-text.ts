/** Several addresses in a sentence. */

import type { Address } from "./address.ts";

/** Addresses that are named; the rest is counted. */
const namedMax = 10;

/** `a, b, c and 7 more` */
export function addressesText(addresses: Iterable<Address>): string {
  const names = [...addresses];
  const more = names.length - namedMax;
  const named = names.slice(0, namedMax).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
