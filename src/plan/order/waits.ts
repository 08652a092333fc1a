/** Waits for volatile attributes, such as an IP address, that something refers to. */

import { deferredIn } from "../../model/operation/condition.ts";
import { judgedBy, type OperationId, type WindowId } from "../../model/operation/operation.ts";
import type { Address } from "../../model/value/address.ts";
import {
  type DeferredValue,
  type Reference,
  readsAttribute,
} from "../../model/value/expression.ts";
import { isUnknown } from "../../model/value/value.ts";
import type { Classification } from "../classify/classify.ts";
import { judgeConditions } from "../conditions.ts";
import type { Unit } from "../unit.ts";
import { judgingMark } from "./conditions.ts";
import type { UnitIndex } from "./cross-edges.ts";
import { addOperation, type Lowering, marks } from "./lowering.ts";
import { addEdge, reaches } from "./order-graph.ts";

/** Only where somebody who changes, or an output of an object that changes, needs the value. */
export function addWaits(
  lowering: Lowering,
  units: UnitIndex,
  classification: Classification,
): void {
  const waits = new Map<string, OperationId>();
  for (const { unit } of units.values()) {
    const { desired, conditions = [] } = unit;
    if (desired === undefined || (unit.action === "no-op" && conditions.length === 0)) continue;
    const judged = conditions.flatMap(deferredIn);
    const late = [...Object.values(unit.deferred), ...judged, ...dataBehind(unit, classification)];
    for (const reference of needed(desired.references, () => late)) {
      for (const wait of waitsFor(lowering, units, classification, reference, waits)) {
        addEdge(lowering.graph, wait, marks(unit).begin);
      }
    }
    for (const reference of ofSelf(unit)) {
      for (const wait of waitsFor(lowering, units, classification, reference, waits)) {
        addEdge(lowering.graph, wait, judgingMark(unit));
      }
    }
  }
  if (lowering.input.mode === "destroy") return;
  for (const output of lowering.input.desired.outputs) {
    const late = (): readonly DeferredValue[] => {
      const { deferred } = output.resolve(classification.lookup);
      const judged = judgeConditions(output.conditions ?? [], classification.lookup, {}).late;
      return [...(deferred === undefined ? [] : [deferred]), ...judged.flatMap(deferredIn)];
    };
    for (const reference of needed(output.references, late)) {
      if (units.get(reference.address)?.unit.action === "no-op") continue;
      waitsFor(lowering, units, classification, reference, waits);
    }
  }
}

/** What is judged of the object itself. */
function ofSelf({ address, conditions = [] }: Unit): readonly Reference[] {
  return conditions
    .flatMap(deferredIn)
    .flatMap(({ references }) => references.filter((reference) => reference.address === address));
}

/** Arguments of the data sources that a unit uses and that are read while applying. */
function dataBehind({ desired }: Unit, { data }: Classification): readonly DeferredValue[] {
  const used = new Set(desired?.data ?? []);
  if (used.size === 0) return [];
  return data.flatMap(({ address, deferred }) =>
    used.has(address) ? Object.values(deferred) : [],
  );
}

/**
 * An object that is handed on as a whole may be so for a value that is known by now: it counts
 * where something that is still to be computed refers to it.
 */
function needed(
  references: readonly Reference[],
  late: () => readonly DeferredValue[],
): readonly Reference[] {
  const isWhole = ({ attribute, reads }: Reference): boolean =>
    attribute === undefined && reads === undefined;
  if (!references.some(isWhole)) return references;
  const computed = new Set(late().flatMap((value) => value.references.map((it) => it.address)));
  return references.filter((one) => !isWhole(one) || computed.has(one.address));
}

/**
 * A window that turns a VM off and on again loses what was waited for before it, or was known while
 * planning: whatever refers to that is evaluated before the window, or waits behind it.
 */
export function addWaitsBehindWindows(lowering: Lowering, units: UnitIndex): void {
  if (lowering.input.mode === "destroy") return;
  const windows = windowsEndingOn(lowering);
  if (windows.size === 0) return;
  const { instances, outputs } = lowering.input.desired;
  const done = new Set<string>();
  const named = [...instances, ...outputs].flatMap((it) => it.references);
  const own = [...units.values()].flatMap(({ unit }) => ofSelf(unit));
  for (const reference of [...named, ...own]) {
    const { address } = reference;
    const lowered = units.get(address);
    const around = windows.get(address);
    if (lowered === undefined || around === undefined) continue;
    for (const volatile of volatileIn(lowered.unit, reference)) {
      if (done.has(waitKey(address, volatile))) continue;
      done.add(waitKey(address, volatile));
      const wait = addWait(lowering, lowered.unit, volatile);
      addEdge(lowering.graph, lowered.settled, wait);
      for (const { last } of around) addEdge(lowering.graph, last, wait);
      for (const window of around) orderReaders(lowering, address, volatile, window, wait);
    }
  }
}

type PowerWindow = { readonly first: OperationId; readonly last: OperationId };

/** Windows that end with the VM on, by VM; not the way back of a replace that fails. */
function windowsEndingOn(lowering: Lowering): ReadonlyMap<Address, readonly PowerWindow[]> {
  const { graph, input } = lowering;
  const windows = new Map<Address, PowerWindow[]>();
  const firsts = new Map<WindowId, OperationId>();
  for (const { id, order } of graph.operations.values()) {
    const { window, fallbackFor } = order;
    if (window?.role === "open" && fallbackFor === undefined) firsts.set(window.id, id);
  }
  for (const [id, edges] of graph.incoming) {
    if ([...edges.values()].includes("failure")) {
      firsts.delete(graph.operations.get(id)?.order.window?.id ?? "");
    }
  }
  for (const operation of graph.operations.values()) {
    const { id, order, proof, record } = operation;
    const { address, type } = operation.subject;
    const first = firsts.get(order.window?.id ?? "");
    const closes = order.window?.role === "close" && record.settlesRestore === true;
    if (!closes || first === undefined) continue;
    const observed = input.types[type]?.power?.observed;
    const endsOn = proof.expect.some(
      (item) => "equals" in item && item.attribute === observed && item.equals === "on",
    );
    if (endsOn) windows.set(address, [...(windows.get(address) ?? []), { first, last: id }]);
  }
  return windows;
}

/** Whatever evaluates the attribute meanwhile would find nothing. */
function orderReaders(
  { graph }: Lowering,
  address: Address,
  attribute: string,
  { first }: PowerWindow,
  wait: OperationId,
): void {
  for (const { id, request, effect } of graph.operations.values()) {
    const judged = judgedBy({ effect }).flatMap(deferredIn);
    const reads = [...Object.values(request.deferred), ...judged].some((value) =>
      value.references.some((it) => it.address === address && readsAttribute(it, attribute)),
    );
    if (!reads || reaches(graph, id, first)) continue;
    if (!reaches(graph, first, id)) addEdge(graph, id, first, "settled");
    else if (!reaches(graph, id, wait)) addEdge(graph, wait, id);
  }
}

function waitsFor(
  lowering: Lowering,
  units: UnitIndex,
  classification: Classification,
  reference: Reference,
  waits: Map<string, OperationId>,
): readonly OperationId[] {
  const { address } = reference;
  const lowered = units.get(address);
  if (lowered === undefined) return [];
  return volatileIn(lowered.unit, reference).flatMap((volatile) => {
    if (!isUnknown(classification.lookup(address)?.[volatile])) return [];
    const key = waitKey(address, volatile);
    const existing = waits.get(key);
    if (existing !== undefined) return [existing];
    const id = addWait(lowering, lowered.unit, volatile);
    waits.set(key, id);
    addEdge(lowering.graph, lowered.settled, id);
    return [id];
  });
}

function addWait(lowering: Lowering, unit: Unit, attribute: string): OperationId {
  return addOperation(lowering, { ...unit, branch: undefined }, "planned", {
    verb: `wait-${attribute}`,
    effect: "wait",
    summary: `wait for ${attribute}`,
    request: { inputs: {}, repeat: "safe" },
    applied: {},
    proof: { expect: [{ attribute, present: true }], readBack: [attribute] },
  });
}

/** Volatile attributes of the object that the reference reads, or may read. */
function volatileIn({ type }: Unit, reference: Reference): readonly string[] {
  return Object.values(type.schema.attributes).flatMap(({ name, volatile }) =>
    volatile && readsAttribute(reference, name) ? [name] : [],
  );
}

function waitKey(address: Address, attribute: string): string {
  return `${address} ${attribute}`;
}
