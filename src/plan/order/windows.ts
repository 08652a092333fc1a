/**
 * Order around power windows, once all operations stand: other work on the VM goes before or after
 * a window, never between, and a window opens as late as it can.
 */

import type { OperationId, WindowId } from "../../model/operation/operation.ts";
import { addEdge, type DraftOperation, type OrderGraph, reaches } from "./order-graph.ts";

type Window = {
  readonly id: WindowId;
  readonly open: DraftOperation;
  readonly lastClose: OperationId;
};

function windowsOf(graph: OrderGraph): readonly Window[] {
  const opens = new Map<WindowId, DraftOperation>();
  const closes = new Map<WindowId, OperationId>();
  for (const operation of graph.operations.values()) {
    const { id } = operation;
    const { window, fallbackFor } = operation.order;
    if (window === undefined || fallbackFor !== undefined) continue;
    if (window.role === "open") opens.set(window.id, operation);
    if (window.role === "close") closes.set(window.id, id);
  }
  return [...opens].map(([id, open]) => ({ id, open, lastClose: closes.get(id) ?? open.id }));
}

/** Every operation on the VM of a window is ordered before its first word or after its last. */
export function orderAroundWindows(graph: OrderGraph): void {
  const windows = windowsOf(graph);
  if (windows.length === 0) return;
  const byKey = new Map<string, DraftOperation[]>();
  for (const operation of graph.operations.values()) {
    for (const { key, passing } of operation.order.locks) {
      if (passing === true) continue;
      const sharing = byKey.get(key) ?? [];
      sharing.push(operation);
      byKey.set(key, sharing);
    }
  }
  for (const { id, open, lastClose } of windows) {
    for (const { key, passing } of open.order.locks) {
      if (passing === true) continue;
      for (const other of byKey.get(key) ?? []) {
        if (other.order.window?.id === id || other.order.fallbackFor !== undefined) continue;
        orderOne(graph, other.id, open.id, lastClose);
      }
    }
  }
}

function orderOne(
  graph: OrderGraph,
  other: OperationId,
  open: OperationId,
  lastClose: OperationId,
): void {
  if (reaches(graph, other, open) || reaches(graph, lastClose, other)) return;
  if (reaches(graph, open, other)) addEdge(graph, lastClose, other, "settled");
  else addEdge(graph, other, open, "settled");
}

/** A window opens when everything outside that its members wait for has settled. */
export function openLate(graph: OrderGraph): void {
  const openers = new Map(windowsOf(graph).map((window) => [window.id, window.open.id]));
  for (const { id, order } of [...graph.operations.values()]) {
    const { window } = order;
    if (window?.role !== "member") continue;
    const opener = openers.get(window.id);
    if (opener === undefined) continue;
    for (const from of [...(graph.incoming.get(id)?.keys() ?? [])]) {
      if (graph.operations.get(from)?.order.window?.id === window.id || from === opener) continue;
      if (!reaches(graph, opener, from)) addEdge(graph, from, opener, "settled");
    }
  }
}
