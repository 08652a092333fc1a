/** A permitted order of a plan's operations, for reading: what must come before stands before. */

import type { Operation, OperationId } from "../model/operation.ts";

/**
 * Every operation once, after all it waits for; otherwise in the order of the plan. A fallback
 * stands behind what it falls back for, before all that waits for either. Iterative, so deep plans
 * do not overflow the stack.
 */
export function orderOperations(operations: readonly Operation[]): readonly Operation[] {
  const fallbacks = new Map<OperationId, OperationId>();
  for (const { id, fallbackFor } of operations) {
    if (fallbackFor !== undefined) fallbacks.set(fallbackFor, id);
  }
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
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
        ordered.push(top.operation);
        stack.pop();
        continue;
      }
      const operation = byId.get(before);
      if (operation === undefined || seen.has(before)) continue;
      seen.add(before);
      stack.push(visit(operation, fallbacks));
    }
  }
  return ordered;
}

type Visit = {
  readonly operation: Operation;
  readonly before: readonly OperationId[];
  next: number;
};

/** What an operation waits for; an edge means the operation named or its fallback. */
function visit(operation: Operation, fallbacks: ReadonlyMap<OperationId, OperationId>): Visit {
  const before = operation.after.map((edge) => edge.id);
  if (operation.fallbackFor === undefined) {
    before.push(...before.flatMap((id) => fallbacks.get(id) ?? []));
  } else {
    before.push(operation.fallbackFor);
  }
  return { operation, before, next: 0 };
}
