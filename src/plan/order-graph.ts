/**
 * The graph that places operations in order while a plan is made. Beside operations it has *marks*:
 * points without work, such as "everything of web is done", which vanish from the finished plan
 * while the order through them stays.
 */

import { topologicalOrder } from "../graph/order.ts";
import type { Operation, OperationEdge } from "../model/operation.ts";

/** Id of an operation or of a mark. */
export type NodeId = string;
type On = OperationEdge["on"];

export type DraftOperation = Omit<Operation, "after">;

export type OrderGraph = {
  readonly operations: Map<NodeId, DraftOperation>;
  /** Edges into a node: the node before, and what of it is awaited. */
  readonly incoming: Map<NodeId, Map<NodeId, On>>;
};

export function createOrderGraph(): OrderGraph {
  return { operations: new Map(), incoming: new Map() };
}

export function addEdge(graph: OrderGraph, from: NodeId, to: NodeId, on: On = "success"): void {
  if (from === to) return;
  const edges = graph.incoming.get(to) ?? new Map<NodeId, On>();
  edges.set(from, stronger(edges.get(from), on));
  graph.incoming.set(to, edges);
}

/** True when `to` comes, directly or not, after `from`. Iterative, backwards from `to`. */
export function reaches(graph: OrderGraph, from: NodeId, to: NodeId): boolean {
  const seen = new Set<NodeId>();
  const stack = [to];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === from) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    for (const before of graph.incoming.get(node)?.keys() ?? []) stack.push(before);
  }
  return false;
}

/** Operations in a permitted order with edges among operations only, or the cycle in the way. */
export function finish(
  graph: OrderGraph,
): { readonly operations: readonly Operation[] } | { readonly cycle: readonly string[] } {
  const nodes = new Set<NodeId>(graph.operations.keys());
  for (const [to, edges] of graph.incoming) {
    nodes.add(to);
    for (const from of edges.keys()) nodes.add(from);
  }
  const edges = [...graph.incoming].flatMap(([to, all]) =>
    [...all.keys()].map((from) => ({ from, to })),
  );
  for (const { id, fallbackFor } of graph.operations.values()) {
    if (fallbackFor !== undefined) edges.push({ from: fallbackFor, to: id });
  }
  const sorted = topologicalOrder([...nodes], edges);
  if ("cycle" in sorted) return { cycle: sorted.cycle.filter((id) => graph.operations.has(id)) };
  const before = new Map<NodeId, ReadonlyMap<NodeId, On>>();
  const operations: Operation[] = [];
  for (const node of sorted.order) {
    const after = contracted(graph, node, before);
    before.set(node, after);
    const operation = graph.operations.get(node);
    if (operation === undefined) continue;
    operations.push({ ...operation, after: [...after].map(([id, on]) => ({ id, on })) });
  }
  return { operations };
}

/** Edges into a node with marks replaced by the operations before them. */
function contracted(
  graph: OrderGraph,
  node: NodeId,
  before: ReadonlyMap<NodeId, ReadonlyMap<NodeId, On>>,
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

function stronger(left: On | undefined, right: On): On {
  if (left === "failure" || right === "failure") return "failure";
  return left === "success" || right === "success" ? "success" : "settled";
}
