/** Changes for people, made of classified units. */

import type { AttributeChange, Change } from "../model/plan/change.ts";
import {
  type Attributes,
  type PlannedAttributes,
  type PlannedValue,
  type Value,
} from "../model/value/value.ts";
import type { Classification } from "./classify/classify.ts";
import { attributeChanges } from "./compare.ts";
import { completedNames, creates, type Unit } from "./unit.ts";

export function changeOf(unit: Unit, classification: Classification): Change {
  const before = beforeOf(unit);
  const after = afterOf(unit, classification, before);
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
    attributes: silent ? [] : attributesOf(unit, before, after),
  };
}

/** What was never sent and will not be is no change: the new object is given one as the old was. */
function attributesOf(
  unit: Unit,
  before: Attributes | null,
  after: PlannedAttributes | null,
): readonly AttributeChange[] {
  const applied = unit.prior?.record.applied ?? {};
  const given = new Set(completedNames(unit).filter((name) => (applied[name] ?? null) === null));
  const changes = attributeChanges(unit.type.schema, before, after, unit.forceNew);
  return changes.filter(({ attribute }) => !given.has(attribute));
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
