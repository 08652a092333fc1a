/** Strongly connected components, iterative: which nodes stand on circles with each other. */

import type { Edge } from "./order.ts";

/**
 * The number of each node's component: two nodes have the same one exactly when each can be reached
 * from the other. Edges that name unknown nodes are ignored. O(n + e).
 */
export function componentsOf(
  nodes: readonly string[],
  edges: readonly Edge[],
): ReadonlyMap<string, number> {
  const index = new Map(nodes.map((node, position) => [node, position]));
  const successors: number[][] = nodes.map(() => []);
  for (const { from, to } of edges) {
    const [start, end] = [index.get(from), index.get(to)];
    if (start !== undefined && end !== undefined) successors[start]?.push(end);
  }
  const walk: Walk = {
    successors,
    number: new Int32Array(nodes.length).fill(-1),
    low: new Int32Array(nodes.length),
    component: new Int32Array(nodes.length).fill(-1),
    open: [],
    visited: 0,
    components: 0,
  };
  for (let node = 0; node < nodes.length; node += 1) {
    if (walk.number[node] === -1) visitFrom(walk, node);
  }
  return new Map(nodes.map((node, position) => [node, walk.component[position] ?? -1]));
}

/** The state of Tarjan's algorithm. */
type Walk = {
  readonly successors: readonly (readonly number[])[];
  /** Order of the first visit; -1 before it. */
  readonly number: Int32Array;
  /** The earliest node on a circle with it that is known. */
  readonly low: Int32Array;
  readonly component: Int32Array;
  /** Visited nodes whose component is not complete. */
  readonly open: number[];
  visited: number;
  components: number;
};

function visitFrom(walk: Walk, root: number): void {
  const path = [{ node: root, next: 0 }];
  enter(walk, root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { node } = top;
    const next = walk.successors[node]?.[top.next];
    top.next += 1;
    if (next === undefined) {
      path.pop();
      leave(walk, node, path.at(-1)?.node);
    } else if (walk.number[next] === -1) {
      enter(walk, next);
      path.push({ node: next, next: 0 });
    } else if (walk.component[next] === -1) {
      lower(walk, node, walk.number[next] ?? 0);
    }
  }
}

function enter(walk: Walk, node: number): void {
  walk.number[node] = walk.visited;
  walk.low[node] = walk.visited;
  walk.visited += 1;
  walk.open.push(node);
}

function leave(walk: Walk, node: number, parent: number | undefined): void {
  const low = walk.low[node] ?? 0;
  if (parent !== undefined) lower(walk, parent, low);
  if (low !== walk.number[node]) return;
  for (let member = walk.open.pop(); member !== undefined; member = walk.open.pop()) {
    walk.component[member] = walk.components;
    if (member === node) break;
  }
  walk.components += 1;
}

function lower(walk: Walk, node: number, to: number): void {
  walk.low[node] = Math.min(walk.low[node] ?? to, to);
}
