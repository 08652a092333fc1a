/**
 * Selection: which objects a plan is about, when `--target` or `--exclude` narrow it. What is left
 * out stays as it is, and is never left in a state its dependencies no longer support.
 */

import type { PlanScope } from "../../model/plan/plan.ts";
import { type Address, type Selector, selects } from "../../model/value/address.ts";
import type { PlanInput } from "../input.ts";
import type { Links } from "./links.ts";

export type Selection = {
  /** True when everything is selected. */
  readonly all: boolean;
  readonly scope: PlanScope;
  has(address: Address): boolean;
};

export function select(input: PlanInput, links: Links): Selection {
  const { targets, excludes } = input.select;
  const every = addressesOf(input);
  const objects = every.length;
  if (targets.length === 0 && excludes.length === 0) {
    return { all: true, scope: { selected: objects, objects }, has: () => true };
  }
  const edges = dependencyEdges(input, links);
  const desired =
    input.mode === "destroy"
      ? new Set<Address>()
      : new Set(input.desired.instances.map((instance) => instance.address));
  let selected = new Set(every);
  if (targets.length > 0) selected = withTargets(every, targets, edges, desired);
  for (const address of withExcludes(every, excludes, edges, desired)) selected.delete(address);
  const scope = { selected: selected.size, objects };
  return { all: false, scope, has: (address) => selected.has(address) };
}

type Edges = {
  readonly dependencies: ReadonlyMap<Address, readonly Address[]>;
  readonly dependents: ReadonlyMap<Address, readonly Address[]>;
};

/** Targets with what they depend on; what is deleted, with what depends on it. */
function withTargets(
  every: readonly Address[],
  targets: readonly Selector[],
  edges: Edges,
  desired: ReadonlySet<Address>,
): Set<Address> {
  const matched = every.filter((address) => matches(address, targets));
  const deleted = matched.filter((address) => !desired.has(address));
  const doomed = closure(deleted, (address) => edges.dependents.get(address) ?? []);
  return closure([...matched, ...doomed], (address) =>
    desired.has(address) ? (edges.dependencies.get(address) ?? []) : [],
  );
}

/** Excluded objects with what depends on them; of what stays, nothing it needs is deleted. */
function withExcludes(
  every: readonly Address[],
  excludes: readonly Selector[],
  edges: Edges,
  desired: ReadonlySet<Address>,
): ReadonlySet<Address> {
  const matched = every.filter((address) => matches(address, excludes));
  const kept = closure(matched, (address) =>
    (edges.dependents.get(address) ?? []).filter((dependent) => desired.has(dependent)),
  );
  const needed = closure([...kept], (address) =>
    (edges.dependencies.get(address) ?? []).filter((dependency) => !desired.has(dependency)),
  );
  return needed;
}

function closure(
  start: readonly Address[],
  next: (address: Address) => readonly Address[],
): Set<Address> {
  const found = new Set<Address>();
  const stack = [...start];
  for (let address = stack.pop(); address !== undefined; address = stack.pop()) {
    if (found.has(address)) continue;
    found.add(address);
    for (const other of next(address)) stack.push(other);
  }
  return found;
}

export function matches(address: Address, selectors: readonly Selector[]): boolean {
  return selectors.some((selector) => selects(selector, address));
}

function addressesOf(input: PlanInput): readonly Address[] {
  const all = [
    ...input.desired.instances.map((instance) => instance.address),
    ...input.recorded.objects.map((object) => object.address),
  ];
  return [...new Set(all)];
}

function listOf(lists: Map<Address, Address[]>, key: Address): Address[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function dependencyEdges(input: PlanInput, links: Links): Edges {
  const dependencies = new Map<Address, Address[]>();
  const dependents = new Map<Address, Address[]>();
  const add = (from: Address, to: Address): void => {
    listOf(dependencies, from).push(to);
    listOf(dependents, to).push(from);
  };
  for (const { address, dependencies: all } of input.desired.instances) {
    for (const dependency of all) add(address, dependency);
    for (const dependency of links.byValue.get(address) ?? []) add(address, dependency);
  }
  for (const object of input.recorded.objects) {
    for (const dependency of object.dependencies) add(object.address, dependency);
  }
  return { dependencies, dependents };
}
