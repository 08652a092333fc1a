/** Waits for volatile attributes, such as an IP address, that something refers to. */

import type { Address } from "../model/address.ts";
import type { Reference } from "../model/expression.ts";
import type { OperationId } from "../model/operation.ts";
import { isUnknown } from "../model/value.ts";
import type { Classification } from "./classify.ts";
import type { UnitIndex } from "./cross-edges.ts";
import { addOperation, type Lowering, marks } from "./lowering.ts";
import { addEdge } from "./order-graph.ts";
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
  const id = addOperation(lowering, lowered.unit, "planned", {
    verb: `wait-${volatile}`,
    effect: "wait",
    summary: `wait for ${volatile}`,
    inputs: {},
    records: {},
    expect: [{ attribute: volatile, present: true }],
    repeat: "safe",
    readBack: [volatile],
  });
  waits.set(key, id);
  addEdge(lowering.graph, lowered.settled, id);
  return id;
}

function volatileAttributes(unit: Unit): readonly string[] {
  return Object.values(unit.type.schema.attributes).flatMap((attribute) =>
    attribute.volatile ? [attribute.name] : [],
  );
}

function waitKey(address: Address, attribute: string): string {
  return `${address} ${attribute}`;
}
