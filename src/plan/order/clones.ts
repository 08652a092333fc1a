/**
 * Clones are copied while their parent is off: in a natural segment of its power timeline, above
 * all before its first power on; in a window when a power cycle is allowed; else they are tried as
 * they are. The parent is never cycled uninvited.
 */

import type { Address } from "../../model/value/address.ts";
import { sourceProblem } from "../classify/named-objects.ts";
import { creates, endsFirst, type Unit } from "../unit.ts";
import { type LoweredUnit, type Lowering, marks, type Timeline } from "./lowering.ts";
import { addEdge, reaches } from "./order-graph.ts";
import { openEcho, placeNaturally } from "./placement.ts";
import { placeInSegment } from "./power-timeline.ts";

/**
 * True when the unit needs of the dependency only that it exists, to be copied. A `depends_on` of
 * the parent asks for no more: a copy of a running parent would be refused.
 */
export function isCloneOf(unit: Unit, dependency: LoweredUnit): boolean {
  if (!isCopyOf(unit, dependency)) return false;
  const parent = dependency.unit;
  return (unit.desired?.references ?? [])
    .filter((reference) => reference.address === parent.address)
    .every((reference) => parent.type.schema.attributes[reference.attribute ?? ""]?.key === true);
}

/** It may need more of its parent, such as the address: then it is copied later, in a window. */
function isCopyOf(unit: Unit, { unit: parent, timeline }: LoweredUnit): boolean {
  if (!creates(unit) || unit.desired === undefined || timeline === undefined) return false;
  return unit.type.links.some(
    (link) => link.type === parent.type.name && unit.wanted[link.attribute] === parent.identity,
  );
}

export function placeClones(lowering: Lowering, units: ReadonlyMap<string, LoweredUnit>): void {
  const windows = new Map<Address, Timeline>();
  for (const { unit, createOperation } of units.values()) {
    if (createOperation === undefined) continue;
    for (const address of unit.dependencies) {
      const parent = units.get(address);
      if (parent === undefined || !isCopyOf(unit, parent)) continue;
      const { graph } = lowering;
      if (!isCloneOf(unit, parent)) {
        // A value known only when the parent is on would be lost with turning it off.
        if (!restsOn(parent)) continue;
        const isPlaced =
          !readsLate(unit, parent) &&
          placeInWindow(lowering, parent, unit, createOperation, windows);
        if (!isPlaced) refuseReplacement(lowering, unit, parent);
        continue;
      }
      if (parent.createOperation !== undefined) {
        addEdge(graph, parent.createOperation, createOperation);
      }
      if (placeNaturally(lowering, parent, createOperation, "off")) continue;
      if (placeInWindow(lowering, parent, unit, createOperation, windows)) continue;
      if (restsOn(parent)) refuseReplacement(lowering, unit, parent);
      const { done } = marks(parent.unit);
      if (!reaches(graph, createOperation, done)) addEdge(graph, done, createOperation);
    }
  }
}

/** What cannot be copied would be known only when the old object is gone. */
function refuseReplacement(
  lowering: Lowering,
  unit: Unit,
  { unit: parent, timeline }: LoweredUnit,
) {
  const rest = timeline?.route.states.at(-1);
  if (!endsFirst(unit) || rest === undefined || !lowering.input.rules.checkFirst) return;
  lowering.diagnostics.push(sourceProblem(unit, parent.address, rest, "off"));
}

function readsLate({ deferred }: Unit, { unit: parent }: LoweredUnit): boolean {
  return Object.values(deferred).some((value) =>
    value.references.some((reference) => reference.address === parent.address),
  );
}

/** A parent that is off when its own changes are done can be copied as it is. */
function restsOn({ timeline }: LoweredUnit): boolean {
  const rest = timeline?.route.states.at(-1);
  return rest === "on" || rest === "paused";
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
  const window = windows.get(address) ?? openEcho(lowering, parent, unit, "off");
  if (window === undefined) return false;
  windows.set(address, window);
  if (reaches(lowering.graph, createOperation, window.words[0] ?? "")) return false;
  placeInSegment(lowering, window, window.route.states.indexOf("off", 1), createOperation);
  return true;
}
