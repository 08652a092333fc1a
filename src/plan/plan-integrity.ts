/**
 * Integrity of a saved plan: what holds for every plan that is made here, beyond its shape. A file
 * that somebody has edited, and given a right checksum again, may hold anything.
 *
 * 1. Every address is canonical, and names the type of its change or operation.
 * 2. Ids of operations and joins are unique, and each edge, fallback and check names one of them.
 * 3. Edges lead to no cycle, or nothing of it could ever start.
 * 4. A part of a window has a place in it.
 * 5. A provider of an operation has its settings in the plan.
 */

import { topologicalOrder } from "../graph/order.ts";
import { type Address, parseAddress, toAddress } from "../model/address.ts";
import type { Operation, OperationId } from "../model/operation.ts";
import type { Plan } from "../model/plan.ts";

/** The first problem of each kind, in words that complete "it is …"; none of a sound plan. */
export function verifyPlan(plan: Plan): readonly string[] {
  const ids = new Set([...plan.operations, ...plan.joins].map(({ id }) => id));
  return [
    wrongAddress(plan),
    wrongType(plan),
    wrongIds(plan, ids),
    wrongCycle(plan),
    ...plan.operations.map((operation) => wrongPart(operation, ids)),
    withoutSettings(plan),
  ].filter((problem) => problem !== undefined);
}

function wrongAddress(plan: Plan): string | undefined {
  const named: readonly Address[] = [
    ...[...plan.changes, ...plan.operations, ...plan.observed, ...plan.drift].map(addressIn),
    ...[...plan.data, ...plan.facts, ...plan.consent, ...plan.notChecked].map(addressIn),
    ...plan.differences.map(addressIn),
    ...plan.operations.flatMap(({ dependencies }) => dependencies),
    ...plan.blocked,
  ];
  const wrong = named.find((address) => toAddress(address) !== address);
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not an address`;
}

function addressIn({ address }: { readonly address: Address }): Address {
  return address;
}

function wrongType({ changes, operations, data }: Plan): string | undefined {
  const wrong = [...changes, ...operations, ...data].find(
    ({ address, type }) => parseAddress(address)?.type !== type,
  );
  return wrong === undefined ? undefined : `${wrong.address} is of type ${wrong.type} in it`;
}

function wrongIds({ operations, joins }: Plan, ids: ReadonlySet<OperationId>): string | undefined {
  if (ids.size < operations.length + joins.length) return "an operation stands twice in it";
  for (const { id, after } of [...operations, ...joins]) {
    const edge = after.find((each) => !ids.has(each.id));
    if (edge !== undefined) return `${id} comes after ${edge.id}, which is not in it`;
  }
  return undefined;
}

/** A fallback stands where the operation stands that it is for. */
function wrongCycle({ operations, joins }: Plan): string | undefined {
  const all = [...operations, ...joins];
  const edges = all.flatMap(({ id, after }) => after.map((edge) => ({ from: edge.id, to: id })));
  const sorted = topologicalOrder(
    all.map(({ id }) => id),
    edges,
  );
  return "cycle" in sorted ? `${sorted.cycle.join(" → ")} wait for each other` : undefined;
}

function wrongPart(operation: Operation, ids: ReadonlySet<OperationId>): string | undefined {
  const { id, fallbackFor, check, window, role, request, effect } = operation;
  const missing = [fallbackFor, check?.create].find((name) => name !== undefined && !ids.has(name));
  if (missing !== undefined) return `${id} is for ${missing}, which is not in it`;
  if ((window === undefined) !== (role === undefined)) return `${id} has no place in its window`;
  const sends = effect !== "wait" && check === undefined;
  return sends && request === undefined ? `${id} has no request` : undefined;
}

function withoutSettings({ operations, providers }: Plan): string | undefined {
  const known = new Set(providers.map(({ name }) => name));
  const wrong = operations.find(({ provider }) => !known.has(provider));
  return wrong === undefined ? undefined : `provider ${wrong.provider} has no settings in it`;
}
