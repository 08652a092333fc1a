/**
 * Stable topological order and cycles. Iterative throughout: a chain or cycle of 100,000 nodes must
 * not overflow the stack. Ties are broken by position in the input, so equal inputs give equal
 * bytes.
 */

export type Edge = { readonly from: string; readonly to: string };

/** `cycle` lists the nodes of one cycle, each depending on the one before it. */
export type Order = { readonly order: readonly string[] } | { readonly cycle: readonly string[] };

/**
 * Orders nodes so that `from` stands before `to` for every edge, always taking the earliest ready
 * node of the input. Edges that name unknown nodes are ignored. O((n + e) log n).
 */
export function topologicalOrder(nodes: readonly string[], edges: readonly Edge[]): Order {
  const index = new Map(nodes.map((node, position) => [node, position]));
  const successors: number[][] = nodes.map(() => []);
  const waiting = new Int32Array(nodes.length);
  for (const edge of edges) {
    const from = index.get(edge.from);
    const to = index.get(edge.to);
    if (from === undefined || to === undefined) continue;
    successors[from]?.push(to);
    waiting[to] = (waiting[to] ?? 0) + 1;
  }
  const ready = createHeap();
  for (let node = 0; node < nodes.length; node += 1) if (waiting[node] === 0) ready.push(node);
  const order: string[] = [];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    order.push(nodes[node] ?? "");
    for (const next of successors[node] ?? []) {
      waiting[next] = (waiting[next] ?? 0) - 1;
      if (waiting[next] === 0) ready.push(next);
    }
  }
  if (order.length === nodes.length) return { order };
  return { cycle: findCycle(nodes, successors, waiting) };
}

/** Walks backwards among the nodes Kahn's algorithm left over until one repeats. */
function findCycle(
  nodes: readonly string[],
  successors: readonly (readonly number[])[],
  waiting: Int32Array,
): readonly string[] {
  const predecessor = new Map<number, number>();
  for (let node = 0; node < nodes.length; node += 1) {
    if (waiting[node] === 0) continue;
    for (const next of successors[node] ?? []) {
      if (waiting[next] !== 0 && !predecessor.has(next)) predecessor.set(next, node);
    }
  }
  const start = [...predecessor.keys()].toSorted((a, b) => a - b)[0] ?? 0;
  const seen = new Set<number>();
  let node = start;
  while (!seen.has(node)) {
    seen.add(node);
    node = predecessor.get(node) ?? start;
  }
  const cycle = [node];
  for (let step = predecessor.get(node); step !== undefined && step !== node; ) {
    cycle.push(step);
    step = predecessor.get(step);
  }
  return cycle.toReversed().map((position) => nodes[position] ?? "");
}

type Heap = { push(value: number): void; pop(): number | undefined };

/** A binary min-heap of node positions. */
export function createHeap(): Heap {
  const items: number[] = [];
  const at = (position: number): number => items[position] ?? Number.POSITIVE_INFINITY;
  const swap = (a: number, b: number): void => {
    [items[a], items[b]] = [at(b), at(a)];
  };
  const push = (value: number): void => {
    let child = items.push(value) - 1;
    for (let parent = (child - 1) >> 1; child > 0 && at(child) < at(parent); ) {
      swap(child, parent);
      child = parent;
      parent = (child - 1) >> 1;
    }
  };
  const pop = (): number | undefined => {
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    items[0] = last;
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      const child = at(left + 1) < at(left) ? left + 1 : left;
      if (at(parent) <= at(child)) break;
      swap(parent, child);
      parent = child;
    }
    return first;
  };
  return { push, pop };
}
