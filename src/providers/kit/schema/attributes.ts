/** Attributes of a resource by its schema, decoded where a type is handed a bag of them. */

import type { LowerRequest } from "../../../model/provider/provider.ts";
import type { AttributeSchema, AttributeType } from "../../../model/value/resource-schema.ts";
import {
  isList,
  isMap,
  isUnknown,
  type PlannedAttributes,
  type PlannedValue,
} from "../../../model/value/value.ts";
import { loadSchema } from "./schema-file.ts";

/**
 * A reader of attributes of the resource type `name`, planned, recorded or observed. What is
 * unknown, null, or not of the kind that the schema names is left out. `T` is generated from the
 * same schema.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function attributesOf<T>(name: string): (attributes: PlannedAttributes) => T {
  let declared: readonly AttributeSchema[] | undefined;
  return (attributes) => {
    declared ??= Object.values(loadSchema("resources", name).attributes);
    const own: { [name: string]: PlannedValue } = {};
    for (const one of declared) {
      const value = Object.hasOwn(attributes, one.name) ? attributes[one.name] : undefined;
      if (value !== undefined && isOfKind(value, one.type)) own[one.name] = value;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the schema
    return own as T;
  };
}

/** Of what an update is wanted to have: what it changes. */
export function changing({
  inputs,
  changed,
}: Extract<LowerRequest, { action: "update" }>): PlannedAttributes {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => changed.includes(name)));
}

function isOfKind(value: PlannedValue, type: AttributeType): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "integer":
    case "number":
      return typeof value === "number";
    case "list":
      return isList(value);
    case "map":
      return isMap(value);
    case "any":
      return value !== null && !isUnknown(value);
  }
}
