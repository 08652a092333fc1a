/**
 * Operations of a plan as the dispatcher sees them: nodes, what follows them, their windows. A join
 * of the plan is two points: one that succeeds or fails as an operation after the same edges would,
 * for what awaits its success, and one that has ended when all in it has ended.
 */

import type {
  EntityKey,
  Operation,
  OperationEdge,
  OperationId,
  OperationJoin,
  WindowId,
} from "../../model/operation/operation.ts";

export type OperationStatus =
  | "waiting"
  | "running"
  | "success"
  | "failed"
  /** Not run: a dependency failed, the window did not open, or the run was stopped. */
  | "skipped"
  /** Not run because nothing was left to do: an unused fallback or way back. */
  | "unused";

/** How an operation ends. */
export type EndStatus = Exclude<OperationStatus, "waiting" | "running">;

/** What waits and is waited for: an operation, or a point of a join, which needs no work. */
export type DispatchPoint = DispatchNode | DispatchJoin;

type PointParts = {
  /** Edges out of it; those of a fallback stand at the operation it is for. */
  readonly successors: { readonly node: DispatchPoint; readonly on: OperationEdge["on"] }[];
  status: OperationStatus;
  /** Edges whose predecessor has not ended yet. */
  pending: number;
};

export type DispatchJoin = PointParts & { readonly operation: undefined };

export type DispatchNode = PointParts & {
  readonly operation: Operation;
  readonly index: number;
  readonly window: DispatchWindow | undefined;
  /** It was started once, whatever became of it. */
  begun: boolean;
  /** It holds a `--parallelism` slot. */
  slot: boolean;
  fallback: DispatchNode | undefined;
  fallbackFor: DispatchNode | undefined;
};

export type DispatchWindow = {
  readonly id: WindowId;
  /** Keys of the VM it is about; what members lock besides stays free for others. */
  readonly keys: Set<EntityKey>;
  hasMembers: boolean;
  /** Members that may still run. */
  membersWaiting: number;
  /** Nodes that have not ended. */
  unended: number;
  /** Its first word was begun. */
  opened: boolean;
};

export type DispatchGraph = {
  readonly nodes: readonly DispatchNode[];
  readonly joins: readonly DispatchJoin[];
  readonly byId: ReadonlyMap<OperationId, DispatchNode>;
  readonly windows: ReadonlyMap<WindowId, DispatchWindow>;
};

/** Edges from what the plan does not hold are ignored. O(operations + edges). */
export function buildGraph(
  operations: readonly Operation[],
  joins: readonly OperationJoin[] = [],
): DispatchGraph {
  const windows = new Map<WindowId, DispatchWindow>();
  const nodes = operations.map((operation, index) => createNode(operation, index, windows));
  const byId = new Map(nodes.map((node) => [node.operation.id, node]));
  const points = new Map(
    joins.map(({ id }) => [id, { success: createJoin(), ended: createJoin() }]),
  );
  const connect = (to: DispatchPoint, { id, on }: OperationEdge): void => {
    const point = points.get(id)?.[on === "success" ? "success" : "ended"];
    const before = byId.get(id) ?? point;
    if (before === undefined) return;
    before.successors.push({ node: to, on });
    to.pending += 1;
  };
  for (const node of nodes) {
    const first = byId.get(node.operation.order.fallbackFor ?? "");
    node.fallbackFor = first;
    if (first !== undefined) first.fallback = node;
    for (const edge of node.operation.order.after) connect(node, edge);
  }
  for (const { id, after } of joins) {
    const point = points.get(id);
    if (point === undefined) continue;
    for (const edge of after) {
      connect(point.success, edge);
      connect(point.ended, { ...edge, on: "settled" });
    }
  }
  const parts = [...points.values()].flatMap(({ success, ended }) => [success, ended]);
  return { nodes, joins: parts, byId, windows };
}

function createJoin(): DispatchJoin {
  return { operation: undefined, successors: [], status: "waiting", pending: 0 };
}

function createNode(
  operation: Operation,
  index: number,
  windows: Map<WindowId, DispatchWindow>,
): DispatchNode {
  return {
    operation,
    index,
    window: joinWindow(operation, windows),
    successors: [],
    status: "waiting",
    pending: 0,
    begun: false,
    slot: false,
    fallback: undefined,
    fallbackFor: undefined,
  };
}

function joinWindow(
  { order: { window: part, locks } }: Operation,
  windows: Map<WindowId, DispatchWindow>,
): DispatchWindow | undefined {
  if (part === undefined) return undefined;
  const { id, role } = part;
  const window: DispatchWindow = windows.get(id) ?? {
    id,
    keys: new Set<EntityKey>(),
    hasMembers: false,
    membersWaiting: 0,
    unended: 0,
    opened: false,
  };
  windows.set(id, window);
  window.unended += 1;
  if (role === "member") {
    window.hasMembers = true;
    window.membersWaiting += 1;
  } else {
    for (const { key, passing } of locks) if (passing !== true) window.keys.add(key);
  }
  return window;
}

/** Waits and long requests take no slot. */
export function takesSlot({ operation }: DispatchNode): boolean {
  return operation.request.preview !== undefined && !operation.order.long;
}
