/**
 * The dispatcher: decides *when* operations of a plan start, never *what* they do. A pure state
 * machine without time or requests: `start()` gives operations to run, `settle()` takes outcomes.
 *
 * Edges mean an operation *or its fallback*. A failure skips everything behind success edges at
 * once; what stands behind an operation that was not needed is not needed either; independent
 * branches go on. A window's closing words run whenever its first word was begun.
 */

import type { ApplyOverview } from "../../model/operation/event.ts";
import type {
  EntityKey,
  Operation,
  OperationEdge,
  OperationId,
  OperationJoin,
  PoolName,
  WindowId,
} from "../../model/operation/operation.ts";
import type { Rules } from "../../model/plan/rules.ts";
import { type Claims, createClaims } from "./claims.ts";
import { createSlotBook, type Reclaimed, type SlotBook, type SlotWant } from "./endpoint-slots.ts";
import type { Gate } from "./gate.ts";
import {
  buildGraph,
  type DispatchGraph,
  type DispatchNode,
  type DispatchPoint,
  type EndStatus,
  type OperationStatus,
  takesSlot,
} from "./graph.ts";
import { overviewOf } from "./overview.ts";
import { createDispatchQueue, type DispatchQueue } from "./queue.ts";

export type DispatchOptions = {
  /** Requests in flight at once; waits and long requests take no slot. */
  readonly parallelism: number;
  readonly poolLimits: { readonly [pool: PoolName]: number };
  readonly rules: Rules;
  /** Joins of the plan; see `OperationJoin`. */
  readonly joins?: readonly OperationJoin[];
  /** Keeps operations for their time; without it, any may begin at once. */
  readonly gate?: Gate | undefined;
  /** Endpoints that have slots, by the names of providers. */
  readonly limited?: ReadonlyMap<string, string>;
};

export type Dispatcher = {
  /** Operations to start now; they count as running from here on. */
  start(): readonly Operation[];
  /** `open` is a failure that calls for no fallback, since the operation's task still runs. */
  settle(id: OperationId, outcome: "success" | "failed" | "open"): void;
  /** The request was answered and a remote task is polled: the slot is free, the locks are not. */
  freeSlot(id: OperationId): void;
  /** Starts nothing more, except what closes windows that are open. */
  drain(): void;
  /** Asks the gate again about what it has held. */
  recheck(): void;
  /** Operations that are ready and that the gate holds. */
  held(): readonly Operation[];
  /** What ready operations wait for that nothing else keeps from starting. */
  slotWants(): readonly SlotWant[];
  /** One slot of each endpoint of a want has been taken: what wants it starts next. */
  grantSlots(key: string): void;
  /** Slots to be given back. Call it after `start`. */
  reclaimSlots(): Reclaimed;
  /** True when nothing runs, nothing can start and nothing is held or waits for slots. */
  isDone(): boolean;
  running(): readonly Operation[];
  /** How far the run is, and who waits for what. O(operations). */
  overview(): ApplyOverview;
  status(id: OperationId): OperationStatus;
};

/** The mutable state of a run. */
type Run = {
  readonly graph: DispatchGraph;
  readonly claims: Claims;
  readonly queue: DispatchQueue;
  readonly slots: SlotBook;
  readonly parallelism: number;
  readonly gate: Gate | undefined;
  readonly held: Set<DispatchNode>;
  slotsUsed: number;
  runningCount: number;
  draining: boolean;
};

export function createDispatcher(
  operations: readonly Operation[],
  options: DispatchOptions,
): Dispatcher {
  const graph = buildGraph(operations, options.joins);
  const slots = createSlotBook(operations, options.joins ?? [], options.limited ?? new Map());
  const run: Run = {
    graph,
    slots,
    claims: createClaims(reservedKeys(graph, options.rules), options.poolLimits, slots),
    queue: createDispatchQueue(graph.nodes),
    parallelism: options.parallelism,
    gate: options.gate,
    held: new Set(),
    slotsUsed: 0,
    runningCount: 0,
    draining: false,
  };
  for (const join of graph.joins) if (join.pending === 0) end(run, join, "success");
  for (const node of graph.nodes) consider(run, node);
  return {
    start: () => start(run),
    settle: (id, outcome) => settle(run, nodeOf(graph, id), outcome),
    freeSlot: (id) => freeSlot(run, nodeOf(graph, id)),
    drain: () => drain(run),
    recheck: () => recheck(run),
    held: () => [...run.held].map(({ operation }) => operation),
    slotWants: slots.wants,
    grantSlots: (key) => {
      slots.grant(key);
      run.queue.release([key]);
    },
    reclaimSlots: slots.reclaim,
    isDone: () => isDone(run),
    running: () =>
      graph.nodes.filter((node) => node.status === "running").map((node) => node.operation),
    overview: () => overviewOf(graph.nodes, run.claims, { ...options, held: run.held }),
    status: (id) => nodeOf(graph, id).status,
  };
}

function isDone({ runningCount, queue, held, slots }: Run): boolean {
  return runningCount === 0 && queue.isEmpty() && held.size === 0 && slots.wants().length === 0;
}

function nodeOf(graph: DispatchGraph, id: OperationId): DispatchNode {
  const node = graph.byId.get(id);
  if (node === undefined) throw new Error(`no operation ${id} in this plan`);
  return node;
}

function reservedKeys(
  graph: DispatchGraph,
  rules: Rules,
): ReadonlyMap<WindowId, readonly EntityKey[]> {
  if (!rules.reserve) return new Map();
  return new Map([...graph.windows.values()].map(({ id, keys }) => [id, [...keys]]));
}

function start(run: Run): readonly Operation[] {
  const started: Operation[] = [];
  const tryAll = (slotted: boolean): boolean => {
    const node = run.queue.take(slotted);
    if (node !== undefined && tryStart(run, node)) started.push(node.operation);
    return node !== undefined;
  };
  while (tryAll(false)) continue;
  while (run.slotsUsed < run.parallelism && tryAll(true)) {
    while (tryAll(false)) continue;
  }
  return started;
}

function tryStart(run: Run, node: DispatchNode): boolean {
  const { claims, queue, slots } = run;
  slots.forget(node.operation.id);
  if (node.status === "waiting" && !(mayStart(run, node) && isOfUse(node))) {
    end(run, node, "skipped");
  }
  const hold = node.status === "waiting" ? run.gate?.hold(node.operation, endedIn(run)) : undefined;
  if (hold === "skip") end(run, node, "skipped");
  if (hold === "wait") {
    run.held.add(node);
    queue.moveOn(node);
    return false;
  }
  const obstacle = node.status === "waiting" ? claims.take(node.operation) : undefined;
  if (obstacle !== undefined) {
    queue.setAside(node, obstacle);
    slots.want(node.operation.id, obstacle);
    return false;
  }
  const starts = node.status === "waiting";
  if (starts) begin(run, node);
  queue.moveOn(node);
  return starts;
}

function endedIn({ graph }: Run): (id: OperationId) => boolean {
  return (id) => {
    const { status } = nodeOf(graph, id);
    return status !== "waiting" && status !== "running";
  };
}

function recheck({ held, queue }: Run): void {
  const nodes = [...held].toSorted((a, b) => a.index - b.index);
  held.clear();
  for (const node of nodes) queue.add(node);
}

/** A window without work does not open, and a window that did not open is not closed. */
function isOfUse({ operation, window }: DispatchNode): boolean {
  if (window === undefined) return true;
  const role = operation.order.window?.role;
  if (role === "open") return !window.hasMembers || window.membersWaiting > 0;
  return role !== "close" || window.opened;
}

/**
 * What a draining run still starts: closing words, where of use, fallbacks of begun words, and
 * waits inside an open window, since a guest that is still booting refuses a graceful shutdown.
 */
function mayStart(run: Run, node: DispatchNode): boolean {
  if (!run.draining || node.fallbackFor?.begun === true) return true;
  const { window } = node.operation.order;
  const { kind: effect } = node.operation.effect;
  return window?.role === "close" || (effect === "wait" && node.window?.opened === true);
}

function begin(run: Run, node: DispatchNode): void {
  setStatus(node, "running");
  node.begun = true;
  node.slot = takesSlot(node);
  if (node.slot) run.slotsUsed += 1;
  run.runningCount += 1;
  run.gate?.begin(node.operation);
  const { window } = node;
  if (window !== undefined && node.operation.order.window?.role === "open") window.opened = true;
}

function settle(run: Run, node: DispatchNode, outcome: "success" | "failed" | "open"): void {
  if (node.status !== "running") throw new Error(`${node.operation.id} is not running`);
  run.runningCount -= 1;
  freeSlot(run, node);
  const keys = run.claims.give(node.operation);
  if (outcome === "open" && node.fallback !== undefined) conclude(run, node.fallback, "skipped");
  end(run, node, outcome === "open" ? "failed" : outcome);
  run.queue.release(keys);
}

function freeSlot(run: Run, node: DispatchNode): void {
  if (node.slot) run.slotsUsed -= 1;
  node.slot = false;
}

function drain(run: Run): void {
  run.draining = true;
  for (const node of run.graph.nodes) {
    // A fallback ends with the operation it is for.
    const ready = node.status === "waiting" && node.pending === 0 && node.fallbackFor === undefined;
    if (ready && !mayStart(run, node)) end(run, node, "skipped");
  }
}

/** Queues a node whose predecessors have all ended; a fallback only when its operation failed. */
function consider(run: Run, node: DispatchNode): void {
  if (node.status !== "waiting" || node.pending > 0) return;
  const { fallbackFor } = node.operation.order;
  if (fallbackFor !== undefined && node.fallbackFor?.status !== "failed") return;
  run.queue.add(node);
}

/** Ends a point, and with it all that is thereby skipped or unused. Iterative. */
function end(run: Run, first: DispatchPoint, status: EndStatus): void {
  const ends: [DispatchPoint, EndStatus][] = [[first, status]];
  for (let next = ends.pop(); next !== undefined; next = ends.pop()) {
    const [point, outcome] = next;
    if (point.status !== "waiting" && point.status !== "running") continue;
    if (point.operation === undefined) {
      point.status = outcome;
      for (const ended of follow(run, point, outcome)) ends.push(ended);
      continue;
    }
    conclude(run, point, outcome);
    const { fallback } = point;
    if (fallback?.status === "waiting") {
      if (outcome === "failed") {
        consider(run, fallback);
        continue;
      }
      conclude(run, fallback, outcome === "skipped" ? "skipped" : "unused");
    }
    // Edges mean the operation or its fallback: they are followed once, when both have ended.
    for (const ended of follow(run, point.fallbackFor ?? point, outcome)) ends.push(ended);
    closeWindow(run, point);
  }
}

function conclude(run: Run, node: DispatchNode, status: EndStatus): void {
  setStatus(node, status);
  run.held.delete(node);
  run.queue.release(run.slots.end(node.operation.id));
}

/** Tells what comes after a point that it has ended; gives what ends with it. */
function follow(
  run: Run,
  { successors }: DispatchPoint,
  outcome: EndStatus,
): [DispatchPoint, EndStatus][] {
  const ends: [DispatchPoint, EndStatus][] = [];
  for (const { node, on } of successors) {
    node.pending -= 1;
    const fate = fateOf(on, outcome);
    if (fate !== undefined) ends.push([node, fate]);
    else if (node.operation !== undefined) consider(run, node);
    else if (node.pending === 0) ends.push([node, "success"]);
  }
  return ends;
}

/** What the end of a predecessor makes of an operation at once; undefined when it may still run. */
function fateOf(on: OperationEdge["on"], before: EndStatus): EndStatus | undefined {
  const done = before === "success" || before === "unused";
  if (on === "failure") return done ? "unused" : undefined;
  if (on === "settled" || before === "success") return undefined;
  return done ? "unused" : "skipped";
}

/** Keeps the counts of the node's window in step with its status. */
function setStatus(node: DispatchNode, status: OperationStatus): void {
  const { window } = node;
  if (window !== undefined) {
    const isMember = node.operation.order.window?.role === "member";
    if (isMember && node.status === "waiting") window.membersWaiting -= 1;
    if (status !== "running") window.unended -= 1;
  }
  node.status = status;
}

/** A window of which nothing is left gives its VM free. */
function closeWindow(run: Run, { window }: DispatchNode): void {
  if (window !== undefined && window.unended === 0)
    run.queue.release(run.claims.endWindow(window.id));
}
