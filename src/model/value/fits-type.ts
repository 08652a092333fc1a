/** Whether a value is of the type that a schema declares. */

import type { AttributeType } from "./resource-schema.ts";
import type { PlannedValue } from "./value.ts";

/** What is null or unknown is of none but `any`. */
export function fitsType(value: PlannedValue, type: AttributeType): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "integer":
      return typeof value === "bigint" || Number.isInteger(value);
    case "number":
      return typeof value === "bigint" || typeof value === "number";
    case "list":
      return Array.isArray(value);
    case "map":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "any":
      return true;
  }
}
