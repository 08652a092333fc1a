/**
 * Integrity of a saved plan: what holds for every plan that is made here, beyond its shape. A file
 * that somebody has edited, and given a right checksum again, may hold anything.
 *
 * 1. Every address is canonical, and names the type of its change or operation.
 * 2. Ids of operations and joins are unique, and each edge, fallback and check names one of them.
 * 3. Edges lead to no cycle, or nothing of it could ever start.
 * 4. A provider of an operation has its settings in the plan.
 */

import { topologicalOrder } from "../graph/order.ts";
import { checkOf, type Operation, type OperationId } from "../model/operation/operation.ts";
import type { Plan } from "../model/plan/plan.ts";
import { type Address, parseAddress, toAddress } from "../model/value/address.ts";

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
    ...[...plan.changes, ...plan.observed, ...plan.drift].map(addressIn),
    ...plan.operations.map(({ subject }) => subject.address),
    ...[...plan.data, ...plan.facts, ...plan.consent, ...plan.notChecked].map(addressIn),
    ...plan.differences.map(addressIn),
    ...plan.operations.flatMap(({ record: { dependencies } }) => dependencies),
    ...plan.blocked,
  ];
  const wrong = named.find((address) => toAddress(address) !== address);
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not an address`;
}

function addressIn({ address }: { readonly address: Address }): Address {
  return address;
}

function wrongType({ changes, operations, data }: Plan): string | undefined {
  const subjects = operations.map(({ subject }) => subject);
  const wrong = [...changes, ...subjects, ...data].find(
    ({ address, type }) => parseAddress(address)?.type !== type,
  );
  return wrong === undefined ? undefined : `${wrong.address} is of type ${wrong.type} in it`;
}

function wrongIds({ operations, joins }: Plan, ids: ReadonlySet<OperationId>): string | undefined {
  if (ids.size < operations.length + joins.length) return "an operation stands twice in it";
  const edge = edgesOf(operations, joins).find(({ from }) => !ids.has(from));
  return edge === undefined ? undefined : `${edge.to} comes after ${edge.from}, which is not in it`;
}

/** A fallback stands where the operation stands that it is for. */
function wrongCycle({ operations, joins }: Plan): string | undefined {
  const ids = [...operations, ...joins].map(({ id }) => id);
  const sorted = topologicalOrder(ids, edgesOf(operations, joins));
  return "cycle" in sorted ? `${sorted.cycle.join(" → ")} wait for each other` : undefined;
}

function edgesOf(operations: Plan["operations"], joins: Plan["joins"]) {
  const ended = operations.map(({ id, order: { after } }) => ({ id, after }));
  return [...ended, ...joins].flatMap(({ id, after }) =>
    after.map((edge) => ({ from: edge.id, to: id })),
  );
}

function wrongPart(operation: Operation, ids: ReadonlySet<OperationId>): string | undefined {
  const { id, effect, order, request } = operation;
  const named = [order.fallbackFor, checkOf(operation)?.create];
  const missing = named.find((name) => name !== undefined && !ids.has(name));
  if (missing !== undefined) return `${id} is for ${missing}, which is not in it`;
  const sends = effect.kind !== "wait";
  return sends && request.preview === undefined ? `${id} has no request` : undefined;
}

function withoutSettings({ operations, providers }: Plan): string | undefined {
  const known = new Set(providers.map(({ name }) => name));
  const wrong = operations.find(({ subject: { provider } }) => !known.has(provider));
  return wrong === undefined
    ? undefined
    : `provider ${wrong.subject.provider} has no settings in it`;
}
