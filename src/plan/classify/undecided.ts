/**
 * Replacements that late values decide: the question "can this object be kept without more ado?".
 * Content that changes with it has its place in the power of the new object; where that of the kept
 * one would be another, it is replaced for certain.
 */

import type { Address } from "../../model/value/address.ts";
import { compareWanted } from "../../model/value/comparison.ts";
import { containerKey } from "../keys.ts";
import { containerOf, type Unit } from "../unit.ts";

export function decideForContent(units: readonly Unit[]): readonly Unit[] {
  const open = new Map<string, Unit>();
  for (const unit of units) {
    if (unit.undecided === undefined) continue;
    open.set(containerKey({ type: unit.type.name, identity: unit.identity }), unit);
  }
  if (open.size === 0) return units;
  const decided = new Set<Address>();
  for (const unit of units) {
    const container = containerOf(unit, leaves(unit) ? "prior" : "planned");
    const holder = container === undefined ? undefined : open.get(containerKey(container));
    if (holder !== undefined && !canBeKept(holder, unit)) decided.add(holder.address);
  }
  return units.map((unit) => {
    if (unit.branch === undefined || !decided.has(unit.branch.of)) return unit;
    const { reason } = unit;
    const certain =
      reason.kind === "force-new" ? { kind: reason.kind, attributes: reason.attributes } : reason;
    return { ...unit, reason: certain, undecided: undefined, branch: undefined };
  });
}

/** It ends with its container, without a request: a kept one would keep it. */
function leaves({ desired, endsSilently }: Unit): boolean {
  return desired === undefined && endsSilently;
}

function canBeKept({ power }: Unit, content: Unit): boolean {
  if (content.action === "no-op") return true;
  if (leaves(content)) return false;
  if (content.branch === undefined) return power?.from === "on" && power.to === "on";
  const { prior, type, wanted, desired } = content;
  if (prior === undefined) return false;
  const { forceNew, updates } = compareWanted({
    type,
    wanted,
    applied: prior.record.applied,
    attributes: prior.attributes,
    ignore: desired?.lifecycle.ignoreChanges ?? [],
    except: [],
  });
  return forceNew.length === 0 && updates.length === 0;
}
