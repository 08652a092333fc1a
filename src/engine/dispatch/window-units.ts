/**
 * Operations that belong to power windows: a window with whatever stands between two of its words,
 * other windows that do so included. Such a unit is a strongly connected component of the order
 * with the operations of each window tied together.
 */

import { componentsOf } from "../../graph/components.ts";
import type { Edge } from "../../graph/order.ts";
import type { Operation, OperationId, OperationJoin } from "../../model/operation/operation.ts";

export type WindowUnit = {
  readonly name: string;
  /** Sorted; of operations that send something. */
  readonly endpoints: readonly string[];
  /** Operations of it that have not ended; at first all. */
  readonly left: Set<OperationId>;
  /** Operations outside of it that it waits for and that have not ended; at first all. */
  readonly outside: Set<OperationId>;
};

/** `endpoints`: by the names of providers. O(operations + edges), but for joins at many units. */
export function windowUnits(
  operations: readonly Operation[],
  joins: readonly OperationJoin[],
  endpoints: ReadonlyMap<string, string>,
): readonly WindowUnit[] {
  const componentOf = components(operations, joins);
  const parts = new Map<number, Operation[]>();
  for (const operation of operations) {
    const number = componentOf.get(operation.id) ?? -1;
    parts.set(number, [...(parts.get(number) ?? []), operation]);
  }
  const fallbackOf = new Map(operations.map(({ id, order }) => [order.fallbackFor, id]));
  const afterJoin = new Map(joins.map(({ id, after }) => [id, after]));
  return [...parts.values()]
    .filter((all) => all.some(({ order }) => order.window !== undefined))
    .map((all): WindowUnit => {
      const left = new Set(all.map(({ id }) => id));
      const named = all.flatMap(({ subject, request }) =>
        request.preview === undefined ? [] : (endpoints.get(subject.provider) ?? []),
      );
      const before = predecessorsOf(all, afterJoin).filter((id) => !left.has(id));
      const outside = before.flatMap((id) => [id, fallbackOf.get(id) ?? id]);
      const name = all.find(({ order }) => order.window !== undefined)?.order.window?.id ?? "";
      return { name, endpoints: [...new Set(named)].toSorted(), left, outside: new Set(outside) };
    });
}

function components(
  operations: readonly Operation[],
  joins: readonly OperationJoin[],
): ReadonlyMap<string, number> {
  const windowName = (id: string): string => `window ${id}`;
  const edges: Edge[] = joins.flatMap(({ id: to, after }) =>
    after.map(({ id: from }) => ({ from, to })),
  );
  const names = new Set<string>();
  for (const { id: to, order } of operations) {
    for (const { id: from } of order.after) edges.push({ from, to });
    const { window, fallbackFor } = order;
    const ties = [
      ...(window === undefined ? [] : [windowName(window.id)]),
      ...(fallbackFor === undefined ? [] : [fallbackFor]),
    ];
    for (const tie of ties) edges.push({ from: to, to: tie }, { from: tie, to });
    if (window !== undefined) names.add(windowName(window.id));
  }
  return componentsOf([...[...operations, ...joins].map(({ id }) => id), ...names], edges);
}

/** Operations right before these, through joins. */
function predecessorsOf(
  operations: readonly Operation[],
  afterJoin: ReadonlyMap<string, OperationJoin["after"]>,
): readonly OperationId[] {
  const open = operations.flatMap(({ order }) => order.after.map(({ id }) => id));
  const seen = new Set<string>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    for (const edge of afterJoin.get(id) ?? []) open.push(edge.id);
  }
  return [...seen].filter((id) => !afterJoin.has(id));
}
