/** How far a run is, and what the operations that are ready and have not begun wait for. */

import type { ApplyOverview, QueueGroup } from "../../model/operation/event.ts";
import type { PoolName } from "../../model/operation/operation.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import type { Claims, Hindrance } from "./claims.ts";
import { type DispatchNode, takesSlot } from "./graph.ts";

type Limits = {
  readonly parallelism: number;
  readonly poolLimits: { readonly [pool: PoolName]: number };
  /** What waits for its time. */
  readonly held: ReadonlySet<DispatchNode>;
};

const notDone: ReadonlySet<DispatchNode["status"]> = new Set(["waiting", "running", "skipped"]);

/** O(operations). */
export function overviewOf(
  nodes: readonly DispatchNode[],
  claims: Pick<Claims, "hindrance">,
  limits: Limits,
): ApplyOverview {
  const groups = new Map<string, Set<Address>>();
  let done = 0;
  for (const node of nodes) {
    const { status, operation } = node;
    // What was left out is not done.
    if (!notDone.has(status)) done += 1;
    if (status !== "waiting" || node.pending > 0 || node.fallbackFor !== undefined) continue;
    const behind = limits.held.has(node)
      ? "for the time that a policy sets"
      : behindText(nodes, node, claims.hindrance(operation), limits);
    groups.set(behind, (groups.get(behind) ?? new Set()).add(operation.subject.address));
  }
  const queue = [...groups].map(
    ([behind, addresses]): QueueGroup => ({ addresses: [...addresses].sort(), behind }),
  );
  return { total: nodes.length, done, queue };
}

function behindText(
  nodes: readonly DispatchNode[],
  node: DispatchNode,
  hindrance: Hindrance | undefined,
  { parallelism, poolLimits }: Limits,
): string {
  switch (hindrance?.kind) {
    case "operations": {
      const holders = nodes.filter(({ operation: { id } }) => hindrance.ids.includes(id));
      const names = new Set(holders.map(({ operation }) => operation.subject.address));
      const named = addressesText(names);
      return `for ${named}: the same object, or what the server does not do at a time`;
    }
    case "window": {
      const words = nodes.find(({ window }) => window?.id === hindrance.window);
      return `for the power window of ${words?.operation.subject.address ?? hindrance.window}`;
    }
    case "pool": {
      const limit = poolLimits[hindrance.pool];
      return `for a turn: ${hindrance.pool} takes ${limit ?? "no more"} at a time`;
    }
    case "endpoints":
      return `for a slot of ${hindrance.endpoints.join(" and ")} (limits.operations_per_endpoint)`;
    case undefined:
      return takesSlot(node) ? `for a turn: --parallelism is ${parallelism}` : "for the next step";
  }
}
