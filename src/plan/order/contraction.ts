/**
 * The finished plan has operations with edges among them, and no marks. A mark between few
 * operations vanishes: each one after it comes after each one before it. One between many stays as
 * a *join*, or N operations after M others would take N × M edges, and a chain with marks that are
 * passed by as many as the square of its length.
 */

import type { Operation, OperationEdge, OperationJoin } from "../../model/operation/operation.ts";
import { type NodeId, type OrderGraph, sortNodes, stronger } from "./order-graph.ts";

type On = OperationEdge["on"];
type Edges = ReadonlyMap<NodeId, On>;

/** A mark vanishes when this adds no more than so many edges to those it has. */
const edgesAddedMax = 32;

export type Finished = {
  readonly operations: readonly Operation[];
  readonly joins: readonly OperationJoin[];
};

/** Operations in a permitted order with what they wait for, or the cycle in the way. */
export function finish(graph: OrderGraph): Finished | { readonly cycle: readonly string[] } {
  const sorted = sortNodes(graph);
  if ("cycle" in sorted) return { cycle: sorted.cycle.filter((id) => graph.operations.has(id)) };
  const followers = countFollowers(graph);
  const before = new Map<NodeId, Edges>();
  const operations: Operation[] = [];
  const joins: OperationJoin[] = [];
  for (const node of sorted.order) {
    const edges = contracted(graph, node, before);
    const operation = graph.operations.get(node);
    if (operation !== undefined) {
      operations.push({
        ...operation,
        order: { ...operation.order, after: edgeList(edges) },
      });
      continue;
    }
    const count = followers.get(node) ?? 0;
    if ((edges.size - 1) * (count - 1) <= edgesAddedMax) before.set(node, edges);
    else {
      joins.push({ id: node, after: edgeList(edges) });
      before.set(node, new Map([[node, "success"]]));
    }
  }
  return { operations, joins };
}

function countFollowers(graph: OrderGraph): ReadonlyMap<NodeId, number> {
  const followers = new Map<NodeId, number>();
  for (const edges of graph.incoming.values()) {
    for (const from of edges.keys()) followers.set(from, (followers.get(from) ?? 0) + 1);
  }
  return followers;
}

function edgeList(edges: Edges): readonly OperationEdge[] {
  return [...edges].map(([id, on]) => ({ id, on }));
}

/** Edges into a node with marks replaced by what stands before them. */
function contracted(
  graph: OrderGraph,
  node: NodeId,
  before: ReadonlyMap<NodeId, Edges>,
): ReadonlyMap<NodeId, On> {
  const after = new Map<NodeId, On>();
  for (const [from, on] of graph.incoming.get(node) ?? []) {
    if (graph.operations.has(from)) {
      after.set(from, stronger(after.get(from), on));
      continue;
    }
    for (const [id, through] of before.get(from) ?? []) {
      const both = on === "success" && through === "success" ? "success" : "settled";
      after.set(id, stronger(after.get(id), both));
    }
  }
  return after;
}
