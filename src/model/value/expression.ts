/** Expressions as data: how they wait in a plan until their references are known. */

import type { Address, ModuleStep } from "./address.ts";
import type { PlannedValue, Value } from "./value.ts";

/** A reference `${daemon_vm.web["a"].ip_address}` made concrete. */
export type Reference = {
  readonly address: Address;
  /** First attribute named, or undefined when the whole object is used. */
  readonly attribute?: string;
  /**
   * Without `attribute`: what is read of the object through the variable of a macro and the like
   * (`vms.map(v, v.id)`). Absent when it may be read as a whole.
   */
  readonly reads?: readonly string[];
};

export function readsAttribute({ attribute, reads }: Reference, asked: string): boolean {
  if (attribute !== undefined) return attribute === asked;
  return reads === undefined || reads.includes(asked);
}

/** In order of first use, without duplicates; what is read of one object is read together. */
export function uniqueReferences(references: Iterable<Reference>): readonly Reference[] {
  const found = new Map<string, Reference>();
  for (const reference of references) {
    const { address, attribute, reads } = reference;
    const key = `${address} ${attribute ?? ""}`;
    const earlier = found.get(key);
    const isWhole = reads === undefined || earlier?.reads === undefined;
    if (earlier === undefined) found.set(key, reference);
    else if (attribute === undefined) {
      const both = isWhole ? {} : { reads: [...new Set([...(earlier.reads ?? []), ...reads])] };
      found.set(key, { address, ...both });
    }
  }
  return [...found.values()];
}

/**
 * A value that could not be computed while planning: the template text as written, and the known
 * part of its scope. Resource references are looked up in recorded state when it is evaluated.
 */
export type DeferredValue = {
  readonly template: string;
  readonly scope: { readonly [root: string]: Value };
  /** Locals and other roots that were themselves unknown, by root and name. */
  readonly pending: { readonly [path: string]: DeferredValue };
  /** Declared type of the place it stands in, such as `string`. */
  readonly type: string;
  /** The module instance whose names the template uses; absent for the root module. */
  readonly modules?: readonly ModuleStep[];
  /** Of the template and of what is pending, whose module may be another. */
  readonly references: readonly Reference[];
  /**
   * Paths of scope and reference values that were declared `number`, such as `vars.ratio` or
   * `daemon_vm.web.load`: they are doubles even when their value is integral.
   */
  readonly doubles?: readonly string[];
  /** Paths of its sensitive values in the same form, such as `vars.token`. */
  readonly sensitive?: readonly string[];
};
/** Under this name a deferred list or map keeps its known part; no expression is written so. */
export const structureRoot = "structure";

/** As people have written it; of a list or a map, what waits in it. */
export function writtenTemplate({ template, scope, pending }: DeferredValue): string {
  if (!Object.hasOwn(scope, structureRoot)) return template;
  return [...new Set(Object.values(pending).map(writtenTemplate))].join(", ");
}

export type DeferredAttributes = { readonly [attribute: string]: DeferredValue };

/** Attributes of an instance or a data source, or `undefined` when nothing is known of it. */
export type ReferenceLookup = (
  address: Address,
) => { readonly [name: string]: PlannedValue } | undefined;
