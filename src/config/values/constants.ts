/**
 * Evaluates what needs no resource, once, in order: locals, inputs and outputs of modules; and
 * which instances each call of a module and each resource has.
 */

import { noResources, type Scope, valuePath } from "../../expressions/evaluate/scope.ts";
import type { InstanceKey, ModuleStep } from "../../model/value/address.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import type { PlannedValue } from "../../model/value/value.ts";
import { writtenInstances } from "../blocks/resource.ts";
import { numberPaths } from "../blocks/variable-type.ts";
import {
  type Instances,
  isBrokenReference,
  isWaitingFor,
  type Module,
  reportIn,
  writtenAs,
} from "../modules/module.ts";
import {
  type CalledModule,
  type InstanceValues,
  type ModuleScope,
  valuesByKey,
} from "../modules/module-scope.ts";
import { nameOf, type ValueNode } from "../modules/value-order.ts";
import { type ConfigTemplate, mapOf, templatesOf } from "../read/value.ts";
import type { Report } from "../report.ts";
import { checkTemplates, type ExpressionPlace } from "./check-expressions.ts";
import { expandInstances } from "./expand.ts";
import { constantInput, type EvaluatedInput } from "./input-value.ts";
import { evaluateNamed, placeOf } from "./named-value.ts";
import { type Waiting, waitingIn } from "./waiting.ts";

type Members = { [name: string]: PlannedValue };

/** A scope while its values are filled in. */
type Filling = {
  readonly scope: ModuleScope;
  /** Of the module instance that calls it. */
  readonly outer: Filling | undefined;
  readonly vars: Members;
  readonly locals: Members;
  readonly calls: Members;
  readonly outputs: Members;
  readonly sensitive: Set<string>;
  readonly doubles: Set<string>;
  readonly instances: Map<string, Instances>;
  readonly called: Map<string, CalledModule>;
};

type Evaluating = {
  /** By module, its instances in order. */
  readonly fillings: Map<Module, readonly Filling[]>;
  /** What is known of resources and data sources before anything is planned. */
  readonly known: ReferenceLookup;
  readonly waiting: Waiting[];
  readonly report: Report;
};

/**
 * The scope of the root module, and through `called` of all others; what waits for something to be
 * read goes to `waiting`. Problems break what they concern.
 */
export function evaluateConstants(
  root: Module,
  order: readonly ValueNode[],
  to: Pick<Evaluating, "known" | "waiting" | "report">,
): ModuleScope {
  const first = newFilling(root, [], undefined);
  fillVariables(first);
  const evaluating = { ...to, fillings: new Map([[root, [first]]]) };
  for (const node of order) evaluateNode(node, evaluating);
  return first.scope;
}

function newFilling(
  module: Module,
  path: readonly ModuleStep[],
  outer: { readonly filling: Filling; readonly values: InstanceValues } | undefined,
): Filling {
  const filled = {
    vars: {},
    locals: {},
    calls: {},
    outputs: {},
    sensitive: new Set<string>(),
    doubles: new Set<string>(),
    instances: new Map<string, Instances>(),
    called: new Map<string, CalledModule>(),
  };
  const { vars, locals, calls, outputs, sensitive, doubles, instances, called } = filled;
  const folders = { module: module.directory, root: module.rootDirectory };
  const own = { workspace: module.workspace };
  const constants: Scope = {
    values: { vars, locals, module: calls, path: folders, vmform: own },
    resources: noResources,
    sensitive,
    doubles,
    pending: {},
    modules: path,
    ...module.context,
  };
  const caller = outer && { scope: outer.filling.scope, values: outer.values };
  for (const [key, resource] of module.resources) {
    if (writtenInstances(resource) !== undefined) continue;
    const { broken, instancing } = resource;
    if (broken || instancing !== "single") module.broken.add(key);
    else instances.set(key, { kind: "single" });
  }
  const scope = { module, path, constants, outputs, instances, caller, called };
  return { ...filled, scope, outer: outer?.filling };
}

/** Of the root module, whose variables have their values from outside. */
function fillVariables({ scope, vars, sensitive, doubles }: Filling): void {
  for (const { name, value, valueType, sensitive: secret } of scope.module.variables.values()) {
    if (value === undefined) continue;
    vars[name] = value;
    if (secret) sensitive.add(valuePath("vars", name));
    for (const path of numberPaths(value, valueType, valuePath("vars", name))) doubles.add(path);
  }
}

function evaluateNode(node: ValueNode, evaluating: Evaluating): void {
  const { module } = node;
  const { fillings, report } = evaluating;
  if (node.kind === "instances") return expandCall(module, evaluating);
  if (node.kind === "resource") return expandResource(node, evaluating);
  const name = nameOf(node);
  if (module.broken.has(name)) return;
  const written = writtenAs(name, module);
  if (written !== undefined) {
    const { value, module: at } = written;
    const templates = templatesOf(value);
    const place = node.kind === "variable" ? placeOfCall(module) : {};
    checkTemplates(templates, place, at, reportIn(at, report));
    if (templates.some((template) => at.skipped.has(template) || isBroken(template, at))) {
      module.broken.add(name);
      return;
    }
    if (isWaitingFor(templates, at)) {
      module.waiting.add(name);
      return;
    }
  }
  if (module.late.has(name)) return;
  for (const filling of fillings.get(module) ?? []) {
    const evaluated = evaluateIn(node, filling, report);
    if (evaluated === undefined) module.broken.add(name);
    else keep(node, evaluated, filling);
  }
}

function placeOfCall({ caller }: Module): ExpressionPlace {
  const instancing = caller?.call.instancing;
  return { each: instancing === "map", count: instancing === "list" };
}

function isBroken(template: ConfigTemplate, module: Module): boolean {
  return template.references.some((reference) => isBrokenReference(reference, module));
}

function evaluateIn(
  node: ValueNode,
  { scope }: Filling,
  report: Report,
): EvaluatedInput | undefined {
  const named = { scope, name: nameOf(node) };
  const place = placeOf(named);
  if (place === undefined) {
    const variable = node.kind === "variable" ? node.module.variables.get(node.name) : undefined;
    const fallback = variable?.default;
    return variable && fallback !== undefined ? constantInput(variable, fallback) : undefined;
  }
  const { constants } = place.at;
  const within = { ...constants, values: { ...constants.values, ...place.values } };
  return evaluateNamed(named, place, within, report);
}

/** Outputs are known to the module that calls. */
function keep(
  { kind, name }: ValueNode,
  { value, sensitive, doubles }: EvaluatedInput,
  filling: Filling,
): void {
  const members = { variable: filling.vars, local: filling.locals, output: filling.outputs };
  if (kind !== "instances" && kind !== "resource") members[kind][name] = value;
  const marked = kind === "output" ? filling.outer : filling;
  for (const path of sensitive) marked?.sensitive.add(path);
  for (const path of doubles) marked?.doubles.add(path);
}

/** Finds the instances of a resource, in each instance of its module. */
function expandResource({ module, name: key }: ValueNode, evaluating: Evaluating): void {
  const resource = module.resources.get(key);
  if (resource === undefined) return;
  for (const { scope, instances } of evaluating.fillings.get(module) ?? []) {
    const own = expandInstances(resource, { ...evaluating, at: scope, lateValues: true });
    if (own === undefined) module.broken.add(key);
    else if ("waiting" in own) {
      module.waiting.add(key);
      evaluating.waiting.push(waitingIn(scope, key, own.waiting));
    } else instances.set(key, own);
  }
}

/** Makes the instances of a call, in each instance of the module that calls. */
function expandCall(module: Module, evaluating: Evaluating): void {
  const { caller } = module;
  if (caller === undefined) return;
  const { fillings } = evaluating;
  const { module: outer, call } = caller;
  const name = `module.${call.name}`;
  const made: Filling[] = [];
  for (const filling of fillings.get(outer) ?? []) {
    const instances = expandInstances(call, { ...evaluating, at: filling.scope });
    if (instances === undefined) {
      outer.broken.add(name);
      continue;
    }
    if ("waiting" in instances) {
      outer.waiting.add(name);
      evaluating.waiting.push(waitingIn(filling.scope, name, instances.waiting));
      continue;
    }
    const scopes = new Map<InstanceKey | undefined, ModuleScope>();
    const outputs: (readonly [InstanceKey | undefined, Members])[] = [];
    for (const [key, values] of valuesByKey(instances)) {
      const step = key === undefined ? { name: call.name } : { name: call.name, key };
      const path = [...filling.scope.path, step];
      const inner = newFilling(module, path, { filling, values });
      made.push(inner);
      scopes.set(key, inner.scope);
      outputs.push([key, inner.outputs]);
    }
    filling.called.set(call.name, { instances, scopes });
    // The outputs themselves are filled in later, each in its turn.
    const values = callValue(instances, outputs);
    if (values !== undefined) filling.calls[call.name] = values;
  }
  fillings.set(module, made);
}

function callValue(
  { kind }: Instances,
  outputs: readonly (readonly [InstanceKey | undefined, Members])[],
): PlannedValue | undefined {
  if (kind === "single") return outputs[0]?.[1];
  if (kind === "list") return outputs.map(([, members]) => members);
  return mapOf(outputs.map(([key, members]) => [String(key), members] as const));
}
