/** JSON Schemas as they are shipped, for editors and other readers. */

import { schemaText } from "../lib/files/schema-text.ts";
import { parseJson } from "../lib/json.ts";
import type { ResourceSchema } from "../model/value/resource-schema.ts";
import { type NamedSchemas, withMore } from "./editor-derive.ts";
import { configurationSchema } from "./read/form/schemas.ts";
import { isJsonSchema, type JsonSchema } from "./read/form/shape.ts";

/** What provider packages bring. */
export type PackageSchemas = {
  readonly types: readonly ResourceSchema[];
  readonly dataTypes: readonly ResourceSchema[];
  /** Settings by the provider that they are of. */
  readonly settings: readonly ResourceSchema[];
};

/** The configuration as it is written: expressions and secrets stand where they may. */
export function editorSchema(packages?: PackageSchemas): JsonSchema {
  const schema = parseJson(schemaText("vmform.schema.json"));
  if (!isJsonSchema(schema)) throw new TypeError("the schema for editors is none");
  if (packages === undefined) return schema;
  return withMore(schema, {
    config: configurationSchema,
    resources: byName(packages.types),
    data: byName(packages.dataTypes),
    providers: byName(packages.settings.map(withPackage)),
  });
}

function byName(schemas: readonly Pick<ResourceSchema, "name" | "json">[]): NamedSchemas {
  return Object.fromEntries(
    schemas.map(({ name, json }) => [name, isJsonSchema(json) ? json : {}]),
  );
}

/** Which package a provider is of stands among its settings, and is no expression. */
function withPackage({ name, json }: ResourceSchema): Pick<ResourceSchema, "name" | "json"> {
  const { properties = {}, ...schema }: JsonSchema = isJsonSchema(json) ? json : {};
  const own = {
    type: "string",
    pattern: "^\\S+$",
    description: "The package it comes from, such as vmform-provider-dns@1.2.3, or ./FOLDER.",
    "x-vmform": { expression: false },
  };
  return { name, json: { ...schema, properties: { package: own, ...Object(properties) } } };
}

/** The configuration after its expressions are evaluated. */
export function strictSchema(): JsonSchema {
  return configurationSchema;
}

/**
 * The part of the schema for editors that is about one resource, with the definitions it needs;
 * undefined when there is no such type.
 */
export function editorResourceSchema(
  type: string,
  packages?: PackageSchemas,
): JsonSchema | undefined {
  const editor = editorSchema(packages);
  const definitions = isJsonSchema(editor.definitions) ? editor.definitions : {};
  const own = definitions[`resources.${type}`];
  if (!isJsonSchema(own)) return undefined;
  const needed = Object.entries(definitions).filter(
    ([name]) => !/^(resources|providers|data)\./.test(name),
  );
  const { $schema } = editor;
  return { $schema, ...own, definitions: Object.fromEntries(needed) };
}
