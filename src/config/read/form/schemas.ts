/** The configuration's own schema: shapes to read blocks by, and checks of what was read. */

import { readFileSync } from "node:fs";
import { packageFile } from "../../../lib/files/package-file.ts";
import { compileSchema, type SchemaCheck } from "../../../lib/schema/schema.ts";
import type { ResourceSchema } from "../../../model/value/resource-schema.ts";
import { isJsonSchema, type JsonSchema, type Shape, shapeOf } from "./shape.ts";

/** Both `src/config` and `dist/config` stand two folders below `schemas`. */
const root = readSchema("schemas/config.schema.json");
export const configurationSchema: JsonSchema = root;

const block = (name: string): Shape => shapeOf({ $ref: `#/definitions/${name}` }, root, false);

export const settingsShape: Shape = block("SettingsBlock");
export const variableShape: Shape = block("VariableBlock");
export const outputShape: Shape = block("OutputBlock");
export const conditionShape: Shape = block("ConditionBlock");
export const policyShape: Shape = block("PolicyBlock");
export const movedShape: Shape = block("MovedBlock");
export const removedShape: Shape = block("RemovedBlock");
export const importShape: Shape = block("ImportBlock");
export const moduleShape: Shape = block("ModuleBlock");
const resourceShape: Shape = block("ResourceBlock");
const dataShape: Shape = block("DataBlock");

export const blockNames: readonly string[] = [...shapeOf(root, root, false).properties.keys()];
/** Names beside the attributes of a resource: `count`, `lifecycle`, … */
export const metaArguments: ReadonlySet<string> = new Set(resourceShape.properties.keys());

/** The schema of a kind of block, by its name among the definitions. */
export function blockSchema(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}`, definitions: root.definitions };
}

/** Check of an evaluated block; fits the generated type of the same name. */
export function blockCheck(name: string): SchemaCheck {
  let check = checks.get(name);
  if (check === undefined) {
    check = compileSchema(blockSchema(name));
    checks.set(name, check);
  }
  return check;
}
const checks = new Map<string, SchemaCheck>();

/** Shape of a resource of a type: its attributes and the meta-arguments beside them. */
export function resourceShapeOf(schema: ResourceSchema): Shape {
  return shapeWith(schema, resourceShape);
}

/** The same of a data source, which has fewer meta-arguments. */
export function dataShapeOf(schema: ResourceSchema): Shape {
  return shapeWith(schema, dataShape);
}

/** A schema belongs to one type, and so to one of the two. */
function shapeWith(schema: ResourceSchema, meta: Shape): Shape {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    const own = attributesShapeOf(schema);
    const properties = new Map([...own.properties, ...meta.properties]);
    shape = { ...own, properties, additional: false };
    shapes.set(schema, shape);
  }
  return shape;
}
const shapes = new WeakMap<ResourceSchema, Shape>();

/** Shape of the attributes of a type, or of the settings of a provider. */
export function attributesShapeOf(schema: ResourceSchema): Shape {
  const json = isJsonSchema(schema.json) ? schema.json : {};
  return shapeOf(json, json, true);
}

function readSchema(path: string): JsonSchema {
  const schema: unknown = JSON.parse(readFileSync(packageFile(path), "utf8"));
  if (!isJsonSchema(schema)) throw new TypeError(`${path} is not a schema`);
  return schema;
}
