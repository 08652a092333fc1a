/** The schemas of what is kept in files: parts of the program, and all that this folder reads. */

import { schemaText } from "../../lib/files/schema-text.ts";

export type Schema = { readonly [keyword: string]: unknown };

export function readSchema(name: "state" | "saved-plan"): Schema {
  return schemaPart(JSON.parse(schemaText(`${name}.schema.json`)));
}

/** A part of a schema that is a map, such as its definitions. */
export function schemaPart(value: unknown): Schema {
  if (typeof value !== "object" || value === null) throw new TypeError("the schema is no object");
  return Object.fromEntries(Object.entries(value));
}
