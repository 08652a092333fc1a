/**
 * Scopes: what names stand for while expressions are evaluated. Variables and most locals and
 * outputs are evaluated once; those that need resources are evaluated anew for each lookup
 * (`late-values.ts`).
 */

import { evaluateDeferred } from "../../expressions/evaluate/deferred.ts";
import type { ResourceScope, ResourceShape, Scope } from "../../expressions/evaluate/scope.ts";
import {
  formatAddress,
  type InstanceKey,
  type ModuleStep,
  typeParts,
} from "../../model/value/address.ts";
import type { DeferredValue, ReferenceLookup } from "../../model/value/expression.ts";
import { isKnown, type PlannedAttributes, type PlannedValue } from "../../model/value/value.ts";
import { type Instances, type Module, resourceShapeOfInstances } from "./module.ts";

/** One instance of a module: what its names mean there. */
export type ModuleScope = {
  readonly module: Module;
  readonly path: readonly ModuleStep[];
  /** Scope with variables, the locals and outputs that need no resources, and `path`. */
  readonly constants: Scope;
  /** Its outputs that need no resources. */
  readonly outputs: PlannedAttributes;
  /**
   * Instances by the key of their resource, once they are expanded; a resource whose instances are
   * not known is absent.
   */
  readonly instances: Map<string, Instances>;
  readonly caller: { readonly scope: ModuleScope; readonly values: InstanceValues } | undefined;
  /** Instances of the modules that it calls, by the name of the call. */
  readonly called: ReadonlyMap<string, CalledModule>;
};

export type CalledModule = {
  readonly instances: Instances;
  /** In order; a single one has no key. */
  readonly scopes: ReadonlyMap<InstanceKey | undefined, ModuleScope>;
};

/** The scope and those of all modules called from it, itself first. */
export function scopesIn(root: ModuleScope): readonly ModuleScope[] {
  const found = [root];
  for (let index = 0; index < found.length; index += 1) {
    for (const { scopes } of found[index]?.called.values() ?? []) found.push(...scopes.values());
  }
  return found;
}

/** A lookup that knows nothing: every attribute of every resource is unknown. */
export const knowNothing: ReferenceLookup = () => undefined;

export type InstanceValues = {
  readonly each?: { readonly key: string; readonly value: PlannedValue };
  readonly count?: { readonly index: number };
  /** How `each.value` will be computed, where it is not known. */
  readonly late?: DeferredValue;
};

/** What `each` and `count` are in each instance, by its key. */
export function valuesByKey(
  instances: Instances,
): ReadonlyMap<InstanceKey | undefined, InstanceValues> {
  switch (instances.kind) {
    case "single":
      return new Map([[undefined, {}]]);
    case "list":
      return new Map(
        Array.from({ length: instances.length }, (_, index) => [index, { count: { index } }]),
      );
    case "map":
      return new Map(
        Array.from(instances.values, ([key, value]) => {
          const late = instances.late?.get(key);
          return [key, { each: { key, value }, ...(late === undefined ? {} : { late }) }];
        }),
      );
  }
}

/** The scope of a place, without late values. */
export function baseScope(
  { module, path, constants, instances }: ModuleScope,
  values: InstanceValues,
  lookup: ReferenceLookup,
): Scope {
  const resources = resourceScope(module, path, instances, lookup);
  const { late, ...roots } = values;
  const own: { readonly [root: string]: PlannedAttributes } = { ...constants.values, ...roots };
  const scope: Scope = { ...constants, values: own, resources };
  return late === undefined || roots.each === undefined
    ? scope
    : withLateValue(scope, roots.each.key, late, lookup);
}

/** `each.value` as far as the lookup knows it. */
function withLateValue(
  scope: Scope,
  key: string,
  late: DeferredValue,
  lookup: ReferenceLookup,
): Scope {
  const path = "each.value";
  const { value, sensitive } = evaluateDeferred(late, lookup);
  return {
    ...scope,
    values: { ...scope.values, each: { key, value } },
    pending: { ...scope.pending, ...(isKnown(value) ? {} : { [path]: late }) },
    ...(sensitive ? { sensitive: new Set([...scope.sensitive, path]) } : {}),
  };
}

function resourceScope(
  module: Module,
  modules: readonly ModuleStep[],
  instances: ReadonlyMap<string, Instances>,
  lookup: ReferenceLookup,
): ResourceScope {
  const shape = (type: string, name: string): ResourceShape | undefined => {
    const found = instances.get(`${type}.${name}`);
    return found === undefined ? undefined : resourceShapeOfInstances(found);
  };
  const attributes = (
    type: string,
    name: string,
    key: InstanceKey | undefined,
  ): PlannedAttributes | undefined => {
    const parts = { modules, ...typeParts(type), name };
    return lookup(formatAddress(key === undefined ? parts : { ...parts, key }));
  };
  const schemas = module.types.schemas;
  const schema = (type: string) => (Object.hasOwn(schemas, type) ? schemas[type] : undefined);
  return { shape, attributes, schema };
}
