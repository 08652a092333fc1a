/** Attributes an object will have after the plan, as references to it see them. */

import { type PlannedAttributes, type PlannedValue, unknown } from "../model/value.ts";
import { creates, type Unit } from "./unit.ts";

/** Wanted values over prior ones; computed ones are unknown where the change makes them. */
export function plannedAttributes(unit: Unit): PlannedAttributes {
  const planned: { [name: string]: PlannedValue } = {};
  const prior = creates(unit) ? {} : (unit.prior?.attributes ?? {});
  const applied = creates(unit) ? {} : (unit.prior?.record.applied ?? {});
  for (const attribute of Object.values(unit.type.schema.attributes)) {
    const { name, follows } = attribute;
    if (attribute.lookup) {
      // What finds an object is no wish: the object has the name it has.
      planned[name] = prior[name] ?? unit.wanted[name] ?? null;
    } else if (!attribute.computed) {
      planned[name] = unit.wanted[name] ?? prior[name] ?? applied[name] ?? null;
    } else if (unit.power !== undefined && name === unit.type.power?.observed) {
      planned[name] = unit.power.to;
    } else if (attribute.volatile) {
      planned[name] = plannedVolatile(unit, name);
    } else {
      const changes = creates(unit) || follows.some((other) => unit.updates.includes(other));
      planned[name] = changes ? unknown : (prior[name] ?? null);
    }
  }
  return planned;
}

/** Null when the VM will not be on; unknown, and waited for, when it is about to change. */
function plannedVolatile(unit: Unit, name: string): PlannedValue {
  if (unit.power !== undefined && unit.power.to !== "on") return null;
  const stays = unit.power === undefined || unit.power.from === unit.power.to;
  // An address that cannot be read just now is no reason to replace what was made of it.
  const last = unit.prior?.attributes[name] ?? unit.prior?.record.attributes[name] ?? null;
  return !creates(unit) && stays && last !== null ? last : unknown;
}
