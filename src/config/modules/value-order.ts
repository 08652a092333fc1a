/**
 * The order in which values are evaluated, over all modules: variables of called modules, locals,
 * outputs of called modules, and which instances a call or a resource has. Says which of the values
 * are late.
 */

import type { RootReference } from "../../expressions/evaluate/references.ts";
import { type Edge, topologicalOrder } from "../../graph/order.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import { describeCycle } from "../blocks/cycle-text.ts";
import { writtenInstances } from "../blocks/resource.ts";
import type { ConfigValue } from "../read/value.ts";
import { type Place, placeText, type Report } from "../report.ts";
import { type Module, modulePathText, modulesIn, outputRead, referencesOfValue } from "./module.ts";

/**
 * One value of a module; `instances` are those of its call, `resource` those of a resource that
 * says how many it has, by its key.
 */
export type ValueNode = {
  readonly kind: "variable" | "local" | "output" | "instances" | "resource";
  readonly module: Module;
  readonly name: string;
  readonly place: Place;
};

type Graph = {
  readonly nodes: Map<string, ValueNode>;
  readonly edges: Edge[];
  /** Values that refer to a resource themselves. */
  readonly reading: Set<string>;
};

const cyclesMax = 10;

/** Each value after those it needs. Fills `late` of the modules; reports circles between values. */
export function orderValues(root: Module, report: Report): readonly ValueNode[] {
  const graph: Graph = { nodes: new Map(), edges: [], reading: new Set() };
  for (const module of modulesIn(root)) addModule(module, graph);
  let names: readonly string[] = [...graph.nodes.keys()];
  for (let found = 0; ; found += 1) {
    const result = topologicalOrder(names, graph.edges);
    if ("order" in result) {
      const order = result.order.flatMap((id) => graph.nodes.get(id) ?? []);
      markLate(result.order, graph);
      return order;
    }
    const cycle = new Set(result.cycle);
    names = names.filter((name) => !cycle.has(name));
    for (const id of cycle) breakNode(graph.nodes.get(id));
    if (found < cyclesMax) reportCycle(result.cycle, graph, report);
  }
}

function addModule(module: Module, graph: Graph): void {
  const { caller } = module;
  const add = (
    node: Omit<ValueNode, "module">,
    references: readonly RootReference[],
    writtenIn: Module,
  ): void => {
    const id = idOf(module, nameOf(node));
    graph.nodes.set(id, { ...node, module });
    for (const reference of references) {
      if (reference.root === "resource") graph.reading.add(id);
      for (const from of needsOf(reference, writtenIn)) graph.edges.push({ from, to: id });
    }
    if (node.kind !== "instances" && caller !== undefined) {
      graph.edges.push({ from: idOf(module, instancesName), to: id });
    }
  };
  if (caller !== undefined) {
    const { call, inputs, module: outer } = caller;
    const node = { kind: "instances", name: call.name, place: call.place } as const;
    add(node, referencesTo(writtenInstances(call)), outer);
    const outerInstances = idOf(outer, instancesName);
    graph.edges.push({ from: outerInstances, to: idOf(module, instancesName) });
    for (const { name, place } of module.variables.values()) {
      const input = inputs.get(name);
      add({ kind: "variable", name, place: input?.place ?? place }, referencesTo(input), outer);
    }
  }
  for (const { name, place, value } of module.locals.ordered) {
    add({ kind: "local", name, place }, referencesTo(value), module);
  }
  for (const resource of module.resources.values()) {
    const written = writtenInstances(resource);
    if (written === undefined) continue;
    const { key, place } = resource;
    add({ kind: "resource", name: key, place }, referencesTo(written), module);
  }
  if (caller === undefined) return;
  for (const { name, place, value, conditions } of module.outputs.values()) {
    // A value that waits for its conditions is as late as they are.
    const asked = conditions.flatMap(templatesOfCondition);
    const references = asked.flatMap((template) => template.references);
    add({ kind: "output", name, place }, [...referencesTo(value), ...references], module);
  }
}

function referencesTo(value: ConfigValue | undefined): readonly RootReference[] {
  return value === undefined ? [] : referencesOfValue(value);
}

/** What a module is called by, as a name within it. */
export const instancesName = "instances";

const rootsByKind = { variable: "vars", local: "locals", output: "outputs" } as const;

/** As in `Module.late`. */
export function nameOf({ kind, name }: Pick<ValueNode, "kind" | "name">): string {
  if (kind === "resource") return name;
  return kind === "instances" ? instancesName : `${rootsByKind[kind]}.${name}`;
}

/** Names what belongs to a module, over all of them. */
export function idOf(module: Module, name: string): string {
  return `${module.path.join("/")} ${name}`;
}

/** Ids of the values, and of the resource, that a reference needs. */
export function needsOf(reference: RootReference, module: Module): readonly string[] {
  if (reference.root === "resource") return [idOf(module, `${reference.type}.${reference.name}`)];
  const { root, name } = reference;
  if (root === "vars" || root === "locals") {
    const all = root === "vars" ? module.variables.keys() : module.locals.names;
    return (name === undefined ? [...all] : [name]).map((one) => idOf(module, `${root}.${one}`));
  }
  if (root !== "module") return [];
  const calls = name === undefined ? [...module.calls.keys()] : [name];
  return calls.flatMap((one) => {
    const [call, called] = [module.calls.get(one), module.called.get(one)];
    if (call === undefined || called === undefined) return [];
    const output = name === undefined ? undefined : outputRead(reference, call);
    const outputs = output === undefined ? [...called.outputs.keys()] : [output];
    const ids = outputs.map((each) => idOf(called, `outputs.${each}`));
    return [idOf(called, instancesName), ...ids];
  });
}

function markLate(order: readonly string[], { nodes, edges, reading }: Graph): void {
  const needs = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = needs.get(to);
    if (known === undefined) needs.set(to, [from]);
    else known.push(from);
  }
  const late = new Set<string>();
  for (const [position, id] of order.entries()) {
    const node = nodes.get(id);
    // Which instances there are is found out once, before anything is planned.
    if (node === undefined || node.kind === "instances" || node.kind === "resource") continue;
    if (!reading.has(id) && !(needs.get(id) ?? []).some((from) => late.has(from))) continue;
    late.add(id);
    node.module.late.set(nameOf(node), position);
  }
}

function breakNode(node: ValueNode | undefined): void {
  if (node === undefined) return;
  const { module, name, kind } = node;
  if (kind !== "instances") module.broken.add(nameOf(node));
  else module.caller?.module.broken.add(`module.${name}`);
}

function reportCycle(cycle: readonly string[], { nodes }: Graph, report: Report): void {
  const steps = cycle.toReversed().flatMap((id) => {
    const node = nodes.get(id);
    if (node === undefined) return [];
    return [{ name: shownName(node), where: placeText(node.place), place: node.place }];
  });
  const { detail, first } = describeCycle(steps);
  const fix = "Write one of them without the other.";
  report.add("CFG030", { detail, fix, place: first?.place });
}

function shownName(node: ValueNode): string {
  const path = modulePathText(node.module);
  if (node.kind === "instances") return path;
  const name = nameOf(node);
  return path === "" ? name : `${name} of ${path}`;
}
