/** Attributes an object will have after the plan, as references to it see them. */

import { foundBy } from "../model/found-by.ts";
import type { AttributeSchema } from "../model/resource-schema.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../model/value.ts";
import { creates, type Unit } from "./unit.ts";

/** Wanted values over prior ones; computed ones are unknown where the change makes them. */
export function plannedAttributes(unit: Unit): PlannedAttributes {
  const planned: { [name: string]: PlannedValue } = {};
  const wanted = foundBy(unit.type, unit.wanted);
  const prior = creates(unit) ? {} : (unit.prior?.attributes ?? {});
  const applied = creates(unit) ? {} : (unit.prior?.record.applied ?? {});
  for (const attribute of Object.values(unit.type.schema.attributes)) {
    const { name, follows } = attribute;
    if (attribute.lookup) {
      // What finds an object is no wish: the object has the name it has.
      planned[name] = prior[name] ?? wanted[name] ?? null;
    } else if (!attribute.computed) {
      planned[name] = unit.wanted[name] ?? prior[name] ?? applied[name] ?? null;
    } else if (unit.power !== undefined && name === unit.type.power?.observed) {
      planned[name] = unit.power.to;
    } else if (attribute.volatile) {
      planned[name] = plannedVolatile(unit, attribute);
    } else {
      const changes = creates(unit) || follows.some((other) => unit.updates.includes(other));
      planned[name] = changes ? unknown : (prior[name] ?? null);
    }
  }
  return planned;
}

/**
 * What only a running VM tells is null when it will not be on, and unknown, and waited for, when it
 * comes on. Anything else stays as it is, whatever the power: the server goes on telling it.
 */
function plannedVolatile(unit: Unit, { name, whileOn }: AttributeSchema): PlannedValue {
  const isOff = unit.power !== undefined && unit.power.to !== "on";
  if (isOff && whileOn) return null;
  const stays = !whileOn || unit.power === undefined || unit.power.from === unit.power.to;
  // An address that cannot be read just now is no reason to replace what was made of it.
  const last = unit.prior?.attributes[name] ?? unit.prior?.record.attributes[name] ?? null;
  if (!creates(unit) && stays && last !== null) return last;
  return isOff ? null : unknown;
}
