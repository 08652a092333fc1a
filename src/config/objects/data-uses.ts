/**
 * What instances owe to the data sources they use. A data source is read before what uses it, and
 * after what it depends on itself; so whatever uses it depends on the same.
 */

import { type Address, parseAddress } from "../../model/value/address.ts";
import { type Reference, uniqueReferences } from "../../model/value/expression.ts";
import type { InstanceLinks, Links } from "./links.ts";

/** Links of an instance or a data source to instances, those through data sources included. */
export type DataUses = InstanceLinks & {
  /** Data sources it uses, directly or through others, each after those it uses itself. */
  readonly data: readonly Address[];
};

/** Uses of each address, in `order`, which puts data sources before what uses them. */
export function dataUses(links: Links, order: readonly string[]): ReadonlyMap<string, DataUses> {
  const uses = new Map<string, DataUses>();
  // Instances of one resource share their links; what is made of them is shared, too.
  const shared = new Map<InstanceLinks, DataUses>();
  const byAddress = new Map<string, InstanceLinks>(links);
  for (const address of order) {
    const own = byAddress.get(address);
    if (own === undefined) continue;
    const made = shared.get(own) ?? usesOf(own, uses);
    shared.set(own, made);
    uses.set(address, made);
  }
  return uses;
}

function usesOf(own: InstanceLinks, known: ReadonlyMap<string, DataUses>): DataUses {
  const direct = own.dependencies.filter(isData);
  if (direct.length === 0) return { ...own, data: [] };
  const inner = direct.flatMap((address) => known.get(address) ?? []);
  const managed = own.dependencies.filter((address) => !isData(address));
  return {
    references: throughData(own.references, known),
    explicit: own.explicit.filter((address) => !isData(address)),
    triggers: own.triggers,
    dependencies: unique([...managed, ...inner.flatMap(({ dependencies }) => dependencies)]),
    data: unique([...inner.flatMap(({ data }) => data), ...direct]),
  };
}

/** References to instances, with those of the data sources that are referred to. */
export function throughData(
  references: readonly Reference[],
  uses: ReadonlyMap<string, DataUses>,
): readonly Reference[] {
  if (!references.some(({ address }) => isData(address))) return references;
  return uniqueReferences(
    references.flatMap((reference) => {
      const { address } = reference;
      return isData(address) ? (uses.get(address)?.references ?? []) : [reference];
    }),
  );
}

function isData(address: Address): boolean {
  // Most are none, and parsing is slower by far.
  return address.includes("data.") && parseAddress(address)?.mode === "data";
}

function unique(addresses: readonly Address[]): readonly Address[] {
  return [...new Set(addresses)];
}
