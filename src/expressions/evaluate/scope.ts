/**
 * The scope of an expression: what its names stand for while it is evaluated, given as planned
 * values in which any leaf may be unknown. The loader makes one module scope and derives cheap
 * copies for each instance: `{ ...scope, values: { ...scope.values, each: { key, value } } }`.
 */

import {
  type Address,
  formatAddress,
  type InstanceKey,
  type ModuleStep,
  typeParts,
} from "../../model/value/address.ts";
import type { DeferredValue } from "../../model/value/expression.ts";
import type { ResourceSchema } from "../../model/value/resource-schema.ts";
import type { PlannedAttributes } from "../../model/value/value.ts";
import type { FileReader } from "../functions/function-context.ts";

/** Stands before the type of a data source. */
export const dataRoot = "data";

/** How the instances of a resource are addressed: none, by `for_each` key, by `count` index. */
export type ResourceShape =
  | { readonly kind: "single" }
  | { readonly kind: "map"; readonly keys: ReadonlySet<string> }
  | { readonly kind: "list"; readonly length: number };

/** Data sources are resources here; their types are named as in `data.daemon_vms`. */
export type ResourceScope = {
  /** Undefined when no such resource is declared. */
  readonly shape: (type: string, name: string) => ResourceShape | undefined;
  /**
   * Attributes of one instance; an attribute that is absent is not set and reads as null.
   * Undefined when nothing is known of the instance: every attribute is unknown then.
   */
  readonly attributes: (
    type: string,
    name: string,
    key: InstanceKey | undefined,
  ) => PlannedAttributes | undefined;
  /** Undefined when the type has no schema here: any attribute name is accepted then. */
  readonly schema: (type: string) => ResourceSchema | undefined;
};

/** Where no expression may name a resource, or none is expanded yet. */
export const noResources: ResourceScope = {
  shape: () => undefined,
  attributes: () => undefined,
  schema: () => undefined,
};

export type Scope = {
  /** Values by root (`vars`, `locals`, `each`, `count`, `path`, `self`) and name. */
  readonly values: { readonly [root: string]: PlannedAttributes };
  readonly resources: ResourceScope;
  /** Paths of sensitive values, as `valuePath` writes them, such as `vars.password`. */
  readonly sensitive: ReadonlySet<string>;
  /**
   * Paths declared `number`. Their values are doubles in CEL, even when they are integral; every
   * other integral number is an integer.
   */
  readonly doubles: ReadonlySet<string>;
  /** How unknown values of `values` will be computed, by path: `locals.addresses`. */
  readonly pending: { readonly [path: string]: DeferredValue };
  /** What functions may see besides: files below the folder of the module, and the plan's time. */
  readonly files?: FileReader;
  readonly time?: string;
  /** Module that the resource names belong to; absent for the root module. */
  readonly modules?: readonly ModuleStep[];
};

/** Path of a value below a root: `locals.sizes.web`, `locals.list[0]`, `locals.map["a b"]`. */
export function valuePath(root: string, ...steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => stepPath(path, step), root);
}

/** The path of a member or an element of the value at `path`. */
export function stepPath(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  return isName(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
}

export function instanceAddress(
  scope: Scope,
  type: string,
  name: string,
  key: InstanceKey | undefined,
): Address {
  const parts = { modules: scope.modules ?? [], ...typeParts(type), name };
  return formatAddress(key === undefined ? parts : { ...parts, key });
}

function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}
