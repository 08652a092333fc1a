/**
 * Scopes: what names stand for while expressions are evaluated. Variables and most locals are
 * evaluated once; locals that need resources are evaluated anew for each lookup.
 */

import type { Scope } from "../../expressions/evaluate/scope.ts";
import {
  type ResourceScope,
  type ResourceShape,
  valuePath,
} from "../../expressions/evaluate/scope.ts";
import { formatAddress, type InstanceKey, typeParts } from "../../model/value/address.ts";
import type { DeferredValue, ReferenceLookup } from "../../model/value/expression.ts";
import type { PlannedAttributes, PlannedValue } from "../../model/value/value.ts";
import { type Local, localsNeeded, localsUsed } from "../blocks/locals.ts";
import { numberPaths } from "../blocks/variable-type.ts";
import { type ConfigTemplate, mapOf } from "../read/value.ts";
import type { Report } from "../report.ts";
import { evaluate } from "./evaluation.ts";
import {
  type Instances,
  isBrokenReference,
  type Module,
  resourceShapeOfInstances,
} from "./module.ts";

export type ModuleScope = {
  readonly module: Module;
  /** Scope with variables, the locals that need no resources, and `path`. */
  readonly constants: Scope;
  /** Instances by the key of their resource; a resource whose instances are not known is absent. */
  readonly instances: ReadonlyMap<string, Instances>;
};

/** A lookup that knows nothing: every attribute of every resource is unknown. */
export const knowNothing: ReferenceLookup = () => undefined;

const noResources: ResourceScope = {
  shape: () => undefined,
  attributes: () => undefined,
  schema: () => undefined,
};

/** Evaluates variables and the locals that need no resources. Problems of locals break them. */
export function constantScope(module: Module, report: Report): Scope {
  const { variables, directory } = module;
  const vars: { [name: string]: PlannedValue } = {};
  const sensitive = new Set<string>();
  const doubles = new Set<string>();
  for (const { name, value, valueType, sensitive: secret } of variables.values()) {
    if (value === undefined) continue;
    vars[name] = value;
    if (secret) sensitive.add(valuePath("vars", name));
    for (const path of numberPaths(value, valueType, valuePath("vars", name))) doubles.add(path);
  }
  const path = { module: directory, root: directory };
  const locals: { [name: string]: PlannedValue } = {};
  const scope: Scope = {
    values: { vars, locals, path },
    resources: noResources,
    sensitive,
    doubles,
    pending: {},
    ...module.context,
  };
  for (const local of module.locals.ordered) {
    if (isBroken(local, module)) module.broken.add(`locals.${local.name}`);
    else if (!module.locals.late.has(local.name)) {
      const value = evaluateLocal(local, scope, module, report, { sensitive, doubles });
      if (value === undefined) module.broken.add(`locals.${local.name}`);
      else locals[local.name] = value.value;
    }
  }
  return scope;
}

function isBroken(local: Local, module: Module): boolean {
  if (local.value === undefined) return true;
  return local.references.some((reference) => isBrokenReference(reference, module.broken));
}

type Marks = { readonly sensitive: Set<string>; readonly doubles: Set<string> };
type EvaluatedLocal = {
  readonly value: PlannedValue;
  readonly deferred: { readonly [path: string]: DeferredValue };
};

function evaluateLocal(
  local: Local,
  scope: Scope,
  module: Module,
  report: Report,
  marks: Marks,
): EvaluatedLocal | undefined {
  if (local.value === undefined) return undefined;
  const options = { scope, report, skipped: module.skipped };
  const evaluated = evaluate(local.value, valuePath("locals", local.name), options);
  if (evaluated.problems) return undefined;
  for (const path of evaluated.sensitive) marks.sensitive.add(path);
  for (const path of evaluated.doubles) marks.doubles.add(path);
  return evaluated;
}

/** What a set of templates needs of the scope, found once and used for each instance. */
export type ScopeNeeds = {
  /** Late locals in order of evaluation. */
  readonly late: readonly Local[];
  /** Every local that the templates or the late locals use. */
  readonly locals: ReadonlySet<string>;
};

export function scopeNeeds(templates: readonly ConfigTemplate[], module: Module): ScopeNeeds {
  const { locals } = module;
  const references = templates.flatMap((template) => template.references);
  const needed = localsNeeded(localsUsed(references, locals.names), locals);
  const late = needed.filter(({ name }) => locals.late.has(name));
  return { late, locals: new Set(needed.map(({ name }) => name)) };
}

export type InstanceValues = {
  readonly each?: { readonly key: string; readonly value: PlannedValue };
  readonly count?: { readonly index: number };
};

/** The scope of one instance for one lookup. */
export function instanceScope(
  { module, constants, instances }: ModuleScope,
  needs: ScopeNeeds,
  values: InstanceValues,
  lookup: ReferenceLookup,
  report: Report,
): Scope {
  const resources = resourceScope(module, instances, lookup);
  const own: { readonly [root: string]: PlannedAttributes } = { ...constants.values, ...values };
  const scope: Scope = { ...constants, values: own, resources };
  if (needs.late.length === 0) return scope;
  const known = constants.values.locals ?? {};
  const locals: { [name: string]: PlannedValue } = mapOf(
    [...needs.locals].flatMap((name) => {
      const value = Object.hasOwn(known, name) ? known[name] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const sensitive = new Set(constants.sensitive);
  const doubles = new Set(constants.doubles);
  const pending: { [path: string]: DeferredValue } = {};
  const extended: Scope = {
    ...scope,
    values: { ...own, locals },
    sensitive,
    doubles,
    pending,
  };
  for (const local of needs.late) {
    const evaluated = evaluateLocal(local, extended, module, report, { sensitive, doubles });
    if (evaluated === undefined) continue;
    locals[local.name] = evaluated.value;
    Object.assign(pending, evaluated.deferred);
  }
  return extended;
}

function resourceScope(
  module: Module,
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
    const parts = { modules: [], ...typeParts(type), name };
    return lookup(formatAddress(key === undefined ? parts : { ...parts, key }));
  };
  const schemas = module.types.schemas;
  const schema = (type: string) => (Object.hasOwn(schemas, type) ? schemas[type] : undefined);
  return { shape, attributes, schema };
}
