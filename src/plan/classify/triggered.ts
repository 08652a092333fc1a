/** Whether something that `replace_triggered_by` names changes: then the object is made anew. */

import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { Address } from "../../model/value/address.ts";
import type { Trigger } from "../../model/value/trigger.ts";
import { equalValues, isKnown } from "../../model/value/value.ts";
import type { Prior } from "../before/prior.ts";
import type { Unit } from "../unit.ts";
import type { Draft } from "./draft.ts";

/**
 * The address that is the reason: of something that this plan changes, or that was changed since
 * the object was made. What is changed outside of vmform and set right again is no change; nor is
 * what may turn out as it is: while applying it is recorded where it did not.
 */
export function triggeredBy(
  draft: Draft,
  { triggers = [] }: DesiredInstance,
  { record }: Prior,
): Address | undefined {
  const owed = triggers.find(({ address }) => address === record.triggeredBy);
  if (owed !== undefined) return owed.address;
  return triggers.find((one) => {
    const unit = draft.units.get(one.address);
    return unit !== undefined && changes(unit, one);
  })?.address;
}

function changes({ action, undecided, prior, type, updates, power, wanted }: Unit, one: Trigger) {
  if (action === "replace") return undecided === undefined;
  // The recorded one is missing.
  if (action === "create") return prior !== undefined && prior.record.status === "ready";
  if (action !== "update" || prior === undefined) return false;
  const powered = power === undefined || type.power === undefined ? [] : [type.power.wanted];
  const names = [...updates, ...powered];
  const { applied } = prior.record;
  return names.some((name) => {
    if (one.attribute !== undefined && one.attribute !== name) return false;
    const value = wanted[name] ?? null;
    const had = applied?.[name] ?? prior.record.attributes[name] ?? null;
    return value !== null && isKnown(value) && !equalValues(had, value);
  });
}
