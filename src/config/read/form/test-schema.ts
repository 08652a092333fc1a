/** The schema of files of tests, as shapes to read them by. */

import { schemaText } from "../../../lib/files/schema-text.ts";
import { isJsonSchema, type JsonSchema, type Shape, shapeOf } from "./shape.ts";

const root = readRoot();

export const testShape: Shape = shapeOf(root, root, false);
export const testRunShape: Shape = shapeOf({ $ref: "#/definitions/TestRun" }, root, false);
export const testAssertionShape: Shape = shapeOf(
  { $ref: "#/definitions/TestAssertion" },
  root,
  false,
);

function readRoot(): JsonSchema {
  const path = "test.schema.json";
  const schema: unknown = JSON.parse(schemaText(path));
  if (!isJsonSchema(schema)) throw new TypeError(`${path} is not a schema`);
  return schema;
}
