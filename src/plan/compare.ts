/** Wanted attributes with their defaults, and the table of what changes, for people. */

import type { AttributeChange } from "../model/plan/change.ts";
import type { ResourceSchema } from "../model/value/resource-schema.ts";
import {
  type Attributes,
  equalValues,
  isKnown,
  type PlannedAttributes,
  type PlannedValue,
} from "../model/value/value.ts";

/** Wanted attributes with the defaults of the schema filled in. */
export function withDefaults(
  schema: ResourceSchema,
  attributes: PlannedAttributes,
): PlannedAttributes {
  const result: { [name: string]: PlannedValue } = { ...attributes };
  for (const attribute of Object.values(schema.attributes)) {
    if (attribute.default === undefined || (result[attribute.name] ?? null) !== null) continue;
    result[attribute.name] = attribute.default;
  }
  return result;
}

/** The attribute table of a change, for people. */
export function attributeChanges(
  schema: ResourceSchema,
  before: Attributes | null,
  after: PlannedAttributes | null,
  forceNew: readonly string[],
): readonly AttributeChange[] {
  const changes: AttributeChange[] = [];
  for (const attribute of Object.values(schema.attributes)) {
    const { name } = attribute;
    const old = before?.[name] ?? null;
    const wanted = after?.[name] ?? null;
    const forcesReplace = forceNew.includes(name);
    // The reason of a replacement is shown, whatever it looks like.
    if (!forcesReplace && isKnown(wanted) && equalValues(old, wanted)) continue;
    if (attribute.local && old === null && equalValues(attribute.default ?? null, wanted)) continue;
    changes.push({
      attribute: name,
      before: old,
      after: wanted,
      sensitive: attribute.sensitive,
      forcesReplace,
    });
  }
  return changes;
}
