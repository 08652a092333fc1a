/** What each instance refers to and depends on, and the circles among them. */

import type { RootReference } from "../../expressions/evaluate/references.ts";
import { type Edge, topologicalOrder } from "../../graph/order.ts";
import { type Address, resourceOf, toAddress } from "../../model/value/address.ts";
import { type Reference, uniqueReferences } from "../../model/value/expression.ts";
import type { Trigger } from "../../model/value/trigger.ts";
import { type CycleStep, describeCycle } from "../blocks/cycle-text.ts";
import { type Resource, templatesIn, writtenInstances } from "../blocks/resource.ts";
import { isLateReference, templatesBehind } from "../modules/late-names.ts";
import { type Module, reportIn } from "../modules/module.ts";
import type { ModuleScope } from "../modules/module-scope.ts";
import { type ConfigTemplate, templatesOf } from "../read/value.ts";
import { type Place, placeText, type Report } from "../report.ts";
import { referencesIn } from "../values/late-values.ts";
import type { Instance } from "./instance.ts";
import type { InstancesByResource } from "./instances.ts";
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

export function linkInstances(byResource: InstancesByResource, report: Report): Links {
  const links = new Map<Address, InstanceLinks>();
  const inherited = new Map<ModuleScope, readonly Address[]>();
  for (const { scope, resource, instances } of byResource.values()) {
    const naming = { byResource, scope, report: reportIn(scope.module, report) };
    const known = inherited.get(scope) ?? calledAfter(scope, byResource, report);
    inherited.set(scope, known);
    const explicit = namedDependencies(resource.dependsOn, naming);
    const dependsOn = [...known, ...expandedBy(resource, scope), ...explicit];
    const named = namedTriggers(resource, naming);
    const templates = templatesIn(resource);
    const usesEach = templates.some(({ references }) =>
      references.some(({ root, name }) => root === "each" && name !== "key"),
    );
    const link = (instance: Instance): InstanceLinks => {
      const own = templates.length === 0 ? [] : referencesIn(templates, scope, instance.values);
      const late = usesEach ? (instance.values.late?.references ?? []) : [];
      const references = late.length === 0 ? own : uniqueReferences([...own, ...late]);
      return linksOf(references, dependsOn, triggersOf(instance.address, named));
    };
    const [first] = instances;
    const isShared =
      named.byKey.size === 0 &&
      !isDynamic(templates, scope.module) &&
      !(usesEach && instances.some(({ values }) => values.late !== undefined));
    const shared = first !== undefined && isShared ? link(first) : undefined;
    for (const instance of instances) links.set(instance.address, shared ?? link(instance));
  }
  return links;
}

/** What `count` or `for_each` is known from: whatever has instances by it comes after that. */
function expandedBy(
  expanded: Pick<Resource, "forEach" | "count">,
  scope: ModuleScope,
): readonly Address[] {
  const written = writtenInstances(expanded);
  if (written === undefined || written.kind === "constant") return [];
  return referencesIn(templatesOf(written), scope, {}).map(({ address }) => address);
}

/** What the calls that lead to a module instance depend on. */
function calledAfter(
  { module, caller }: ModuleScope,
  byResource: InstancesByResource,
  report: Report,
): readonly Address[] {
  if (caller === undefined || module.caller === undefined) return [];
  const { scope } = caller;
  const naming = { byResource, scope, report: reportIn(scope.module, report) };
  const { call } = module.caller;
  const own = [...expandedBy(call, scope), ...namedDependencies(call.dependsOn, naming)];
  return [...calledAfter(scope, byResource, report), ...own];
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
function isDynamic(templates: readonly ConfigTemplate[], module: Module): boolean {
  return templatesBehind(templates, module).some(({ template: { references } }) =>
    references.some((reference) => {
      if (reference.root === "resource") return reference.dynamicKey;
      return reference.root === "module" && reference.steps?.[0]?.source !== undefined;
    }),
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
  byResource: InstancesByResource,
  report: Report,
): readonly string[] {
  const { nodes, edges } = dependencyGraph(links, byResource);
  let remaining: readonly string[] = nodes;
  for (let found = 0; found < cyclesMax; found += 1) {
    const result = topologicalOrder(remaining, edges);
    if ("order" in result) return result.order.filter((node) => !node.startsWith(groupMark));
    const needing = result.cycle.toReversed();
    reportCycle(
      needing.filter((node) => !node.startsWith(groupMark)),
      byResource,
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
  byResource: InstancesByResource,
): { readonly nodes: readonly string[]; readonly edges: readonly Edge[] } {
  const nodes: string[] = [...links.keys()];
  const edges: Edge[] = [];
  for (const [key, { instances: own }] of byResource) {
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

function reportCycle(
  cycle: readonly string[],
  byResource: InstancesByResource,
  report: Report,
): void {
  const steps = cycle.map((address, index): CycleStep => {
    const next = cycle[(index + 1) % cycle.length] ?? address;
    const place = placeOfNeed(address, next, byResource);
    return { name: address, where: place === undefined ? "" : placeText(place), place };
  });
  const { detail, first } = describeCycle(steps);
  const fix = "Take one of these references or depends_on entries away.";
  report.add("CFG031", { detail, fix, place: first?.place, address: toAddress(first?.name ?? "") });
}

/** Where a resource refers to the next one of a circle; its own place if it does so elsewhere. */
function placeOfNeed(
  address: string,
  next: string,
  byResource: InstancesByResource,
): Place | undefined {
  const found = byResource.get(keyOf(address));
  if (found === undefined) return undefined;
  const { resource, scope } = found;
  const wanted = byResource.get(keyOf(next));
  const isWanted = (reference: RootReference): boolean =>
    reference.root === "resource" &&
    wanted?.scope === scope &&
    `${reference.type}.${reference.name}` === wanted.resource.key;
  const templates = templatesIn(resource);
  const template = templates.find(({ references }) => references.some(isWanted));
  const named = [...resource.dependsOn, ...resource.triggers];
  const explicit = named.find(
    ({ text }) => wanted !== undefined && keyOf(text) === wanted.resource.key,
  );
  const throughValue = templates.find(({ references }) =>
    references.some(
      (reference) => reference.root !== "resource" && isLateReference(reference, scope.module),
    ),
  );
  return template?.place ?? explicit?.place ?? throughValue?.place ?? resource.place;
}

/** The resource of an instance; a text that is no address stands for itself. */
function keyOf(address: string): string {
  const found = toAddress(address);
  return found === undefined ? address : resourceOf(found);
}
