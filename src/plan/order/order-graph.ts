/**
 * The graph that places operations in order while a plan is made. Beside operations it has *marks*:
 * points without work, such as "everything of web is done", which vanish from the finished plan
 * (`contraction`) while the order through them stays.
 *
 * Once it is ranked, every node stands above all that it comes after, and stays so with each new
 * edge: a search for a way between two nodes then looks only at what stands between them, which is
 * little when they belong to one object, however large the graph.
 */

import { topologicalOrder } from "../../graph/order.ts";
import type { Operation, OperationEdge, OperationOrder } from "../../model/operation/operation.ts";

/** Id of an operation or of a mark. */
export type NodeId = string;
type On = OperationEdge["on"];

export type DraftOrder = Omit<OperationOrder, "after">;
/** An operation whose edges are still those of the graph. */
export type DraftOperation = Omit<Operation, "order"> & { readonly order: DraftOrder };

export type OrderGraph = {
  readonly operations: Map<NodeId, DraftOperation>;
  /** Edges into a node: the node before, and what of it is awaited. */
  readonly incoming: Map<NodeId, Map<NodeId, On>>;
  /** Absent until the graph is ranked, and again when a cycle has made ranks impossible. */
  ranking?: Ranking;
};

type Ranking = {
  readonly ranks: Map<NodeId, number>;
  /** Nodes that come directly after a node. */
  readonly outgoing: Map<NodeId, Set<NodeId>>;
};

/** Ranks of sorted nodes are whole numbers; what is added later fits in between. */
const between = 2 ** -20;

export function createOrderGraph(): OrderGraph {
  return { operations: new Map(), incoming: new Map() };
}

export function addEdge(graph: OrderGraph, from: NodeId, to: NodeId, on: On = "success"): void {
  if (from === to) return;
  let edges = graph.incoming.get(to);
  if (edges === undefined) {
    edges = new Map<NodeId, On>();
    graph.incoming.set(to, edges);
  }
  const known = edges.get(from);
  edges.set(from, stronger(known, on));
  if (known === undefined && graph.ranking !== undefined) keepRanked(graph, from, to);
}

/** True when `to` comes, directly or not, after `from`. Iterative, backwards from `to`. */
export function reaches(graph: OrderGraph, from: NodeId, to: NodeId): boolean {
  if (from === to) return true;
  const ranks = graph.ranking?.ranks;
  const lowest = ranks === undefined ? Number.NEGATIVE_INFINITY : ranks.get(from);
  // A node without a rank has no edges.
  if (lowest === undefined) return false;
  const seen = new Set<NodeId>();
  const stack = [to];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === from) return true;
    if (seen.has(node) || (ranks !== undefined && !isAbove(ranks, node, lowest))) continue;
    seen.add(node);
    const before = graph.incoming.get(node);
    if (before?.has(from) === true) return true;
    for (const next of before?.keys() ?? []) stack.push(next);
  }
  return false;
}

function isAbove(ranks: ReadonlyMap<NodeId, number>, node: NodeId, lowest: number): boolean {
  return (ranks.get(node) ?? Number.NEGATIVE_INFINITY) > lowest;
}

/** All nodes in a permitted order, operations first where there is a choice, or a cycle. */
export function sortNodes(graph: OrderGraph): ReturnType<typeof topologicalOrder> {
  const nodes = new Set<NodeId>(graph.operations.keys());
  const edges: { readonly from: NodeId; readonly to: NodeId }[] = [];
  for (const [to, all] of graph.incoming) {
    nodes.add(to);
    for (const from of all.keys()) {
      nodes.add(from);
      edges.push({ from, to });
    }
  }
  for (const {
    id,
    order: { fallbackFor },
  } of graph.operations.values()) {
    if (fallbackFor !== undefined) edges.push({ from: fallbackFor, to: id });
  }
  return topologicalOrder([...nodes], edges);
}

/** Ranks the graph from now on. Gives the operations of a cycle when there is one. */
export function rank(graph: OrderGraph): { readonly cycle: readonly NodeId[] } | undefined {
  const sorted = sortNodes(graph);
  if ("cycle" in sorted) return { cycle: sorted.cycle.filter((id) => graph.operations.has(id)) };
  const outgoing = new Map<NodeId, Set<NodeId>>();
  for (const [to, edges] of graph.incoming) {
    for (const from of edges.keys()) successorsOf(outgoing, from).add(to);
  }
  graph.ranking = { ranks: new Map(sorted.order.map((node, index) => [node, index])), outgoing };
  return undefined;
}

function successorsOf(outgoing: Map<NodeId, Set<NodeId>>, node: NodeId): Set<NodeId> {
  let successors = outgoing.get(node);
  if (successors === undefined) {
    successors = new Set();
    outgoing.set(node, successors);
  }
  return successors;
}

/** Lifts what a new edge has left too low; touches nothing else. */
function keepRanked(graph: OrderGraph, from: NodeId, to: NodeId): void {
  const { ranking } = graph;
  if (ranking === undefined) return;
  const { ranks, outgoing } = ranking;
  successorsOf(outgoing, from).add(to);
  if (!ranks.has(from)) ranks.set(from, (ranks.get(to) ?? 0) - between);
  if (!ranks.has(to)) ranks.set(to, Number.NEGATIVE_INFINITY);
  const stack: [NodeId, NodeId][] = [[from, to]];
  for (let edge = stack.pop(); edge !== undefined; edge = stack.pop()) {
    const [lower, node] = edge;
    const least = (ranks.get(lower) ?? 0) + between;
    if ((ranks.get(node) ?? 0) >= least) continue;
    if (node === from) {
      // A cycle: it is found, and told, when the graph is finished.
      delete graph.ranking;
      return;
    }
    ranks.set(node, least);
    for (const next of outgoing.get(node) ?? []) stack.push([node, next]);
  }
}

export function stronger(left: On | undefined, right: On): On {
  if (left === "failure" || right === "failure") return "failure";
  return left === "success" || right === "success" ? "success" : "settled";
}
