/** Waits for volatile attributes, such as an IP address, that something refers to. */

import type { Address } from "../model/address.ts";
import type { Reference } from "../model/expression.ts";
import type { OperationId, WindowId } from "../model/operation.ts";
import { isUnknown } from "../model/value.ts";
import type { Classification } from "./classify.ts";
import type { UnitIndex } from "./cross-edges.ts";
import { addOperation, type Lowering, marks } from "./lowering.ts";
import { addEdge, reaches } from "./order-graph.ts";
import type { Unit } from "./unit.ts";

/** Only where somebody who changes, or an output of an object that changes, needs the value. */
export function addWaits(
  lowering: Lowering,
  units: UnitIndex,
  classification: Classification,
): void {
  const waits = new Map<string, OperationId>();
  for (const { unit } of units.values()) {
    if (unit.action === "no-op" || unit.desired === undefined) continue;
    for (const reference of unit.desired.references) {
      const wait = waitFor(lowering, units, classification, reference, waits);
      if (wait !== undefined) addEdge(lowering.graph, wait, marks(unit).begin);
    }
  }
  if (lowering.input.mode === "destroy") return;
  for (const output of lowering.input.desired.outputs) {
    for (const reference of output.references) {
      if (units.get(reference.address)?.unit.action === "no-op") continue;
      waitFor(lowering, units, classification, reference, waits);
    }
  }
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
  for (const { address, attribute } of [...instances, ...outputs].flatMap((it) => it.references)) {
    const lowered = units.get(address);
    const own = windows.get(address);
    if (lowered === undefined || own === undefined) continue;
    const volatile = volatileAttributes(lowered.unit).find((name) => name === attribute);
    if (volatile === undefined || done.has(waitKey(address, volatile))) continue;
    done.add(waitKey(address, volatile));
    const wait = addWait(lowering, lowered.unit, volatile);
    addEdge(lowering.graph, lowered.settled, wait);
    for (const { last } of own) addEdge(lowering.graph, last, wait);
    for (const window of own) orderReaders(lowering, address, volatile, window, wait);
  }
}

type PowerWindow = { readonly first: OperationId; readonly last: OperationId };

/** Windows that end with the VM on, by VM; not the way back of a replace that fails. */
function windowsEndingOn(lowering: Lowering): ReadonlyMap<Address, readonly PowerWindow[]> {
  const { graph, input } = lowering;
  const windows = new Map<Address, PowerWindow[]>();
  const firsts = new Map<WindowId, OperationId>();
  for (const { id, window, role, fallbackFor } of graph.operations.values()) {
    if (role !== "open" || window === undefined || fallbackFor !== undefined) continue;
    firsts.set(window, id);
  }
  for (const [id, edges] of graph.incoming) {
    if ([...edges.values()].includes("failure")) {
      firsts.delete(graph.operations.get(id)?.window ?? "");
    }
  }
  for (const operation of graph.operations.values()) {
    const { id, address, type, role, settlesRestore, expect, window } = operation;
    const first = firsts.get(window ?? "");
    if (role !== "close" || settlesRestore !== true || first === undefined) continue;
    const observed = input.types[type]?.power?.observed;
    const endsOn = expect.some(
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
  for (const { id, deferred } of graph.operations.values()) {
    const reads = Object.values(deferred).some((value) =>
      value.references.some((it) => it.address === address && it.attribute === attribute),
    );
    if (!reads || reaches(graph, id, first)) continue;
    if (!reaches(graph, first, id)) addEdge(graph, id, first, "settled");
    else if (!reaches(graph, id, wait)) addEdge(graph, wait, id);
  }
}

function waitFor(
  lowering: Lowering,
  units: UnitIndex,
  classification: Classification,
  reference: Reference,
  waits: Map<string, OperationId>,
): OperationId | undefined {
  const { address, attribute } = reference;
  const lowered = units.get(address);
  if (lowered === undefined) return undefined;
  const volatile = volatileAttributes(lowered.unit).find((name) => name === attribute);
  if (volatile === undefined || !isUnknown(classification.lookup(address)?.[volatile])) {
    return undefined;
  }
  const key = waitKey(address, volatile);
  const existing = waits.get(key);
  if (existing !== undefined) return existing;
  const id = addWait(lowering, lowered.unit, volatile);
  waits.set(key, id);
  addEdge(lowering.graph, lowered.settled, id);
  return id;
}

function addWait(lowering: Lowering, unit: Unit, attribute: string): OperationId {
  return addOperation(lowering, { ...unit, branch: undefined }, "planned", {
    verb: `wait-${attribute}`,
    effect: "wait",
    summary: `wait for ${attribute}`,
    inputs: {},
    records: {},
    expect: [{ attribute, present: true }],
    repeat: "safe",
    readBack: [attribute],
  });
}

function volatileAttributes(unit: Unit): readonly string[] {
  return Object.values(unit.type.schema.attributes).flatMap((attribute) =>
    attribute.volatile ? [attribute.name] : [],
  );
}

function waitKey(address: Address, attribute: string): string {
  return `${address} ${attribute}`;
}
