/**
 * Edges by value: a literal `parent_id: base` or `vm_id: web` orders objects as a reference would.
 * Gives the order in which desired instances are classified.
 */

import { topologicalOrder } from "../../graph/order.ts";
import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { problem } from "../codes.ts";
import type { PlanInput } from "../input.ts";
import { wantedObjects } from "./wanted.ts";

export type Links = {
  /** Instances in dependency order; empty when they form a cycle. */
  readonly order: readonly DesiredInstance[];
  /** Dependencies found by value, by dependent. */
  readonly byValue: ReadonlyMap<Address, readonly Address[]>;
  readonly diagnostics: readonly Diagnostic[];
};

export function resolveLinks(input: PlanInput): Links {
  const { instances } = input.desired;
  const byReference = instances.flatMap((instance) =>
    instance.dependencies.map((from) => ({ from, to: instance.address })),
  );
  const first = sort(instances, byReference);
  // The configuration reports cycles of references; planning one is a fault of ours.
  if ("cycle" in first) throw new Error(`cycle among instances: ${first.cycle.join(" → ")}`);
  const byValue: Links["byValue"] = input.rules.valueEdges
    ? findLinks(input, first.order)
    : new Map<Address, readonly Address[]>();
  if (byValue.size === 0) return { order: first.order, byValue, diagnostics: [] };
  const links = [...byValue].flatMap(([to, all]) => all.map((from) => ({ from, to })));
  const second = sort(instances, [...byReference, ...links]);
  if ("order" in second) return { order: second.order, byValue, diagnostics: [] };
  return { order: [], byValue, diagnostics: [cycleProblem(second.cycle)] };
}

function sort(
  instances: readonly DesiredInstance[],
  edges: readonly { readonly from: Address; readonly to: Address }[],
): { readonly order: readonly DesiredInstance[] } | { readonly cycle: readonly Address[] } {
  const byAddress = new Map<string, DesiredInstance>();
  for (const instance of instances) byAddress.set(instance.address, instance);
  const sorted = topologicalOrder([...byAddress.keys()], edges);
  if ("cycle" in sorted) {
    return { cycle: sorted.cycle.flatMap((address) => byAddress.get(address)?.address ?? []) };
  }
  return { order: sorted.order.flatMap((address) => byAddress.get(address) ?? []) };
}

/** Resolves key and link attributes with what the configuration alone knows. */
function findLinks(
  input: PlanInput,
  order: readonly DesiredInstance[],
): ReadonlyMap<Address, readonly Address[]> {
  const result = new Map<Address, readonly Address[]>();
  if (!order.some((instance) => linkAttributes(input, instance).length > 0)) return result;
  const wanted = wantedObjects(order, input.types, input.data);
  const owners = new Map<string, Address>();
  for (const [address, { instance, identity }] of wanted) {
    if (identity !== undefined) owners.set(key(instance, instance.type, identity), address);
  }
  for (const instance of order) {
    const found = linkAttributes(input, instance).flatMap(({ attribute, type }) => {
      const value = wanted.get(instance.address)?.attributes[attribute];
      if (typeof value !== "string") return [];
      const owner = owners.get(key(instance, type, value));
      return owner === undefined || owner === instance.address ? [] : [owner];
    });
    if (found.length > 0) result.set(instance.address, found);
  }
  return result;
}

function key(instance: DesiredInstance, type: string, identity: string): string {
  return `${instance.provider} ${type} ${identity}`;
}

function linkAttributes(
  input: PlanInput,
  instance: DesiredInstance,
): readonly { readonly attribute: string; readonly type: string }[] {
  const type = input.types[instance.type];
  if (type === undefined) return [];
  return type.container === undefined ? type.links : [...type.links, type.container];
}

function cycleProblem(cycle: readonly Address[]): Diagnostic {
  const [address] = cycle;
  const shown = cycle.length > 12 ? [...cycle.slice(0, 6), "…", ...cycle.slice(-5)] : cycle;
  return problem({ address }, "PLN009", {
    detail: `Each needs the one before it: ${[...shown, address].join(" → ")}.`,
    fix: "Remove one of the references, or a literal id that names another resource.",
  });
}
