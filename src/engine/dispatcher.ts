/**
 * The dispatcher: decides *when* operations of a plan start, never *what* they do. A pure state
 * machine without time or requests: `start()` gives operations to run, `settle()` takes outcomes.
 *
 * Edges mean an operation *or its fallback*. A failure skips everything behind success edges at once;
 * independent branches go on. A window's closing words run whenever its first word was begun.
 */

import { createHeap } from "../graph/order.ts";
import type {
  Operation,
  OperationEdge,
  OperationId,
  PoolName,
  WindowId,
} from "../model/operation.ts";
import type { Rules } from "../model/rules.ts";
import { type Claims, createClaims } from "./claims.ts";

export type OperationStatus =
  | "waiting"
  | "running"
  | "success"
  | "failed"
  /** Not run: a dependency failed, the window did not open, or the run was stopped. */
  | "skipped"
  /** Not run because nothing was left to do: an unused fallback. */
  | "unused";

export type DispatchOptions = {
  /** Requests in flight at once; waits and long requests take no slot. */
  readonly parallelism: number;
  readonly poolLimits: { readonly [pool: PoolName]: number };
  readonly rules: Rules;
};

export type Dispatcher = {
  /** Operations to start now; they count as running from here on. */
  start(): readonly Operation[];
  settle(id: OperationId, outcome: "success" | "failed"): void;
  /** The request was answered and a remote task is polled: the slot is free, the locks are not. */
  freeSlot(id: OperationId): void;
  /** Starts nothing more, except what closes windows that are open. */
  drain(): void;
  /** True when nothing runs and nothing can start. */
  isDone(): boolean;
  running(): readonly Operation[];
  status(id: OperationId): OperationStatus;
};

type Node = {
  readonly operation: Operation;
  readonly index: number;
  status: OperationStatus;
  /** Edges whose predecessor has not ended yet. */
  pending: number;
  begun: boolean;
  slot: boolean;
  queued: boolean;
  readonly successors: { readonly node: Node; readonly on: OperationEdge["on"] }[];
  fallback: Node | undefined;
};

type Graph = {
  readonly nodes: readonly Node[];
  readonly byId: ReadonlyMap<OperationId, Node>;
  readonly windows: ReadonlyMap<WindowId, readonly Node[]>;
};

export function createDispatcher(
  operations: readonly Operation[],
  options: DispatchOptions,
): Dispatcher {
  const graph = buildGraph(operations);
  const claims = createClaims(windowKeys(graph, options.rules), options.poolLimits);
  const run = createRun(graph, claims, options);
  for (const node of graph.nodes) run.consider(node);
  return {
    start: run.start,
    settle: (id, outcome) => run.settle(nodeOf(graph, id), outcome),
    freeSlot: (id) => run.freeSlot(nodeOf(graph, id)),
    drain: run.drain,
    isDone: () => run.runningCount() === 0 && !run.canStart(),
    running: () =>
      graph.nodes.filter((node) => node.status === "running").map((node) => node.operation),
    status: (id) => nodeOf(graph, id).status,
  };
}

function nodeOf(graph: Graph, id: OperationId): Node {
  const node = graph.byId.get(id);
  if (node === undefined) throw new Error(`no operation ${id} in this plan`);
  return node;
}

function buildGraph(operations: readonly Operation[]): Graph {
  const nodes = operations.map(
    (operation, index): Node => ({
      operation,
      index,
      status: "waiting",
      pending: 0,
      begun: false,
      slot: false,
      queued: false,
      successors: [],
      fallback: undefined,
    }),
  );
  const byId = new Map(nodes.map((node) => [node.operation.id, node]));
  const windows = new Map<WindowId, Node[]>();
  for (const node of nodes) {
    const { window, fallbackFor } = node.operation;
    if (window !== undefined) windows.set(window, [...(windows.get(window) ?? []), node]);
    const first = fallbackFor === undefined ? undefined : byId.get(fallbackFor);
    if (first !== undefined) first.fallback = node;
  }
  for (const node of nodes) {
    for (const edge of node.operation.after) {
      const before = byId.get(edge.id);
      if (before === undefined) continue;
      before.successors.push({ node, on: edge.on });
      node.pending += 1;
    }
  }
  return { nodes, byId, windows };
}

function windowKeys(graph: Graph, rules: Rules): ReadonlyMap<WindowId, readonly string[]> {
  const keys = new Map<WindowId, readonly string[]>();
  if (!rules.reserve) return keys;
  for (const [window, nodes] of graph.windows) {
    // Its words say which VM it is about; what members lock besides stays free for others.
    const words = nodes.filter((node) => node.operation.role !== "member");
    const all = words.flatMap((node) => node.operation.locks.map((lock) => lock.key));
    keys.set(window, [...new Set(all)]);
  }
  return keys;
}

/** The mutable run over a graph. */
function createRun(graph: Graph, claims: Claims, options: DispatchOptions) {
  const slotted = createHeap();
  const slotless = createHeap();
  const aside = new Map<string, Node[]>();
  let slotsUsed = 0;
  let runningCount = 0;
  let queuedCount = 0;
  let draining = false;

  const takesSlot = (node: Node): boolean =>
    node.operation.request !== undefined && !node.operation.long;

  const queue = (node: Node): void => {
    if (node.queued) return;
    node.queued = true;
    queuedCount += 1;
    (takesSlot(node) ? slotted : slotless).push(node.index);
  };

  const windowOpened = (node: Node): boolean =>
    (graph.windows.get(node.operation.window ?? "") ?? []).some(
      (other) => other.operation.role === "open" && other.begun,
    );

  const windowHasWork = (node: Node): boolean => {
    const nodes = graph.windows.get(node.operation.window ?? "") ?? [];
    const members = nodes.filter((other) => other.operation.role === "member");
    return members.length === 0 || members.some((member) => member.status === "waiting");
  };

  /** Skips the node and all that needs its success. Iterative. */
  const end = (first: Node, status: "success" | "failed" | "skipped" | "unused"): void => {
    const ends: [Node, "success" | "failed" | "skipped" | "unused"][] = [[first, status]];
    for (let next = ends.pop(); next !== undefined; next = ends.pop()) {
      const [node, outcome] = next;
      if (node.status !== "waiting" && node.status !== "running") continue;
      node.status = outcome;
      if (outcome === "failed" && node.fallback?.status === "waiting") {
        consider(node.fallback);
        continue;
      }
      if (node.fallback?.status === "waiting") {
        ends.push([node.fallback, outcome === "success" ? "unused" : "skipped"]);
      }
      if (outcome === "unused" && node.operation.fallbackFor !== undefined) {
        closeWindow(node);
        continue;
      }
      const chain = firstOfChain(node);
      for (const { node: successor, on } of chain.successors) {
        successor.pending -= 1;
        if (successor.status !== "waiting") continue;
        if (on === "success" && outcome !== "success" && outcome !== "unused") {
          ends.push([successor, "skipped"]);
        } else if (on === "failure" && (outcome === "success" || outcome === "unused")) {
          ends.push([successor, "unused"]);
        } else {
          consider(successor);
        }
      }
      closeWindow(node);
    }
  };

  const firstOfChain = (node: Node): Node => {
    const { fallbackFor } = node.operation;
    return fallbackFor === undefined ? node : (graph.byId.get(fallbackFor) ?? node);
  };

  const closeWindow = (node: Node): void => {
    const { window } = node.operation;
    if (window === undefined) return;
    const nodes = graph.windows.get(window) ?? [];
    if (nodes.some((other) => other.status === "waiting" || other.status === "running")) return;
    release(claims.endWindow(window));
  };

  const release = (keys: readonly string[]): void => {
    for (const key of keys) {
      const nodes = aside.get(key) ?? [];
      aside.delete(key);
      for (const node of nodes) queue(node);
    }
  };

  /** Queues a node whose predecessors have all ended. */
  const consider = (node: Node): void => {
    if (node.status !== "waiting" || node.pending > 0) return;
    const { fallbackFor } = node.operation;
    if (fallbackFor !== undefined && graph.byId.get(fallbackFor)?.status !== "failed") return;
    queue(node);
  };

  /** What a draining run still starts: closing words of open windows, fallbacks of begun words. */
  const mayStart = (node: Node): boolean => {
    if (!draining) return true;
    const closes = node.operation.role === "close" && windowOpened(node);
    return closes || (node.operation.fallbackFor !== undefined && isClosing(node));
  };
  const isClosing = (node: Node): boolean => firstOfChain(node).begun;

  const tryStart = (node: Node): Operation | undefined => {
    node.queued = false;
    queuedCount -= 1;
    if (node.status !== "waiting") return undefined;
    const { role } = node.operation;
    if (!mayStart(node)) {
      end(node, "skipped");
      return undefined;
    }
    if ((role === "open" && !windowHasWork(node)) || (role === "close" && !windowOpened(node))) {
      end(node, "skipped");
      return undefined;
    }
    const obstacle = claims.take(node.operation);
    if (obstacle !== undefined) {
      aside.set(obstacle, [...(aside.get(obstacle) ?? []), node]);
      return undefined;
    }
    node.status = "running";
    node.begun = true;
    node.slot = takesSlot(node);
    if (node.slot) slotsUsed += 1;
    runningCount += 1;
    return node.operation;
  };

  const start = (): readonly Operation[] => {
    const started: Operation[] = [];
    const take = (heap: { pop(): number | undefined }): boolean => {
      const index = heap.pop();
      const node = index === undefined ? undefined : graph.nodes[index];
      if (node === undefined) return false;
      const operation = tryStart(node);
      if (operation !== undefined) started.push(operation);
      return true;
    };
    while (take(slotless)) continue;
    while (slotsUsed < options.parallelism && take(slotted)) {
      while (take(slotless)) continue;
    }
    return started;
  };

  const settle = (node: Node, outcome: "success" | "failed"): void => {
    if (node.status !== "running") throw new Error(`${node.operation.id} is not running`);
    runningCount -= 1;
    freeSlot(node);
    const keys = claims.give(node.operation);
    end(node, outcome);
    release(keys);
  };

  const freeSlot = (node: Node): void => {
    if (node.slot) slotsUsed -= 1;
    node.slot = false;
  };

  const drain = (): void => {
    draining = true;
    for (const node of graph.nodes) {
      if (node.status === "waiting" && node.pending === 0 && !mayStart(node)) end(node, "skipped");
    }
  };

  const canStart = (): boolean => queuedCount > 0;

  return {
    consider,
    start,
    settle,
    freeSlot,
    drain,
    canStart,
    runningCount: () => runningCount,
  };
}
