/**
 * Ready operations: those to be tried next, in plan order, and those set aside because a lock, a
 * window or a pool was in the way. What was set aside stands in lines; everyone in a line waits for
 * the same claim in the same way, so when the first in line is refused again nobody behind it needs
 * to try. A release therefore costs a few tries, however many wait.
 */

import { createHeap } from "../../graph/order.ts";
import { type DispatchNode, takesSlot } from "./graph.ts";

type Heap = ReturnType<typeof createHeap>;
type Line = { readonly key: string; readonly name: string };

export type DispatchQueue = {
  /** A node that is ready. */
  add(node: DispatchNode): void;
  /** The next node to try, among those that need a slot or those that need none. */
  take(slotted: boolean): DispatchNode | undefined;
  /** The node that was taken met an obstacle. */
  setAside(node: DispatchNode, obstacle: string): void;
  /** The node that was taken started or ended: the next in its line may try. */
  moveOn(node: DispatchNode): void;
  /** These keys and pools became free, at least in part. */
  release(keys: readonly string[]): void;
  /** True when nothing is left to try; what is set aside waits for a release. */
  isEmpty(): boolean;
};

export function createDispatchQueue(nodes: readonly DispatchNode[]): DispatchQueue {
  const slotted = createHeap();
  const slotless = createHeap();
  const queued = new Set<DispatchNode>();
  const lines = new Map<string, Map<string, Heap>>();
  /** The line a node was called from, until it has been tried. */
  const called = new Map<DispatchNode, Line>();

  const add = (node: DispatchNode): void => {
    if (queued.has(node)) return;
    queued.add(node);
    (takesSlot(node) ? slotted : slotless).push(node.index);
  };

  const popNode = (heap: Heap): DispatchNode | undefined => {
    const index = heap.pop();
    return index === undefined ? undefined : nodes[index];
  };

  const take = (needsSlot: boolean): DispatchNode | undefined => {
    const node = popNode(needsSlot ? slotted : slotless);
    if (node !== undefined) queued.delete(node);
    return node;
  };

  const callNext = (line: Line): void => {
    const heap = lines.get(line.key)?.get(line.name);
    if (heap === undefined) return;
    let node = popNode(heap);
    while (node !== undefined && node.status !== "waiting") node = popNode(heap);
    if (node === undefined) {
      lines.get(line.key)?.delete(line.name);
      return;
    }
    called.set(node, line);
    add(node);
  };

  const moveOn = (node: DispatchNode): void => {
    const line = called.get(node);
    called.delete(node);
    if (line !== undefined) callNext(line);
  };

  const setAside = (node: DispatchNode, obstacle: string): void => {
    const name = lineName(node, obstacle);
    const ofKey = lines.get(obstacle) ?? new Map<string, Heap>();
    const heap = ofKey.get(name) ?? createHeap();
    heap.push(node.index);
    lines.set(obstacle, ofKey.set(name, heap));
    const from = called.get(node);
    called.delete(node);
    if (from !== undefined && from.key !== obstacle) callNext(from);
  };

  const release = (keys: readonly string[]): void => {
    for (const key of keys) {
      for (const name of [...(lines.get(key)?.keys() ?? [])]) callNext({ key, name });
    }
  };

  return { add, take, setAside, moveOn, release, isEmpty: () => queued.size === 0 };
}

/** Nodes with equal names are refused by a key under the same circumstances. */
function lineName(node: DispatchNode, key: string): string {
  const { locks, window } = node.operation.order;
  const slot = takesSlot(node) ? "slot" : "no slot";
  const lock = locks.find((item) => item.key === key);
  if (lock === undefined && window?.role !== "open") return slot;
  return [slot, window?.role === "open" ? "opens" : lock?.mode, window?.id].join(" ");
}
