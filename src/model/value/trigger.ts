/** What an object is to be made anew for, when that changes. */

import type { Address } from "./address.ts";

/** An object, or with `attribute` one of its attributes. */
export type Trigger = { readonly address: Address; readonly attribute?: string };

export function sameTriggers(left: readonly Trigger[], right: readonly Trigger[]): boolean {
  const keys = new Set(left.map(keyOf));
  return keys.size === new Set(right.map(keyOf)).size && right.every((one) => keys.has(keyOf(one)));
}

function keyOf({ address, attribute = "" }: Trigger): string {
  return `${address} ${attribute}`;
}
