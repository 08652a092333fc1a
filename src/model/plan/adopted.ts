/** Existing objects that a plan takes into recorded state: imported by id, or adopted by lookup. */

import type { RecordedObject } from "../recorded/recorded.ts";
import type { Address } from "../value/address.ts";
import type { Plan } from "./plan.ts";

export type AdoptedObject = {
  readonly object: RecordedObject;
  /** `import`: named by its id. `adopt`: found by what the configuration says of it. */
  readonly by: "import" | "adopt";
};

/** By address. `identity` of each is the id that was given, or found. */
export function adoptedObjects(plan: Pick<Plan, "notes">): ReadonlyMap<Address, AdoptedObject> {
  const adopted = new Map<Address, AdoptedObject>();
  for (const { note } of plan.notes) {
    if (note.what !== "adopt") continue;
    const by = note.found === true ? "adopt" : "import";
    adopted.set(note.object.address, { object: note.object, by });
  }
  return adopted;
}
