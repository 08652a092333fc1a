/** Changes for people, made of classified units. */

import type { Change } from "../model/change.ts";
import type { Attributes, PlannedAttributes, PlannedValue, Value } from "../model/value.ts";
import type { Classification } from "./classify.ts";
import { attributeChanges } from "./compare.ts";
import { creates, type Unit } from "./unit.ts";

export function changeOf(unit: Unit, classification: Classification): Change {
  const before = beforeOf(unit);
  const after = afterOf(unit, classification, before);
  const { schema } = unit.type;
  const silent = unit.action === "no-op" || unit.action === "forget";
  return {
    address: unit.address,
    objectKey: unit.objectKey,
    type: unit.type.name,
    provider: unit.provider,
    identity: unit.identity,
    action: unit.action,
    reason: unit.reason,
    before,
    after,
    attributes: silent ? [] : attributeChanges(schema, before, after, unit.forceNew),
  };
}

/** Inputs as applied, overlaid by what was read; power as observed. */
function beforeOf(unit: Unit): Attributes | null {
  const { prior, type } = unit;
  if (prior === undefined || prior.existence === "missing") return null;
  const before: { [name: string]: Value } = { ...prior.record.applied, ...prior.attributes };
  const observed = prior.attributes[type.power?.observed ?? ""];
  if (type.power !== undefined && observed !== undefined) before[type.power.wanted] = observed;
  return before;
}

/** As it will be there: an input that is not sent stays as it is, whatever is wanted. */
function afterOf(
  unit: Unit,
  classification: Classification,
  before: Attributes | null,
): PlannedAttributes | null {
  if (unit.action === "delete" || unit.action === "forget") return null;
  const after: { [name: string]: PlannedValue } = { ...classification.lookup(unit.address) };
  if (!creates(unit)) for (const name of unsentInputs(unit)) after[name] = before?.[name] ?? null;
  if (unit.type.power !== undefined && unit.power !== undefined) {
    after[unit.type.power.wanted] = unit.power.to;
  }
  return after;
}

function unsentInputs({ type, updates }: Unit): readonly string[] {
  return Object.values(type.schema.attributes).flatMap(({ name, computed, local }) =>
    computed || local || updates.includes(name) ? [] : [name],
  );
}
