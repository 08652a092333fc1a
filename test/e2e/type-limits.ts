/** Time limits of tests that use the same ones for several types. */

import { limitGroups } from "../../src/model/provider/limit-groups.ts";
import { typeRegistry } from "../../src/providers/registry.ts";

type Limits = { readonly [group: string]: string };

/** Those that the type of the address has. */
export function limitsOf(address: string, limits: Limits): Limits {
  const type = typeRegistry()[address.split(".")[0] ?? ""];
  const groups = type === undefined ? [] : limitGroups(type);
  return Object.fromEntries(Object.entries(limits).filter(([group]) => groups.includes(group)));
}
