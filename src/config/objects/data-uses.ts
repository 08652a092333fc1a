/**
 * What instances owe to the data sources they use. A data source is read before what uses it, and
 * after what it depends on itself; so whatever uses it depends on the same.
 */

import type { DataUse } from "../../model/plan/desired.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import { type Reference, uniqueReferences } from "../../model/value/expression.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import type { ModuleScope } from "../modules/module-scope.ts";
import { type ConfigTemplate, templatesOf } from "../read/value.ts";
import { type Place, positionOf } from "../report.ts";
import { referencesIn } from "../values/late-values.ts";
import type { Instance } from "./instance.ts";
import type { InstanceLinks, Links } from "./links.ts";

/** Links of an instance or a data source to instances, those through data sources included. */
export type DataUses = InstanceLinks & {
  /** Data sources it uses, directly or through others, each after those it uses itself. */
  readonly data: readonly Address[];
  /** Those among them that it names itself, or whose values it is made of. */
  readonly direct: readonly Address[];
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
  if (direct.length === 0) return { ...own, data: [], direct: [] };
  const inner = direct.flatMap((address) => known.get(address) ?? []);
  const managed = own.dependencies.filter((address) => !isData(address));
  return {
    references: throughData(own.references, known),
    explicit: own.explicit.filter((address) => !isData(address)),
    triggers: own.triggers,
    dependencies: unique([...managed, ...inner.flatMap(({ dependencies }) => dependencies)]),
    data: unique([...inner.flatMap(({ data }) => data), ...direct]),
    direct,
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

/** What an instance reads of data sources, and where it is written. */
export function usesOfInstance(instance: Instance, direct: readonly Address[]): readonly DataUse[] {
  if (direct.length === 0) return [];
  const { resource, scope, values } = instance;
  const written = [...resource.attributes].flatMap(([attribute, value]) =>
    usesIn(templatesOf(value), { scope, values }, { by: "attribute", attribute, at: value.place }),
  );
  const judged = resource.conditions.flatMap((condition) =>
    usesIn(
      templatesOfCondition(condition),
      { scope, values },
      { by: "condition", at: condition.place },
    ),
  );
  const read = [...written, ...judged];
  const named = new Set(read.map(({ data }) => data));
  const ordered = direct.filter((data) => !named.has(data));
  return [...read, ...ordered.map((data) => ({ data, by: "order" }) as const)];
}

type UseOf = Pick<DataUse, "by" | "attribute"> & { readonly at: Place };

/** What templates at a place read of data sources, through values behind them as well. */
export function usesIn(
  templates: readonly ConfigTemplate[],
  { scope, values = {} }: { readonly scope: ModuleScope; readonly values?: Instance["values"] },
  { at, ...use }: UseOf,
): readonly DataUse[] {
  if (templates.length === 0) return [];
  const place = positionOf(at);
  return referencesIn(templates, scope, values)
    .filter(({ address }) => isData(address))
    .map(({ address: data, attribute: reads }) =>
      reads === undefined ? { data, ...use, place } : { data, reads, ...use, place },
    );
}

function isData(address: Address): boolean {
  // Most are none, and parsing is slower by far.
  return address.includes("data.") && parseAddress(address)?.mode === "data";
}

function unique(addresses: readonly Address[]): readonly Address[] {
  return [...new Set(addresses)];
}
