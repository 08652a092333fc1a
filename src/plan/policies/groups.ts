/**
 * Operations that begin together or not at all: once one of them has been sent, leaving the others
 * for later would leave something half done. A power window, a replacement with what is content of
 * it, the power words of one VM, a deletion with what turns its object off, and whatever stands
 * between two of those: a group is a strongly connected component of the order with these ties.
 */

import { componentsOf } from "../../graph/components.ts";
import type { Edge } from "../../graph/order.ts";
import type { Operation, OperationId } from "../../model/operation/operation.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { currentByAddress } from "../../model/recorded/current.ts";
import type { OpenRestore } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";

export type GroupNumber = number;

/** The group of each operation, by its id. O(operations + edges). */
export function operationGroups(
  plan: Pick<Plan, "changes" | "operations" | "joins">,
): ReadonlyMap<string, GroupNumber> {
  const { operations, joins } = plan;
  const ties = tiesOf(plan);
  const names = new Set([...ties.values()].flat());
  const nodes = [...[...operations, ...joins].map(({ id }) => id), ...names];
  const edges: Edge[] = [
    ...operations.flatMap(({ id, order: { after } }) => after.map((edge) => edgeTo(id, edge.id))),
    ...joins.flatMap(({ id, after }) => after.map((edge) => edgeTo(id, edge.id))),
  ];
  for (const { id, order } of operations) {
    const tied = [...(ties.get(id) ?? []), ...(order.fallbackFor ? [order.fallbackFor] : [])];
    for (const other of tied) edges.push({ from: id, to: other }, { from: other, to: id });
  }
  const components = componentsOf(nodes, edges);
  return new Map(operations.map(({ id }) => [id, components.get(id) ?? -1]));
}

/**
 * VMs that an earlier run has taken from their users and not given back. What was journaled and
 * never sent has taken nothing: such a VM has its power still.
 */
export function takenVms(
  { changes }: Pick<Plan, "changes">,
  restores: readonly OpenRestore[],
  types: SchemaRegistry,
): ReadonlySet<Address> {
  const current = currentByAddress(changes);
  const taken = restores.filter(({ address, power }) => {
    const change = current.get(address);
    const wanted = types[change?.type ?? ""]?.power?.wanted;
    return wanted === undefined || change?.before?.[wanted] !== power;
  });
  return new Set(taken.map(({ address }) => address));
}

/** A power word toward the power that an earlier run has left owing. */
export function isRestoring(
  { subject, effect, request }: Operation,
  owed: ReadonlySet<Address>,
): boolean {
  return effect.kind === "power" && request.closing === true && owed.has(subject.address);
}

/**
 * Operations of groups that end what an interrupted run has begun, since they bring back the power
 * that it has taken. Their time was asked when it was begun. A deletion brings nothing back: it
 * stays within its time, and the object stays until then.
 */
export function endingOperations(
  plan: Pick<Plan, "changes" | "operations" | "joins">,
  owed: ReadonlySet<Address>,
): ReadonlySet<OperationId> {
  if (owed.size === 0) return new Set();
  const groupOf = operationGroups(plan);
  const leaving = new Set(
    plan.changes.filter(({ action }) => action === "delete").map(({ address }) => address),
  );
  const deleting = plan.operations.filter(
    ({ effect, subject }) => effect.kind === "delete" && leaving.has(subject.address),
  );
  const kept = new Set(deleting.map(({ id }) => groupOf.get(id)));
  const ending = new Set(
    plan.operations
      .filter((operation) => isRestoring(operation, owed))
      .map(({ id }) => groupOf.get(id))
      .filter((group) => !kept.has(group)),
  );
  return new Set(plan.operations.map(({ id }) => id).filter((id) => ending.has(groupOf.get(id))));
}

function edgeTo(to: string, from: string): Edge {
  return { from, to };
}

/** Names of what an operation is tied to; no operation has such an id. */
function tiesOf({
  changes,
  operations,
}: Pick<Plan, "changes" | "operations">): ReadonlyMap<string, readonly string[]> {
  const whole = new Map<string, string>();
  for (const { address, action, reason } of changes) {
    if (action === "replace" || action === "delete") whole.set(address, `whole ${address}`);
    // Content is made again with what holds it.
    if (reason.kind === "container-replaced") whole.set(address, `whole ${reason.container}`);
  }
  return new Map(operations.map((operation) => [operation.id, tiesOfOne(operation, whole)]));
}

function tiesOfOne(
  { subject: { address }, effect, order: { window }, record }: Operation,
  whole: ReadonlyMap<string, string>,
): readonly string[] {
  const all = whole.get(address);
  const makes = effect.kind === "create" || record.completes === true;
  return [
    ...(all === undefined ? [] : [all]),
    ...(window === undefined ? [] : [`window ${window.id}`]),
    ...(effect.kind === "power" ? [`power ${address}`] : []),
    ...(makes ? [`made ${address}`] : []),
  ];
}
