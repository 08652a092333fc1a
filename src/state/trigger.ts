/**
 * What is owed to `replace_triggered_by`: an operation that changes an object marks those that are
 * to be made anew for it, in the same step, so that no run that ends in between forgets them.
 */

import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { Address } from "../model/value/address.ts";
import type { Trigger } from "../model/value/trigger.ts";
import { type Attributes, equalValues } from "../model/value/value.ts";
import { setObject, type WorkingState } from "./working.ts";

/** `names` are the attributes that have changed; without them the object is another one. */
export function trigger(working: WorkingState, address: Address, names?: readonly string[]): void {
  if (names?.length === 0) return;
  for (const key of [...(working.naming.get(address) ?? [])]) {
    const object = working.objects.get(key);
    if (object?.objectKey !== "current" || object.triggeredBy !== undefined) continue;
    const isMeant = object.triggers?.some(
      (one) =>
        one.address === address &&
        (names === undefined || one.attribute === undefined || names.includes(one.attribute)),
    );
    if (isMeant === true) setObject(working, { ...object, triggeredBy: address });
  }
}

/** Of the values that were sent, those that were others before; set right again is no change. */
export function changedNames(before: RecordedObject, sent: Attributes): readonly string[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    const had = before.applied?.[name] ?? before.attributes[name] ?? null;
    return equalValues(had, value) ? [] : [name];
  });
}

/** The object with other triggers; what is owed to one that is no trigger any more is not owed. */
export function withTriggers(
  object: RecordedObject,
  triggers: readonly Trigger[] | undefined,
): RecordedObject {
  if (triggers === undefined) return object;
  const { triggers: _before, triggeredBy, ...rest } = object;
  const isOwed = triggers.some(({ address }) => address === triggeredBy);
  return {
    ...rest,
    ...(triggers.length === 0 ? {} : { triggers }),
    ...(isOwed && triggeredBy !== undefined ? { triggeredBy } : {}),
  };
}
