/** What each instance refers to and depends on, and the circles among them. */

import { concreteReferences } from "../../expressions/evaluate/references.ts";
import { type Edge, topologicalOrder } from "../../graph/order.ts";
import { type Address, parseAddress, toAddress } from "../../model/value/address.ts";
import { type Reference, uniqueReferences } from "../../model/value/expression.ts";
import type { Trigger } from "../../model/value/trigger.ts";
import { type CycleStep, describeCycle } from "../blocks/cycle-text.ts";
import { resourceKey, templatesIn } from "../blocks/resource.ts";
import { type ConfigTemplate, templatesOf } from "../read/value.ts";
import { createReport, type Place, placeText, type Report } from "../report.ts";
import type { Instance } from "./instance.ts";
import type { Module } from "./module.ts";
import { instanceScope, knowNothing, type ModuleScope, type ScopeNeeds } from "./module-scope.ts";
import { namedDependencies, namedTriggers, triggersOf } from "./named-instances.ts";

export type InstanceLinks = {
  readonly references: readonly Reference[];
  /** What `depends_on` and `replace_triggered_by` name. */
  readonly explicit: readonly Address[];
  /** What it is made anew for. */
  readonly triggers: readonly Trigger[];
  /** References and what is named explicitly, without duplicates. */
  readonly dependencies: readonly Address[];
};

/** Links of each instance, in order. Instances of one resource share them where they are equal. */
export type Links = ReadonlyMap<Address, InstanceLinks>;

export type InstancesByResource = ReadonlyMap<string, readonly Instance[]>;

export function linkInstances(
  scope: ModuleScope,
  instances: InstancesByResource,
  needs: ReadonlyMap<string, ScopeNeeds>,
  report: Report,
): Links {
  const links = new Map<Address, InstanceLinks>();
  for (const [key, own] of instances) {
    const resource = scope.module.resources.get(key);
    const needed = needs.get(key);
    if (resource === undefined || needed === undefined) continue;
    const naming = { instances, module: scope.module, report };
    const dependsOn = namedDependencies(resource, naming);
    const named = namedTriggers(resource, naming);
    const templates = templatesFor(templatesIn(resource), needed, scope.module);
    const link = (instance: Instance): InstanceLinks => {
      const references =
        templates.length === 0 ? [] : referencesIn(templates, scope, needed, instance.values);
      return linksOf(references, dependsOn, triggersOf(instance.address, named));
    };
    const [first] = own;
    const isShared = named.byKey.size === 0 && !isDynamic(templates);
    const shared = first !== undefined && isShared ? link(first) : undefined;
    for (const instance of own) links.set(instance.address, shared ?? link(instance));
  }
  return links;
}

/** Templates of a value and of the late locals behind it, without those that have problems. */
export function templatesFor(
  own: readonly ConfigTemplate[],
  needs: ScopeNeeds,
  module: Module,
): readonly ConfigTemplate[] {
  const late = needs.late.flatMap(({ value }) => (value === undefined ? [] : templatesOf(value)));
  return [...own, ...late].filter((template) => !module.skipped.has(template));
}

/** References of templates to instances, without duplicates. */
export function referencesIn(
  templates: readonly ConfigTemplate[],
  scope: ModuleScope,
  needs: ScopeNeeds,
  values: Instance["values"],
): readonly Reference[] {
  // Problems of evaluating are reported where values are evaluated, not here.
  const evaluated = instanceScope(scope, needs, values, knowNothing, createReport());
  return uniqueReferences(
    templates.flatMap(({ template }) => concreteReferences(template, evaluated)),
  );
}

function linksOf(
  references: readonly Reference[],
  dependsOn: readonly Address[],
  triggers: readonly Trigger[],
): InstanceLinks {
  const explicit =
    triggers.length === 0
      ? dependsOn
      : [...new Set([...dependsOn, ...triggers.map(({ address }) => address)])];
  const dependencies = [...new Set([...references.map(({ address }) => address), ...explicit])];
  return { references, explicit, triggers, dependencies };
}

/** Whether an instance may be chosen by `each` or `count`, so that links differ by instance. */
function isDynamic(templates: readonly ConfigTemplate[]): boolean {
  return templates.some(({ references }) =>
    references.some((reference) => reference.root === "resource" && reference.dynamicKey),
  );
}

const cyclesMax = 10;
const groupMark = "all of ";

/**
 * Addresses, each after those it depends on. Circles are reported, each with the places where one
 * needs the next, and left out with whatever stands in them.
 */
export function orderInstances(
  links: Links,
  instances: InstancesByResource,
  module: Module,
  report: Report,
): readonly string[] {
  const { nodes, edges } = dependencyGraph(links, instances);
  let remaining: readonly string[] = nodes;
  for (let found = 0; found < cyclesMax; found += 1) {
    const result = topologicalOrder(remaining, edges);
    if ("order" in result) return result.order.filter((node) => !node.startsWith(groupMark));
    const needing = result.cycle.toReversed();
    reportCycle(
      needing.filter((node) => !node.startsWith(groupMark)),
      module,
      report,
    );
    const cycle = new Set(result.cycle);
    remaining = remaining.filter((node) => !cycle.has(node));
  }
  return [];
}

/**
 * Instances that share their links get one node in between, so that all-to-all dependencies of two
 * large resources stay linear.
 */
function dependencyGraph(
  links: Links,
  instances: InstancesByResource,
): { readonly nodes: readonly string[]; readonly edges: readonly Edge[] } {
  const nodes: string[] = [...links.keys()];
  const edges: Edge[] = [];
  for (const [key, own] of instances) {
    let shared: InstanceLinks | undefined;
    const group = `${groupMark}${key}`;
    for (const { address } of own) {
      const link = links.get(address);
      if (link === undefined || link.dependencies.length === 0) continue;
      if (link === shared) {
        edges.push({ from: group, to: address });
        continue;
      }
      if (shared === undefined && own.length > 1) {
        shared = link;
        nodes.push(group);
        edges.push({ from: group, to: address });
      }
      const to = shared === link ? group : address;
      for (const from of link.dependencies) edges.push({ from, to });
    }
  }
  return { nodes, edges };
}

function reportCycle(cycle: readonly string[], module: Module, report: Report): void {
  const steps = cycle.map((address, index): CycleStep => {
    const next = cycle[(index + 1) % cycle.length] ?? address;
    const place = placeOfNeed(address, next, module);
    return { name: address, where: place === undefined ? "" : placeText(place), place };
  });
  const { detail, first } = describeCycle(steps);
  const fix = "Take one of these references or depends_on entries away.";
  report.add("CFG031", { detail, fix, place: first?.place, address: toAddress(first?.name ?? "") });
}

/** Where a resource refers to the next one of a circle; its own place if it does so elsewhere. */
function placeOfNeed(address: string, next: string, module: Module): Place | undefined {
  const resource = module.resources.get(keyOf(address));
  const wanted = keyOf(next);
  const templates = resource === undefined ? [] : templatesIn(resource);
  const template = templates.find(({ references }) =>
    references.some(
      (reference) =>
        reference.root === "resource" && `${reference.type}.${reference.name}` === wanted,
    ),
  );
  const named = [...(resource?.dependsOn ?? []), ...(resource?.triggers ?? [])];
  const explicit = named.find(({ text }) => text === wanted || keyOf(text) === wanted);
  const throughLocal = templates.find(({ references }) =>
    references.some(({ root, name }) => root === "locals" && module.locals.late.has(name ?? "")),
  );
  return template?.place ?? explicit?.place ?? throughLocal?.place ?? resource?.place;
}

function keyOf(address: string): string {
  const parts = parseAddress(address);
  return parts === undefined ? address : resourceKey(parts);
}
