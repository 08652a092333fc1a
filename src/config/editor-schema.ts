/** JSON Schemas as they are shipped, for editors and other readers. */

import { readFileSync } from "node:fs";
import { packageFile } from "../lib/files/package-file.ts";
import { parseJson } from "../lib/json.ts";
import { configurationSchema } from "./read/schemas.ts";
import { isJsonSchema, type JsonSchema } from "./read/shape.ts";

/** The configuration as it is written: expressions and secrets stand where they may. */
export function editorSchema(): JsonSchema {
  const schema = parseJson(readFileSync(packageFile("schemas/vmform.schema.json"), "utf8"));
  if (!isJsonSchema(schema)) throw new TypeError("the schema for editors is none");
  return schema;
}

/** The configuration after its expressions are evaluated. */
export function strictSchema(): JsonSchema {
  return configurationSchema;
}

/**
 * The part of the schema for editors that is about one resource, with the definitions it needs;
 * undefined when there is no such type.
 */
export function editorResourceSchema(type: string): JsonSchema | undefined {
  const editor = editorSchema();
  const definitions = isJsonSchema(editor.definitions) ? editor.definitions : {};
  const own = definitions[`resources.${type}`];
  if (!isJsonSchema(own)) return undefined;
  const needed = Object.entries(definitions).filter(
    ([name]) => !/^(resources|providers|data)\./.test(name),
  );
  const { $schema } = editor;
  return { $schema, ...own, definitions: Object.fromEntries(needed) };
}
