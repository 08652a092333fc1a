/**
 * Loads the JSON Schemas of this package; they are the single source of what attributes exist. A
 * command uses few of them: types load theirs when they are asked for it.
 */

import { readFileSync } from "node:fs";
import { packageFile } from "../../../lib/files/package-file.ts";
import { type ResourceSchema, readResourceSchema } from "../../../model/value/resource-schema.ts";

const loaded = new Map<string, ResourceSchema>();

/** `kind` is a folder of `schemas`. Always the same object, since checks are compiled for it. */
export function loadSchema(kind: "resources" | "providers" | "data", name: string): ResourceSchema {
  const key = `${kind}/${name}`;
  const schema = loaded.get(key) ?? readSchema(kind, name);
  loaded.set(key, schema);
  return schema;
}

function readSchema(kind: string, name: string): ResourceSchema {
  const file = packageFile(`schemas/${kind}/${name}.schema.json`);
  const contents: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof contents !== "object" || contents === null) {
    throw new TypeError(`schema of ${name} is not an object`);
  }
  return readResourceSchema(name, contents);
}
