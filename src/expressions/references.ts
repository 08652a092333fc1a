/** Which names an expression refers to, read from its syntax tree. */

import type { InstanceKey } from "../model/address.ts";
import type { Reference } from "../model/expression.ts";
import type { Scope } from "./scope.ts";
import type { Template } from "./template.ts";

export type ValueRoot = "vars" | "locals" | "each" | "count" | "path" | "self" | "module" | "data";

export type RootReference =
  /** `name` is absent when the root stands alone or is indexed by an expression. */
  | { readonly root: ValueRoot; readonly name?: string; readonly offset: number }
  | {
      readonly root: "resource";
      readonly type: string;
      readonly name: string;
      /** Constant instance key, as written in `["a"]` or `[0]`. */
      readonly key?: InstanceKey;
      /** The instance is chosen by an expression. */
      readonly dynamicKey: boolean;
      readonly attribute?: string;
      readonly offset: number;
    };

/** References of all expressions of a template, in the order they are written. */
export function referencesOf(template: Template): readonly RootReference[] {
  throw new Error(`not written yet: ${template.text}`);
}

/**
 * References to instances. An index such as `[each.key]` is evaluated when the scope knows it, so
 * that `daemon_vm.web[each.key].id` refers to one instance; otherwise all instances are given.
 * A resource that the scope does not know gives none. Without duplicates.
 */
export function concreteReferences(template: Template, scope: Scope): readonly Reference[] {
  throw new Error(`not written yet: ${template.text} ${scope.values}`);
}
