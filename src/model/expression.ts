/** Expressions as data: how they wait in a plan until their references are known. */

import type { Address } from "./address.ts";
import type { PlannedValue, Value } from "./value.ts";

/** A reference `${daemon_vm.web["a"].ip_address}` made concrete. */
export type Reference = {
  readonly address: Address;
  /** First attribute named, or undefined when the whole object is used. */
  readonly attribute?: string;
};

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
  readonly references: readonly Reference[];
  /**
   * Paths of scope and reference values that were declared `number`, such as `vars.ratio` or
   * `daemon_vm.web.load`: they are doubles even when their value is integral.
   */
  readonly doubles?: readonly string[];
  /** Paths of its sensitive values in the same form, such as `vars.token`. */
  readonly sensitive?: readonly string[];
};
export type DeferredAttributes = { readonly [attribute: string]: DeferredValue };

/** Attributes of an instance or a data source, or `undefined` when nothing is known of it. */
export type ReferenceLookup = (
  address: Address,
) => { readonly [name: string]: PlannedValue } | undefined;
