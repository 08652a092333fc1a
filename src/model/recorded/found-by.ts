/** What an attached object is looked up by, as a reference to it sees it. */

import type { ResourceSchema } from "../value/resource-schema.ts";
import type { PlannedAttributes, PlannedValue } from "../value/value.ts";

type FindableType = {
  readonly schema: ResourceSchema;
  identityOf?(attributes: PlannedAttributes): string | undefined;
  parseIdentity?(text: string): string | undefined;
};

/** An id may be written in many ways; whoever refers to it gets the one that is recorded. */
export function foundBy(type: FindableType, attributes: PlannedAttributes): PlannedAttributes {
  const found: { [name: string]: PlannedValue } = { ...attributes };
  for (const { name, lookup } of Object.values(type.schema.attributes)) {
    const written = attributes[name];
    if (!lookup || typeof written !== "string") continue;
    const identity = type.parseIdentity?.(written);
    if (identity !== undefined && type.identityOf?.({ [name]: written }) === identity) {
      found[name] = identity;
    }
  }
  return found;
}
