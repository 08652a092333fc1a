/**
 * Late values: locals, inputs and outputs of modules that need resources. What a place needs of
 * them is gathered through all modules, then evaluated in order, each one once; so chains of any
 * length take no stack.
 */

import { evaluateIndex } from "../../expressions/evaluate/evaluation.ts";
import { concreteReferences, type RootReference } from "../../expressions/evaluate/references.ts";
import type { Scope } from "../../expressions/evaluate/scope.ts";
import type { InstanceKey } from "../../model/value/address.ts";
import {
  type DeferredValue,
  type Reference,
  type ReferenceLookup,
  uniqueReferences,
} from "../../model/value/expression.ts";
import type { PlannedValue } from "../../model/value/value.ts";
import { type Condition, templatesOfCondition } from "../blocks/condition.ts";
import { callsNamed, lateOf } from "../modules/late-names.ts";
import { type Module, nameParts, referencesOfValue } from "../modules/module.ts";
import {
  baseScope,
  type InstanceValues,
  knowNothing,
  type ModuleScope,
} from "../modules/module-scope.ts";
import { type ConfigTemplate, mapOf, templatesOf } from "../read/value.ts";
import { createReport, type Report } from "../report.ts";
import type { EvaluatedInput } from "./input-value.ts";
import { evaluateNamed, type NamedValue, placeOf } from "./named-value.ts";

/** A late value of one module instance. */
export type Late = NamedValue;

type Known = Map<ModuleScope, Map<string, EvaluatedInput>>;

/** Templates outside of instances. */
export function expressionsOf(templates: readonly ConfigTemplate[]): Expressions {
  return { references: templates.flatMap(({ references }) => references), values: {} };
}

/** What is evaluated at a place: its references, and what `each` and `count` are there. */
export type Expressions = {
  readonly references: readonly RootReference[];
  readonly values: InstanceValues;
};

/** The scope of a place for one lookup, with the late values that its references name. */
export function scopeAt(
  at: ModuleScope,
  { references, values }: Expressions,
  lookup: ReferenceLookup,
  report: Report,
): Scope {
  const base = baseScope(at, values, lookup);
  const direct = lateNames(references, at, base);
  if (direct.length === 0) return base;
  const known: Known = new Map();
  for (const late of ordered(closure(direct))) {
    const value = evaluateLate(late, known, lookup, report);
    const own = known.get(late.scope) ?? new Map<string, EvaluatedInput>();
    if (value !== undefined) known.set(late.scope, own.set(late.name, value));
  }
  return withLate(base, at, references, known);
}

/** References to instances: of the templates, and of the late values behind them. */
export function referencesIn(
  templates: readonly ConfigTemplate[],
  at: ModuleScope,
  values: InstanceValues,
): readonly Reference[] {
  const usable = usableIn(templates, at.module);
  const references = usable.flatMap((template) => template.references);
  const behind = closure(lateNames(references, at, baseScope(at, values, knowNothing)));
  const found = concrete(usable, at, values);
  for (const late of behind) {
    for (const place of placesOf(late)) {
      found.push(...concrete(usableIn(place.templates, place.at.module), place.at, place.values));
    }
  }
  return uniqueReferences(found);
}

function usableIn(
  templates: readonly ConfigTemplate[],
  { skipped }: Module,
): readonly ConfigTemplate[] {
  return templates.filter((template) => !skipped.has(template));
}

function concrete(
  templates: readonly ConfigTemplate[],
  at: ModuleScope,
  values: InstanceValues,
): Reference[] {
  const references = templates.flatMap((template) => template.references);
  // Problems of evaluating are reported where values are evaluated, not here.
  const scope = scopeAt(at, { references, values }, knowNothing, createReport());
  return templates.flatMap(({ template }) => [...concreteReferences(template, scope)]);
}

/** Late values that templates at a place use, directly or through others. */
export function lateBehind(
  templates: readonly ConfigTemplate[],
  at: ModuleScope,
  values: InstanceValues,
): readonly Late[] {
  const references = templates.flatMap((template) => template.references);
  return closure(lateNames(references, at, baseScope(at, values, knowNothing)));
}

/** The late values that references name at a place. `base` evaluates keys of instances. */
function lateNames(references: readonly RootReference[], at: ModuleScope, base: Scope): Late[] {
  return references.flatMap((reference): Late[] => {
    if (reference.root === "resource") return [];
    const { root, name } = reference;
    if (root === "vars" || root === "locals") {
      return lateOf(root, name, at.module).map((late) => ({ scope: at, name: late }));
    }
    if (root !== "module") return [];
    return callsNamed(reference, at.module).flatMap(({ name: call, called, output }) => {
      const names = lateOf("outputs", output, called);
      const key = keyRead(reference, at.module, base);
      const scopes = names.length === 0 ? [] : scopesCalled(call, key, at);
      return scopes.flatMap((scope) => names.map((late) => ({ scope, name: late })));
    });
  });
}

/** The key of the instance that a reference to a call reads, or undefined for any of them. */
function keyRead(
  { name, steps = [] }: Exclude<RootReference, { readonly root: "resource" }>,
  module: Module,
  base: Scope,
): InstanceKey | undefined {
  const [step] = steps;
  if (step === undefined || module.calls.get(name ?? "")?.instancing === "single") return undefined;
  const constant = step.text ?? step.number;
  if (constant !== undefined || step.source === undefined) return constant;
  return evaluateIndex(step.source, base);
}

function scopesCalled(
  call: string,
  key: InstanceKey | undefined,
  at: ModuleScope,
): readonly ModuleScope[] {
  const scopes = at.called.get(call)?.scopes;
  if (scopes === undefined) return [];
  if (key === undefined) return [...scopes.values()];
  const one = scopes.get(key);
  return one === undefined ? [] : [one];
}

/** The values and those behind them, each once. */
function closure(direct: readonly Late[]): readonly Late[] {
  const seen = new Map<ModuleScope, Set<string>>();
  const found: Late[] = [];
  const queue = [...direct];
  for (let index = 0; index < queue.length; index += 1) {
    const late = queue[index];
    if (late === undefined) break;
    const names = seen.get(late.scope) ?? new Set<string>();
    if (names.has(late.name)) continue;
    seen.set(late.scope, names.add(late.name));
    found.push(late);
    for (const { templates, at, values } of placesOf(late)) {
      const base = baseScope(at, values, knowNothing);
      const references = templates.flatMap((template) => template.references);
      queue.push(...lateNames(references, at, base));
    }
  }
  return found;
}

function ordered(late: readonly Late[]): readonly Late[] {
  const position = ({ scope, name }: Late): number => scope.module.late.get(name) ?? 0;
  return late.toSorted((a, b) => position(a) - position(b));
}

type Place = {
  readonly templates: readonly ConfigTemplate[];
  readonly at: ModuleScope;
  readonly values: InstanceValues;
};

/** All that has to be known before a late value may be used: itself, and what is asked of it. */
function placesOf(late: Late): readonly Place[] {
  const place = placeOf(late);
  if (place === undefined) return [];
  const { written, at, values } = place;
  const own = { templates: templatesOf(written), at, values };
  const asked = askedOf(late).flatMap(templatesOfCondition);
  return asked.length === 0 ? [own] : [own, { templates: asked, at: late.scope, values: {} }];
}

/** What the module asks of a late value before it is used. */
export function askedOf({ scope, name }: Late): readonly Condition[] {
  const { root, key } = nameParts(name);
  const { variables, outputs } = scope.module;
  if (root === "vars") return variables.get(key)?.validations ?? [];
  return root === "outputs" ? (outputs.get(key)?.conditions ?? []) : [];
}

function evaluateLate(
  late: Late,
  known: Known,
  lookup: ReferenceLookup,
  report: Report,
): EvaluatedInput | undefined {
  const place = placeOf(late);
  if (place === undefined) return undefined;
  const { written, at, values } = place;
  const references = referencesOfValue(written);
  const scope = withLate(baseScope(at, values, lookup), at, references, known);
  return evaluateNamed(late, place, scope, report);
}

type Members = { [name: string]: PlannedValue };

/** The scope with what is known of the late values that references name, and nothing besides. */
function withLate(
  base: Scope,
  at: ModuleScope,
  references: readonly RootReference[],
  known: Known,
): Scope {
  const direct = lateNames(references, at, base);
  if (direct.length === 0) return base;
  const sensitive = new Set(base.sensitive);
  const doubles = new Set(base.doubles);
  const pending: { [path: string]: DeferredValue } = { ...base.pending };
  const values: { [root: string]: Members } = {};
  for (const root of ["vars", "locals"] as const) {
    if (!direct.some(({ scope, name }) => scope === at && name.startsWith(`${root}.`))) continue;
    values[root] = namedMembers(references, root, base.values[root] ?? {});
  }
  const calls = new Map<string, Map<ModuleScope, Members>>();
  for (const { scope, name } of direct) {
    const evaluated = known.get(scope)?.get(name);
    if (evaluated === undefined) continue;
    for (const path of evaluated.sensitive) sensitive.add(path);
    for (const path of evaluated.doubles) doubles.add(path);
    Object.assign(pending, evaluated.deferred);
    const { root, key } = nameParts(name);
    if (root !== "outputs") {
      (values[root] ??= {})[key] = evaluated.value;
      continue;
    }
    const call = scope.path.at(-1)?.name ?? "";
    const scopes = calls.get(call) ?? new Map<ModuleScope, Members>();
    calls.set(call, scopes.set(scope, { ...scopes.get(scope), [key]: evaluated.value }));
  }
  if (calls.size > 0) values.module = moduleValues(base.values.module ?? {}, at, calls);
  return { ...base, values: { ...base.values, ...values }, sensitive, doubles, pending };
}

/** Of members that are known already, those that references name. */
function namedMembers(
  references: readonly RootReference[],
  root: "vars" | "locals",
  members: { readonly [name: string]: PlannedValue },
): Members {
  const own = references.filter((reference) => reference.root === root);
  if (own.some((reference) => reference.name === undefined)) return { ...members };
  return {
    ...mapOf(
      own.flatMap(({ name = "" }) => {
        const value = Object.hasOwn(members, name) ? members[name] : undefined;
        return value === undefined ? [] : [[name, value] as const];
      }),
    ),
  };
}

/** Outputs of calls, with late ones beside those that are known already. */
function moduleValues(
  known: { readonly [call: string]: PlannedValue },
  at: ModuleScope,
  calls: ReadonlyMap<string, ReadonlyMap<ModuleScope, Members>>,
): Members {
  const values: Members = { ...known };
  for (const [call, late] of calls) {
    const called = at.called.get(call);
    if (called === undefined) continue;
    const own = (scope: ModuleScope): Members => ({ ...scope.outputs, ...late.get(scope) });
    const scopes = [...called.scopes];
    if (called.instances.kind === "single") {
      const [first] = scopes;
      if (first !== undefined) values[call] = own(first[1]);
    } else if (called.instances.kind === "map") {
      values[call] = mapOf(scopes.map(([key, scope]) => [String(key), own(scope)] as const));
    } else values[call] = scopes.map(([, scope]) => own(scope));
  }
  return values;
}
