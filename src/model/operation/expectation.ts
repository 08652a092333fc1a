/** What must be observed once an operation has had its effect. */

import type { PlannedValue } from "../value/value.ts";

/** What must be observed afterwards for the operation to count as done. */
export type AttributeExpectation =
  | { readonly existence: "found" | "missing" }
  | { readonly attribute: string; readonly equals: PlannedValue }
  /** A number of at least that much; of a map, each of these members. */
  | { readonly attribute: string; readonly atLeast: PlannedValue }
  | { readonly attribute: string; readonly present: true };
