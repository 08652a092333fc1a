/** What stands at each address now, of recorded objects, changes and units of a plan alike. */

import type { ObjectKey } from "../operation/operation.ts";
import type { Address } from "../value/address.ts";

type Standing = { readonly address: Address; readonly objectKey: ObjectKey };

/** By address; what was deposed is left out. */
export function currentByAddress<T extends Standing>(all: readonly T[]): ReadonlyMap<Address, T> {
  return new Map(
    all.flatMap((one) => (one.objectKey === "current" ? [[one.address, one] as const] : [])),
  );
}
