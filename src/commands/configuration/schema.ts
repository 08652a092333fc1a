/** `vmform schema`: the JSON Schema of a configuration, or of the resources of one type. */

import { editorResourceSchema, editorSchema, strictSchema } from "../../config/editor-schema.ts";
import { closestName } from "../../lib/text.ts";
import { type CommandEnvironment, CommandError } from "../environment.ts";

export type SchemaOptions = {
  /** A resource type; without it, the whole configuration. */
  readonly type: string | undefined;
  /** As it is after expressions are evaluated; else as it is written. */
  readonly strict: boolean;
};

export function schemaCommand(
  { types }: CommandEnvironment,
  { type, strict }: SchemaOptions,
): object {
  if (type === undefined) return strict ? strictSchema() : editorSchema();
  const known = Object.hasOwn(types, type) ? types[type] : undefined;
  const schema = strict ? known?.schema.json : editorResourceSchema(type);
  if (known !== undefined && schema !== undefined) return schema;
  const names = Object.keys(types);
  const closest = closestName(type, names);
  throw new CommandError(
    `There is no resource type ${type}.`,
    closest === undefined ? `The types are ${names.join(", ")}.` : `Did you mean ${closest}?`,
  );
}
