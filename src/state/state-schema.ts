/**
 * `schemas/state.schema.json`, compiled: the shape of recorded state and of journal entries. It is
 * the one file this folder reads, and a part of the program itself.
 */

import { readFileSync } from "node:fs";
import { packageFile } from "../lib/files/package-file.ts";
import { parseJson } from "../lib/json.ts";
import { compileSchema, type SchemaCheck } from "../lib/schema.ts";

const schemaFile = packageFile("schemas/state.schema.json");
const schema = asObject(parseJson(readFileSync(schemaFile, "utf8")));

/** Problems of a value that should be a recorded state. */
export const checkState: SchemaCheck = compileSchema(schema);

/** Problems of a value that should be a journal entry. */
export const checkJournalEntry: SchemaCheck = compileSchema({
  allOf: [{ $ref: "#/definitions/journalEntry" }],
  definitions: asObject(schema.definitions),
});

function asObject(value: unknown): { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) throw new TypeError("the schema is no object");
  return Object.fromEntries(Object.entries(value));
}
