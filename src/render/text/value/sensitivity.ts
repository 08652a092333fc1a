/** Which attributes are secret, by the schema of their type. */

import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";

/** True for a sensitive attribute, and for every one that no schema declares: nobody knows it. */
export function isSensitive(types: SchemaRegistry, type: string, attribute: string): boolean {
  const attributes = Object.hasOwn(types, type) ? types[type]?.schema.attributes : undefined;
  if (attributes === undefined || !Object.hasOwn(attributes, attribute)) return true;
  return attributes[attribute]?.sensitive !== false;
}
