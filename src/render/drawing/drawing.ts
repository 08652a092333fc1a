/** Graphs as data to draw: resources by what they depend on, operations by what they wait for. */

import { plural } from "../../lib/text.ts";
import type { OperationEdge } from "../../model/operation/operation.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { type Address, compareAddresses, resourceOf } from "../../model/value/address.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { orderOperations } from "../plan/operation-order.ts";

export type DrawingNode = {
  readonly id: string;
  /** Lines of its label. */
  readonly label: readonly string[];
  /** Id of the group it stands in. */
  readonly group?: string;
  /** Used only when another one fails. */
  readonly fallback?: boolean;
};

/** `needs`: the first depends on the second. The others lead from what ends to what waits. */
export type DrawingEdge = {
  readonly from: string;
  readonly to: string;
  readonly kind: "needs" | OperationEdge["on"];
};

export type Drawing = {
  readonly name: "resources" | "operations";
  readonly nodes: readonly DrawingNode[];
  readonly groups: readonly { readonly id: string; readonly label: string }[];
  readonly edges: readonly DrawingEdge[];
};

/**
 * One node for each resource, in the order of the configuration, whatever its number of instances,
 * and for each data source; edges by name. Linear in instances and their dependencies.
 */
export function resourceDrawing({ instances, data }: Pick<Desired, "instances" | "data">): Drawing {
  const counts = new Map<Address, { count: number; keyed: boolean }>();
  const needs = new Map<Address, Set<Address>>();
  for (const { address, dependencies, data: asked } of [...instances, ...data]) {
    const resource = resourceOf(address);
    const known = counts.get(resource) ?? { count: 0, keyed: resource !== address };
    counts.set(resource, { ...known, count: known.count + 1 });
    const needed = needs.get(resource) ?? new Set<Address>();
    for (const dependency of [...dependencies, ...asked]) needed.add(resourceOf(dependency));
    needs.set(resource, needed);
  }
  const nodes = [...counts].map(([id, { count, keyed }]): DrawingNode => {
    return { id, label: keyed ? [id, plural(count, "instance")] : [id] };
  });
  const edges = [...needs].flatMap(([from, all]) =>
    [...all].toSorted(compareAddresses).map((to): DrawingEdge => ({ from, to, kind: "needs" })),
  );
  return { name: "resources", nodes, groups: [], edges };
}

/** Operations in a permitted order, those of one window together. */
export function operationDrawing(plan: Plan): Drawing {
  const ordered = orderOperations(plan);
  const known = new Set([...ordered, ...plan.joins].map(({ id }) => id));
  const groups = new Map<string, string>();
  const nodes = ordered.map((operation): DrawingNode => {
    const { id, summary } = operation;
    const { address } = operation.subject;
    const { window, fallbackFor } = operation.order;
    if (window !== undefined && (window.role === "open" || !groups.has(window.id))) {
      groups.set(window.id, `power window of ${address}`);
    }
    return {
      id,
      label: [address, summary],
      ...(window === undefined ? {} : { group: window.id }),
      ...(fallbackFor === undefined ? {} : { fallback: true }),
    };
  });
  for (const { id } of plan.joins) nodes.push({ id, label: [id] });
  const ended = ordered.map(({ id, order: { after } }) => ({ id, after }));
  const edges = [...ended, ...plan.joins].flatMap(({ id, after }) =>
    after.flatMap((edge): DrawingEdge[] =>
      known.has(edge.id) ? [{ from: edge.id, to: id, kind: edge.on }] : [],
    ),
  );
  return {
    name: "operations",
    nodes,
    groups: [...groups].map(([id, label]) => ({ id, label })),
    edges,
  };
}

export function drawingJson({ name, nodes, groups, edges }: Drawing): ValueMap {
  return {
    graph: name,
    nodes: nodes.map(({ id, label, group, fallback }) => ({
      id,
      label: label.join("\n"),
      ...(group === undefined ? {} : { group }),
      ...(fallback === undefined ? {} : { fallback }),
    })),
    groups: groups.map(({ id, label }) => ({ id, label })),
    edges: edges.map(({ from, to, kind }) => ({ from, to, kind })),
  };
}
