/**
 * Clones are copied while their parent is off: in a natural segment of its power timeline, above all
 * before its first power on; in a window when a power cycle is allowed; else they are tried as they
 * are. The parent is never cycled uninvited.
 */

import type { Address } from "../model/address.ts";
import type { LoweredUnit } from "./lower-unit.ts";
import { type Lowering, marks } from "./lowering.ts";
import { addEdge, reaches } from "./order-graph.ts";
import { openMirror, placeNaturally } from "./placement.ts";
import { placeInSegment, type Timeline } from "./power-timeline.ts";
import { creates, type Unit } from "./unit.ts";

/**
 * True when the unit needs of the dependency only that it exists, to be copied. A `depends_on` of the
 * parent asks for no more: a copy of a running parent would be refused.
 */
export function isCloneOf(unit: Unit, dependency: LoweredUnit): boolean {
  const { desired, type } = unit;
  const parent = dependency.unit;
  if (!creates(unit) || desired === undefined || dependency.timeline === undefined) return false;
  const linked = type.links.some(
    (link) => link.type === parent.type.name && unit.wanted[link.attribute] === parent.identity,
  );
  const keyed = desired.references
    .filter((reference) => reference.address === parent.address)
    .every((reference) => parent.type.schema.attributes[reference.attribute ?? ""]?.key === true);
  return linked && keyed;
}

export function placeClones(lowering: Lowering, units: ReadonlyMap<string, LoweredUnit>): void {
  const windows = new Map<Address, Timeline>();
  for (const { unit, createOperation } of units.values()) {
    if (createOperation === undefined) continue;
    for (const address of unit.dependencies) {
      const parent = units.get(address);
      if (parent === undefined || !isCloneOf(unit, parent)) continue;
      const { graph } = lowering;
      if (parent.createOperation !== undefined) {
        addEdge(graph, parent.createOperation, createOperation);
      }
      if (placeNaturally(lowering, parent, createOperation, "off")) continue;
      if (placeInWindow(lowering, parent, unit, createOperation, windows)) continue;
      const { done } = marks(parent.unit);
      if (!reaches(graph, createOperation, done)) addEdge(graph, done, createOperation);
    }
  }
}

function placeInWindow(
  lowering: Lowering,
  parent: LoweredUnit,
  unit: Unit,
  createOperation: string,
  windows: Map<Address, Timeline>,
): boolean {
  const { address } = parent.unit;
  if (!lowering.input.allowed.includes("power-cycle")) return false;
  if (reaches(lowering.graph, createOperation, parent.settled)) return false;
  const window = windows.get(address) ?? openMirror(lowering, parent, unit, "off");
  if (window === undefined) return false;
  windows.set(address, window);
  if (reaches(lowering.graph, createOperation, window.words[0] ?? "")) return false;
  placeInSegment(lowering, window, window.route.states.indexOf("off", 1), createOperation);
  return true;
}
