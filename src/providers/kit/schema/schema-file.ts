/**
 * Loads the JSON Schemas of this package; they are the single source of what attributes exist. A
 * command uses few of them: types load theirs when they are asked for it.
 */

import { schemaText } from "../../../lib/files/schema-text.ts";
import { type ResourceSchema, readResourceSchema } from "../../../model/value/resource-schema.ts";
import { withWaySettings } from "./way-settings.ts";

const loaded = new Map<string, ResourceSchema>();

/** `kind` is a folder of `schemas`. Always the same object, since checks are compiled for it. */
export function loadSchema(kind: "resources" | "providers" | "data", name: string): ResourceSchema {
  const key = `${kind}/${name}`;
  const schema = loaded.get(key) ?? readSchema(kind, name);
  loaded.set(key, schema);
  return schema;
}

function readSchema(kind: string, name: string): ResourceSchema {
  const own = readObject(`${kind}/${name}.schema.json`);
  if (kind !== "providers") return readResourceSchema(name, own);
  return readResourceSchema(name, withWaySettings({ ...own }, { ...readObject(wayPath) }));
}

const wayPath = "way.schema.json";

function readObject(path: string): object {
  const contents: unknown = JSON.parse(schemaText(path));
  if (typeof contents !== "object" || contents === null) {
    throw new TypeError(`${path} is not an object`);
  }
  return contents;
}
