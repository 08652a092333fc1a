/** Texts under which objects are found in maps: by provider, type and identity. */

import type { ContainerKey } from "../model/operation/operation.ts";
import type { TypeRegistry } from "../model/provider/provider.ts";
import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { Value } from "../model/value/value.ts";

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

export function holderKey(object: {
  readonly provider: string;
  readonly type: string;
  readonly identity: string;
}): string {
  return `${object.provider} ${object.type} ${object.identity}`;
}

export function containerKey(container: ContainerKey): string {
  return `${container.type} ${container.identity}`;
}
