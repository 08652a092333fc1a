/** Attributes of a resource by its schema, decoded where a type is handed a bag of them. */

import type { LowerRequest } from "../../model/provider/provider.ts";
import type { AttributeType } from "../../model/value/resource-schema.ts";
import { isList, isMap, isUnknown, type PlannedAttributes } from "../../model/value/value.ts";
import { loadSchema } from "./schema-file.ts";

/**
 * A reader of attributes of the resource type `name`, planned, recorded or observed. What is
 * unknown, null, or not of the kind that the schema names is left out. `T` is generated from the
 * same schema.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function attributesOf<T>(name: string): (attributes: PlannedAttributes) => T {
  return (attributes) => {
    const declared = Object.values(loadSchema("resources", name).attributes);
    const own = declared.filter(
      (one) => Object.hasOwn(attributes, one.name) && isOfKind(attributes[one.name], one.type),
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the schema
    return Object.fromEntries(own.map((one) => [one.name, attributes[one.name]])) as T;
  };
}

/** Of what an update is wanted to have: what it changes. */
export function changing({
  inputs,
  changed,
}: Extract<LowerRequest, { action: "update" }>): PlannedAttributes {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => changed.includes(name)));
}

function isOfKind(value: PlannedAttributes[string] | undefined, type: AttributeType): boolean {
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
      return value !== undefined && value !== null && !isUnknown(value);
  }
}
