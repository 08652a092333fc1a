/** The configuration's own schema: shapes to read blocks by, and checks of what was read. */

import { schemaText } from "../../../lib/files/schema-text.ts";
import { compileSchema, type SchemaCheck } from "../../../lib/schema/schema.ts";
import type { ResourceSchema } from "../../../model/value/resource-schema.ts";
import { isJsonSchema, type JsonSchema, resolveReference, type Shape, shapeOf } from "./shape.ts";

const root = readSchema("config.schema.json");
export const configurationSchema: JsonSchema = root;

/** Names of the blocks of a configuration. */
export const blockNames: readonly string[] = Object.keys(membersOf(root));

/** Names beside the attributes of a resource: `count`, `lifecycle`, … */
export const metaArguments: ReadonlySet<string> = new Set(
  Object.keys(membersOf(resolveReference(referenceTo("ResourceBlock"), root))),
);

/** Kinds of blocks, by their names among the definitions. */
export type BlockName =
  | "SettingsBlock"
  | "VariableBlock"
  | "OutputBlock"
  | "ConditionBlock"
  | "PolicyBlock"
  | "MovedBlock"
  | "RemovedBlock"
  | "ImportBlock"
  | "ModuleBlock"
  | "ResourceBlock"
  | "DataBlock";

/** Shape of a kind of block. Made when first asked for. */
export function blockShape(name: BlockName): Shape {
  let shape = blockShapes.get(name);
  if (shape === undefined) {
    shape = shapeOf(referenceTo(name), root, false);
    blockShapes.set(name, shape);
  }
  return shape;
}
const blockShapes = new Map<BlockName, Shape>();

/** The schema of a kind of block, by its name among the definitions. */
export function blockSchema(name: string): JsonSchema {
  return { ...referenceTo(name), definitions: root.definitions };
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
  return shapeWith(schema, "ResourceBlock");
}

/** The same of a data source, which has fewer meta-arguments. */
export function dataShapeOf(schema: ResourceSchema): Shape {
  return shapeWith(schema, "DataBlock");
}

/** A schema belongs to one type, and so to one of the two. */
function shapeWith(schema: ResourceSchema, block: BlockName): Shape {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    const own = attributesShapeOf(schema);
    const properties = new Map([...own.properties, ...blockShape(block).properties]);
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

function referenceTo(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

function membersOf({ properties }: JsonSchema): JsonSchema {
  return isJsonSchema(properties) ? properties : {};
}

function readSchema(path: string): JsonSchema {
  const schema: unknown = JSON.parse(schemaText(path));
  if (!isJsonSchema(schema)) throw new TypeError(`${path} is not a schema`);
  return schema;
}
