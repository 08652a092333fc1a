/**
 * Every published schema is held against the schema of schemas here, so that the program need not
 * do it at each start.
 */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../../schemas/", import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".json"),
);

/** Problems of a document as a schema. */
function problemsOf(schema: unknown): readonly string[] {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  ajv.addKeyword("x-vmform");
  if (typeof schema !== "object" || schema === null) return ["no object"];
  if (ajv.validateSchema(schema) === true) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test("there are schemas", () => {
  expect(files.length).toBeGreaterThan(20);
});

test.each(files)("%s is a sound schema", (file) => {
  expect(problemsOf(JSON.parse(readFileSync(`${folder}${file}`, "utf8")))).toEqual([]);
});

test("one that is none is found", () => {
  expect(problemsOf({ type: "object", required: "name" })).not.toEqual([]);
  expect(problemsOf({ properties: { a: { minimum: "1" } } })).not.toEqual([]);
});
