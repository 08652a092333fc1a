/** Existing objects that a plan takes into recorded state: its imports. */

import type { Address } from "./address.ts";
import type { Plan } from "./plan.ts";
import type { RecordedObject } from "./recorded.ts";

/** By address. `identity` of each is the id that was given for the import. */
export function adoptedObjects(plan: Plan): ReadonlyMap<Address, RecordedObject> {
  const adopted = new Map<Address, RecordedObject>();
  for (const { note } of plan.notes) {
    if (note.what === "adopt") adopted.set(note.object.address, note.object);
  }
  return adopted;
}
