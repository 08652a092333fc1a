/** The schemas of what is kept in files: parts of the program, and all that this folder reads. */

import { readFileSync } from "node:fs";
import { packageFile } from "../../lib/files/package-file.ts";

export type Schema = { readonly [keyword: string]: unknown };

export function readSchema(name: "state" | "saved-plan"): Schema {
  const file = packageFile(`schemas/${name}.schema.json`);
  return schemaPart(JSON.parse(readFileSync(file, "utf8")));
}

/** A part of a schema that is a map, such as its definitions. */
export function schemaPart(value: unknown): Schema {
  if (typeof value !== "object" || value === null) throw new TypeError("the schema is no object");
  return Object.fromEntries(Object.entries(value));
}
