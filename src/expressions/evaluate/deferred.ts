/**
 * Expressions that wait: made self-contained for a plan, and evaluated while it is applied.
 *
 * A deferred value holds the known values it needs as they are, sensitive ones too: it says which
 * in `sensitive`, so that whoever writes it down can refuse or protect them.
 */

import {
  type Address,
  type InstanceKey,
  moduleText,
  parseAddress,
  qualifiedType,
} from "../../model/value/address.ts";
import {
  type DeferredValue,
  type ReferenceLookup,
  structureRoot,
  uniqueReferences,
} from "../../model/value/expression.ts";
import type { AttributeSchema, AttributeType } from "../../model/value/resource-schema.ts";
import {
  isKnown,
  isMap,
  type PlannedAttributes,
  type PlannedValue,
  unknown,
  type Value,
} from "../../model/value/value.ts";
import type { ExpressionProblem } from "../syntax/problem.ts";
import { parseTemplate, type Template } from "../syntax/template.ts";
import { type EvaluatedTemplate, evaluateTemplate, isWithin } from "./evaluate.ts";
import { keepFor, keptIn, keptRoot } from "./kept.ts";
import { concreteReferences, type ResourceReference, referencesOf } from "./references.ts";
import { type ResourceScope, type ResourceShape, type Scope, stepPath } from "./scope.ts";
import { usedValues } from "./used-values.ts";
import { isPlannedList, isPlannedMap } from "./value-kind.ts";

type Pending = { readonly [path: string]: DeferredValue };

/**
 * The template with the known part of its scope. Unknown values of `scope.values` must have an
 * entry in `scope.pending`, at their own path or at that of a value around them.
 */
export function deferTemplate(
  template: Template,
  scope: Scope,
  expected: AttributeType,
): DeferredValue {
  const values: { [root: string]: { [name: string]: Value } } = {};
  const pending: { [path: string]: DeferredValue } = {};
  const doubles: string[] = [];
  const sensitive: string[] = [];
  for (const reference of referencesOf(template)) {
    if (reference.root === "resource") {
      doubles.push(...attributePaths(reference, scope, (one) => one.type === "number"));
      sensitive.push(...attributePaths(reference, scope, (one) => one.sensitive));
      continue;
    }
    const { root, name } = reference;
    const known = (values[root] ??= {});
    const members = scope.values[root] ?? {};
    const names = name === undefined ? Object.keys(members) : [name];
    for (const member of names) {
      if (!Object.hasOwn(members, member)) continue;
      const path = stepPath(root, member);
      known[member] = knownPart(members[member] ?? null, path, scope.pending, pending);
      doubles.push(...[...scope.doubles].filter((double) => isWithin(double, path)));
      sensitive.push(...[...scope.sensitive].filter((one) => isWithin(one, path)));
    }
  }
  const empty = emptyResources(template, scope);
  const kept = keepFor(template, scope);
  return deferredValue({
    template: template.text,
    scope: { ...values, ...empty, ...(kept && { [keptRoot]: kept }) },
    pending,
    type: expected,
    modules: scope.modules ?? [],
    references: concreteReferences(template, scope),
    doubles,
    sensitive,
  });
}

/**
 * One deferred value for a list or map whose leaves are templates. `leaves` holds the deferred
 * value of each unknown leaf by its path below `value`: `valuePath("value", "tags", 0)`.
 */
export function deferStructure(
  value: PlannedValue,
  leaves: Pending,
  expected: AttributeType,
): DeferredValue {
  const pending: { [path: string]: DeferredValue } = {};
  const known = knownPart(value, "value", leaves, pending);
  const placed: { [path: string]: DeferredValue } = {};
  for (const [path, leaf] of Object.entries(pending)) placed[`${structureRoot}.${path}`] = leaf;
  return deferredValue({
    template: `\${${structureRoot}.value}`,
    scope: { [structureRoot]: { value: known } },
    pending: placed,
    type: expected,
    modules: [],
    references: [],
    doubles: [],
    sensitive: [],
  });
}

/**
 * The value of a key of a map that waits. Where the map has a name, that key alone is kept of it:
 * else each of a thousand instances would hold, and compute, all that the others wait for.
 */
export function deferMember(map: DeferredValue, key: string): DeferredValue {
  return (
    narrowed(map, key) ??
    deferredValue({
      template: `\${${structureRoot}.value[${JSON.stringify(key)}]}`,
      scope: { [structureRoot]: { value: null } },
      pending: { [`${structureRoot}.value`]: map },
      type: "any",
      modules: [],
      references: [],
      doubles: [],
      sensitive: [],
    })
  );
}

/** Undefined where the map is computed by more than its name, or is secret. */
function narrowed(map: DeferredValue, key: string): DeferredValue | undefined {
  const [, root = "", name = ""] = /^\$\{\s*(\w+)\.(\w+)\s*\}$/.exec(map.template) ?? [];
  const members = map.scope[root];
  if (!isMap(members) || !Object.hasOwn(members, name)) return undefined;
  if ((map.sensitive ?? []).length > 0) return undefined;
  const path = stepPath(root, name);
  const whole = map.pending[path];
  if (whole !== undefined) return deferMember(whole, key);
  const outer = stepPath(path, key);
  const own = stepPath(structureRoot, "value");
  const moved = (at: string): string => `${own}${at.slice(outer.length)}`;
  const within = Object.entries(map.pending).filter(([at]) => isWithin(at, outer));
  const known = members[name];
  if (within.length === 0 || !isMap(known)) return undefined;
  return deferredValue({
    template: `\${${own}}`,
    scope: { [structureRoot]: { value: known[key] ?? null } },
    pending: Object.fromEntries(within.map(([at, leaf]) => [moved(at), leaf])),
    type: "any",
    modules: [],
    references: [],
    doubles: (map.doubles ?? []).filter((at) => isWithin(at, outer)).map(moved),
    sensitive: [],
  });
}

export type EvaluatedDeferred = {
  /** Unknown while a reference it needs is unknown, or when there are problems. */
  readonly value: PlannedValue;
  readonly sensitive: boolean;
  /** Offsets count in the template of the deferred value, or of the pending one that failed. */
  readonly problems: readonly ExpressionProblem[];
};

/** Evaluates with what the lookup knows; resource references are looked up by address. */
export function evaluateDeferred(
  deferred: DeferredValue,
  lookup: ReferenceLookup,
): EvaluatedDeferred {
  const { value, sensitive, problems } = evaluateIn(deferred, lookup);
  return { value, sensitive, problems };
}

/** What the values are that it names, once they are known, as a sentence. */
export function valuesOfDeferred(deferred: DeferredValue, lookup: ReferenceLookup): string {
  const parsed = parseTemplate(deferred.template);
  const { scope } = scopeOf(deferred, lookup);
  return parsed.template === undefined ? "" : usedValues([parsed.template], scope);
}

function evaluateIn(deferred: DeferredValue, lookup: ReferenceLookup): EvaluatedTemplate {
  const parsed = parseTemplate(deferred.template);
  if (parsed.template === undefined) return failed(parsed.problems);
  const { scope, problems } = scopeOf(deferred, lookup);
  if (problems.length > 0) return failed(problems);
  return evaluateTemplate(parsed.template, scope, attributeType(deferred.type));
}

function scopeOf(
  deferred: DeferredValue,
  lookup: ReferenceLookup,
): { readonly scope: Scope; readonly problems: readonly ExpressionProblem[] } {
  const computed = new Map<string, PlannedValue>();
  const doubles = new Set(deferred.doubles);
  const sensitive = new Set(deferred.sensitive);
  const problems: ExpressionProblem[] = [];
  for (const [path, inner] of Object.entries(deferred.pending)) {
    const result = evaluateIn(inner, lookup);
    problems.push(...result.problems);
    computed.set(path, result.value);
    if (result.double) doubles.add(path);
    if (result.sensitive) sensitive.add(path);
  }
  const scope: Scope = {
    values: completeRoots(deferred.scope, computed),
    resources: resourcesOf(deferred, lookup),
    sensitive,
    doubles,
    pending: {},
    modules: deferred.modules ?? [],
    ...keptIn(deferred.scope[keptRoot]),
  };
  return { scope, problems };
}

function failed(problems: readonly ExpressionProblem[]): EvaluatedTemplate {
  return { value: unknown, sensitive: false, double: false, problems };
}

type DeferredParts = Required<DeferredValue>;

/** References include those of pending values, so that a reader need look in one place only. */
function deferredValue({ doubles, sensitive, modules, ...rest }: DeferredParts): DeferredValue {
  const nested = Object.values(rest.pending).flatMap((inner) => inner.references);
  return {
    ...rest,
    references: uniqueReferences([...rest.references, ...nested]),
    ...(modules.length === 0 ? {} : { modules }),
    ...(doubles.length === 0 ? {} : { doubles: sortedSet(doubles) }),
    ...(sensitive.length === 0 ? {} : { sensitive: sortedSet(sensitive) }),
  };
}

function sortedSet(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

/** The value with null where it is unknown; `pending` receives how to compute these places. */
function knownPart(
  value: PlannedValue,
  path: string,
  known: Pending,
  pending: { [path: string]: DeferredValue },
): Value {
  if (isKnown(value)) return value;
  const waiting = known[path];
  if (waiting !== undefined) {
    pending[path] = waiting;
    return null;
  }
  if (isPlannedList(value)) {
    return value.map((item, index) => knownPart(item, stepPath(path, index), known, pending));
  }
  if (!isPlannedMap(value)) throw new Error(`no deferred value for the unknown value at ${path}`);
  const members = Object.entries(value).map(([name, item]): [string, Value] => [
    name,
    knownPart(item, stepPath(path, name), known, pending),
  ]);
  return Object.fromEntries(members);
}

/** The inverse: the computed values in their places. Roots that name a resource are left out. */
function completeRoots(
  roots: { readonly [root: string]: Value },
  computed: ReadonlyMap<string, PlannedValue>,
): Scope["values"] {
  const values: { [root: string]: PlannedAttributes } = {};
  for (const [root, members] of Object.entries(roots)) {
    if (isResourceName(root) || root === keptRoot) continue;
    const complete = completePart(members, root, computed);
    if (isPlannedMap(complete)) values[root] = complete;
  }
  return values;
}

function completePart(
  value: PlannedValue,
  path: string,
  computed: ReadonlyMap<string, PlannedValue>,
): PlannedValue {
  const found = computed.get(path);
  if (found !== undefined) return found;
  if (![...computed.keys()].some((one) => isWithin(one, path))) return value;
  if (isPlannedList(value)) {
    return value.map((item, index) => completePart(item, stepPath(path, index), computed));
  }
  if (!isPlannedMap(value)) return value;
  const members = Object.entries(value).map(([name, item]): [string, PlannedValue] => [
    name,
    completePart(item, stepPath(path, name), computed),
  ]);
  return Object.fromEntries(members);
}

/** Paths of the attributes that a reference may read and that are of the kind asked for. */
function attributePaths(
  { type, name, attribute }: ResourceReference,
  scope: Scope,
  isAsked: (attribute: AttributeSchema) => boolean,
): readonly string[] {
  return Object.values(scope.resources.schema(type)?.attributes ?? {})
    .filter((described) => attribute === undefined || described.name === attribute)
    .filter((described) => isAsked(described))
    .map((described) => stepPath(`${type}.${name}`, described.name));
}

/** Resources without instances have no reference; the scope has their names, with `{}` or `[]`. */
function emptyResources(template: Template, scope: Scope): { readonly [name: string]: Value } {
  const empty: { [name: string]: Value } = {};
  for (const reference of referencesOf(template)) {
    if (reference.root !== "resource") continue;
    const shape = scope.resources.shape(reference.type, reference.name);
    const name = `${reference.type}.${reference.name}`;
    if (shape?.kind === "map" && shape.keys.size === 0) empty[name] = {};
    if (shape?.kind === "list" && shape.length === 0) empty[name] = [];
  }
  return empty;
}

function isResourceName(root: string): boolean {
  return root.includes(".");
}

type Instances = Map<InstanceKey | undefined, Address>;

function resourcesOf(deferred: DeferredValue, lookup: ReferenceLookup): ResourceScope {
  const resources = new Map<string, Instances>();
  const own = moduleText(deferred.modules ?? []);
  for (const { address } of deferred.references) {
    const parts = parseAddress(address);
    if (parts === undefined) throw new Error(`not an address: ${address}`);
    // What is pending may name a resource of the same name in another module.
    if (moduleText(parts.modules) !== own) continue;
    const name = `${qualifiedType(parts)}.${parts.name}`;
    const instances = resources.get(name) ?? new Map<InstanceKey | undefined, Address>();
    resources.set(name, instances.set(parts.key, address));
  }
  const shapes = new Map<string, ResourceShape>();
  for (const [name, instances] of resources) shapes.set(name, shapeOf([...instances.keys()]));
  for (const [name, value] of Object.entries(deferred.scope)) {
    if (isResourceName(name)) shapes.set(name, emptyShape(Array.isArray(value)));
  }
  return {
    shape: (type, name) => shapes.get(`${type}.${name}`),
    attributes: (type, name, key) => {
      const address = resources.get(`${type}.${name}`)?.get(key);
      return address === undefined ? undefined : lookup(address);
    },
    schema: () => undefined,
  };
}

/** Only the instances that the template refers to are listed; it reads no others. */
function shapeOf(keys: readonly (InstanceKey | undefined)[]): ResourceShape {
  const texts = keys.filter((key) => typeof key === "string");
  if (texts.length > 0) return { kind: "map", keys: new Set(texts) };
  const numbers = keys.filter((key) => typeof key === "number");
  if (numbers.length > 0) return { kind: "list", length: Math.max(...numbers) + 1 };
  return { kind: "single" };
}

function emptyShape(isList: boolean): ResourceShape {
  return isList ? { kind: "list", length: 0 } : { kind: "map", keys: new Set() };
}

function attributeType(type: string): AttributeType {
  switch (type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
    case "list":
    case "map":
      return type;
    default:
      return "any";
  }
}
