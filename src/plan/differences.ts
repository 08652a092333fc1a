/**
 * What is not as it should be and stays so: attributes that differ from the configuration and are
 * not changed, and drift that nobody has accepted.
 */

import type { NotChecked, StandingDifference, StandingDifferences } from "../model/plan/plan.ts";
import type { TypeRegistry } from "../model/provider/provider.ts";
import type { Address } from "../model/value/address.ts";
import { isSame } from "../model/value/comparison.ts";
import { type Attributes, equalValues, type Value } from "../model/value/value.ts";
import { driftOf, type Prior } from "./before/prior.ts";
import type { Unit } from "./unit.ts";

export function standingDifferences(units: readonly Unit[]): readonly StandingDifferences[] {
  return units.flatMap((unit) => {
    const { address, type, wanted, prior, standing } = unit;
    const attributes = standing.map((attribute): StandingDifference => {
      const schema = type.schema.attributes[attribute];
      return {
        attribute,
        wanted: wanted[attribute] ?? null,
        observed: prior?.attributes[attribute] ?? null,
        sensitive: schema?.sensitive === true,
        why: schema?.lookup === true ? "lookup" : "not-in-place",
      };
    });
    return attributes.length === 0 ? [] : [{ address, attributes }];
  });
}

/** Wanted attributes that the interface does not tell: whether they are as wanted nobody knows. */
export function untoldAttributes(units: readonly Unit[]): readonly NotChecked[] {
  return units.flatMap(({ address, desired, prior, wanted }) =>
    Object.entries(prior?.untold ?? {}).flatMap(([name, why]) => {
      const isIgnored = desired?.lifecycle.ignoreChanges.includes(name) !== false;
      if (isIgnored || (wanted[name] ?? null) === null) return [];
      return [{ address, reason: `${name}: ${why}` }];
    }),
  );
}

/**
 * Values that changed outside and that applying does not record. A configuration that wants the
 * value, or leaves the attribute to others, has accepted it.
 */
export function unacceptedDrift(
  prior: Prior,
  units: ReadonlyMap<Address, Unit>,
  types: TypeRegistry,
): Attributes {
  const drift = driftOf(prior, types);
  if (drift?.status !== "changed") return {};
  const { address, objectKey } = prior.record;
  const unit = objectKey === "current" ? units.get(address) : undefined;
  const held: { [name: string]: Value } = {};
  for (const { attribute } of drift.attributes) {
    const observed = prior.attributes[attribute];
    if (observed === undefined || isAccepted(unit, attribute, observed)) continue;
    if (unit !== undefined && followsNews(unit, prior, attribute)) continue;
    held[attribute] = observed;
  }
  return held;
}

function isAccepted(unit: Unit | undefined, attribute: string, observed: Value): boolean {
  if (unit?.desired === undefined) return false;
  const { power } = unit.type;
  const input = power?.observed === attribute ? power.wanted : attribute;
  if (unit.desired.lifecycle.ignoreChanges.includes(input)) return true;
  const wanted = unit.wanted[input] ?? null;
  return wanted !== null && isSame(unit.type, input, wanted, observed);
}

/**
 * Computed from an input whose wanted value is not the applied one: what an earlier request brought
 * about, unseen then, is nobody else's change.
 */
function followsNews({ type, wanted }: Unit, { record }: Prior, attribute: string): boolean {
  const follows = type.schema.attributes[attribute]?.follows ?? [];
  return follows.some((input) => {
    const value = wanted[input] ?? null;
    return value !== null && !equalValues(record.applied?.[input] ?? null, value);
  });
}
