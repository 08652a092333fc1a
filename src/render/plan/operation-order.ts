/** A permitted order of a plan's operations, for reading: what must come before stands before. */

import type {
  Operation,
  OperationId,
  OperationJoin,
  OperationOrder,
} from "../../model/operation/operation.ts";
import type { Plan } from "../../model/plan/plan.ts";

/**
 * Every operation once, after all it waits for; otherwise in the order of the plan. A fallback
 * stands behind what it falls back for, before all that waits for either. Iterative, so deep plans
 * do not overflow the stack.
 */
export function orderOperations({
  operations,
  joins,
}: Pick<Plan, "operations" | "joins">): readonly Operation[] {
  const fallbacks = new Map<OperationId, OperationId>();
  for (const { id, order } of operations) {
    const { fallbackFor } = order;
    if (fallbackFor !== undefined) fallbacks.set(fallbackFor, id);
  }
  const byId = new Map<string, Waiting>([...operations, ...joins].map((item) => [item.id, item]));
  const seen = new Set<OperationId>();
  const ordered: Operation[] = [];
  for (const root of operations) {
    if (seen.has(root.id)) continue;
    seen.add(root.id);
    const stack = [visit(root, fallbacks)];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top === undefined) break;
      const before = top.before[top.next];
      top.next += 1;
      if (before === undefined) {
        if ("order" in top.waiting) ordered.push(top.waiting);
        stack.pop();
        continue;
      }
      const waiting = byId.get(before);
      if (waiting === undefined || seen.has(before)) continue;
      seen.add(before);
      stack.push(visit(waiting, fallbacks));
    }
  }
  return ordered;
}

/** An operation, or a join on the way to others. */
type Waiting = Operation | OperationJoin;

type Visit = {
  readonly waiting: Waiting;
  readonly before: readonly OperationId[];
  next: number;
};

/** What is waited for; an edge means the operation named or its fallback. */
function visit(waiting: Waiting, fallbacks: ReadonlyMap<OperationId, OperationId>): Visit {
  const { after, fallbackFor }: Partial<OperationOrder> & Pick<OperationOrder, "after"> =
    "order" in waiting ? waiting.order : waiting;
  const before = after.map(({ id }) => id);
  if (fallbackFor !== undefined) before.push(fallbackFor);
  else {
    for (const { id } of after) {
      const fallback = fallbacks.get(id);
      if (fallback !== undefined) before.push(fallback);
    }
  }
  return { waiting, before, next: 0 };
}
