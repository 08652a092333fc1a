/** Order between units: dependents after dependencies, deletes reversed over recorded edges. */

import { containerKey, holderKey, recordedKey } from "../keys.ts";
import { containerOf, creates, endsFirst, type Unit } from "../unit.ts";
import { isCloneOf } from "./clones.ts";
import { lastClonesFrom } from "./last-clones.ts";
import { type LoweredUnit, type Lowering, marks } from "./lowering.ts";
import { addEdge } from "./order-graph.ts";
import type { Containers } from "./placement.ts";

/** By unit key, which for a current object is its address. */
export type UnitIndex = ReadonlyMap<string, LoweredUnit>;

export function addCrossEdges(lowering: Lowering, units: UnitIndex, containers: Containers): void {
  const holders = new Map<string, Unit>();
  for (const { unit } of units.values()) {
    if (unit.prior === undefined) continue;
    const { record } = unit.prior;
    const identity = recordedKey(lowering.input.types, record);
    holders.set(holderKey({ ...record, identity }), unit);
  }
  for (const lowered of units.values()) {
    addDependencies(lowering, units, containers, lowered);
    addRecordedDependencies(lowering, units, lowered.unit);
    addKeyMove(lowering, holders, lowered.unit);
    if (lowered.unit.objectKey !== "current") addSuccessor(lowering, units, lowered.unit);
  }
}

/** A dependent begins when its dependency is done; content and clones have closer edges. */
function addDependencies(
  lowering: Lowering,
  units: UnitIndex,
  containers: Containers,
  lowered: LoweredUnit,
): void {
  const { unit } = lowered;
  if (unit.desired === undefined) return;
  const planned = containerOf(unit, "planned");
  const container = planned === undefined ? undefined : containers.get(containerKey(planned));
  for (const address of unit.dependencies) {
    const dependency = units.get(address);
    if (dependency === undefined) continue;
    if (dependency === container && dependency.timeline !== undefined && isPlaced(lowered)) {
      addCreateFirst(lowering, unit, dependency.unit);
      const create = dependency.createOperation;
      if (create !== undefined) addEdge(lowering.graph, create, marks(unit).begin);
      continue;
    }
    addCreateFirst(lowering, unit, dependency.unit);
    if (isCloneOf(unit, dependency)) continue;
    addEdge(lowering.graph, marks(dependency.unit).done, marks(unit).begin);
  }
}

/** Content that needs no power has no place in a timeline: it comes when its container is done. */
function isPlaced({ content, createOperation, ownSteps }: LoweredUnit): boolean {
  return content.length > 0 || (createOperation === undefined && ownSteps.length === 0);
}

/** What depended on an object goes first; passes through unchanged objects. */
function addRecordedDependencies(lowering: Lowering, units: UnitIndex, unit: Unit): void {
  for (const address of unit.prior?.record.dependencies ?? []) {
    const dependency = units.get(address)?.unit;
    if (dependency === undefined || dependency.prior === undefined) continue;
    if (isClonedFrom(lowering, unit, dependency)) continue;
    if (mayOutlive(lowering, unit, dependency)) continue;
    addEdge(lowering.graph, marks(unit).ended, marks(dependency).endBegin);
    const lives = unit.action !== "delete" && unit.action !== "forget";
    // Only when it is deleted outright: before a replaced one, this would make cycles.
    const outright = dependency.action === "delete" || dependency.deposes !== undefined;
    if (lives && outright && !unit.dependencies.includes(address)) {
      addEdge(lowering.graph, marks(unit).done, marks(dependency).endBegin);
    }
  }
}

/** It is taken before the dependency ends, which has closer edges. */
function isClonedFrom(lowering: Lowering, unit: Unit, dependency: Unit): boolean {
  return lastClonesFrom(lowering, dependency).includes(unit);
}

/**
 * An object is not ended before the one that it needs is there again: when that fails, it would be
 * lost as well.
 */
function mayOutlive({ input }: Lowering, unit: Unit, dependency: Unit): boolean {
  const { rules } = input;
  const both = endsFirst(unit) && endsFirst(dependency);
  return rules.destructiveLast && both && unit.dependencies.includes(dependency.address);
}

/** The old object goes when everything that depended on it has turned to the new one. */
function addCreateFirst(lowering: Lowering, dependent: Unit, dependency: Unit): void {
  if (dependency.deposes === undefined) return;
  addEdge(lowering.graph, marks(dependent).done, marks(dependency).endBegin);
}

/** What an earlier replace left over goes after its successor, and all that depends on that. */
function addSuccessor(lowering: Lowering, units: UnitIndex, unit: Unit): void {
  const current = units.get(unit.address);
  if (current === undefined) return;
  addEdge(lowering.graph, marks(current.unit).done, marks(unit).endBegin);
  for (const { unit: other } of units.values()) {
    if (other.desired === undefined || !other.dependencies.includes(unit.address)) continue;
    addEdge(lowering.graph, marks(other).done, marks(unit).endBegin);
  }
}

/** A key taken over from an object that gives it up: create after delete. */
function addKeyMove(lowering: Lowering, holders: ReadonlyMap<string, Unit>, unit: Unit): void {
  if (!creates(unit) || !lowering.input.rules.keyMoves) return;
  const { provider, identity } = unit;
  const holder = holders.get(holderKey({ provider, type: unit.type.name, identity }));
  if (holder === undefined || holder === unit) return;
  addEdge(lowering.graph, marks(holder).ended, marks(unit).begin);
}
