/** Operations of a plan as the dispatcher sees them: nodes, what follows them, their windows. */

import type {
  EntityKey,
  Operation,
  OperationEdge,
  OperationId,
  WindowId,
} from "../model/operation.ts";

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

export type DispatchNode = {
  readonly operation: Operation;
  readonly index: number;
  readonly window: DispatchWindow | undefined;
  /** Edges out of it; those of a fallback stand at the operation it is for. */
  readonly successors: { readonly node: DispatchNode; readonly on: OperationEdge["on"] }[];
  status: OperationStatus;
  /** Edges whose predecessor has not ended yet. */
  pending: number;
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
  readonly byId: ReadonlyMap<OperationId, DispatchNode>;
  readonly windows: ReadonlyMap<WindowId, DispatchWindow>;
};

/** Edges from operations that the plan does not hold are ignored. O(operations + edges). */
export function buildGraph(operations: readonly Operation[]): DispatchGraph {
  const windows = new Map<WindowId, DispatchWindow>();
  const nodes = operations.map((operation, index) => createNode(operation, index, windows));
  const byId = new Map(nodes.map((node) => [node.operation.id, node]));
  for (const node of nodes) {
    const first = byId.get(node.operation.fallbackFor ?? "");
    node.fallbackFor = first;
    if (first !== undefined) first.fallback = node;
    for (const edge of node.operation.after) {
      const before = byId.get(edge.id);
      if (before === undefined) continue;
      before.successors.push({ node, on: edge.on });
      node.pending += 1;
    }
  }
  return { nodes, byId, windows };
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
  { window: id, role, locks }: Operation,
  windows: Map<WindowId, DispatchWindow>,
): DispatchWindow | undefined {
  if (id === undefined) return undefined;
  const window = windows.get(id) ?? {
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
  return operation.request !== undefined && !operation.long;
}
