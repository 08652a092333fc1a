/**
 * The key of a recorded object: what the configuration would ask for it by. It differs from the
 * identity where the server completes that, such as a snapshot's by the instant of its creation.
 */

import type { TypeRegistry } from "../model/provider.ts";
import type { RecordedObject } from "../model/recorded.ts";
import type { Value } from "../model/value.ts";

/** The identity itself of attached objects, whose keys only find them, and of unknown types. */
export function recordedKey(types: TypeRegistry, record: RecordedObject): string {
  const type = types[record.type];
  if (type === undefined || type.ownership === "attached") return record.identity;
  const attributes: { [name: string]: Value } = { ...record.attributes };
  for (const [name, value] of Object.entries(record.applied ?? {})) {
    if (value !== null) attributes[name] = value;
  }
  return type.identityOf(attributes) ?? record.identity;
}
