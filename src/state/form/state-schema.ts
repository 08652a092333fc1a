/** `schemas/state.schema.json`, compiled: the shape of recorded state and of journal entries. */

import { compileSchema, type SchemaCheck } from "../../lib/schema/schema.ts";
import { readSchema, schemaPart } from "./schema-file.ts";

const schema = readSchema("state");

/** Shapes that other files share with recorded state. */
export const stateDefinitions = schemaPart(schema.definitions);

const entrySchema = {
  allOf: [{ $ref: "#/definitions/journalEntry" }],
  definitions: stateDefinitions,
};

/** What is checked by every command: the build compiles it (`scripts/compiled-ahead.mjs`). */
export const schemasOfState: readonly object[] = [schema, entrySchema];

/** Problems of a value that should be a recorded state. */
export const checkState: SchemaCheck = compileSchema(schema);

/** Problems of a value that should be a journal entry. */
export const checkJournalEntry: SchemaCheck = compileSchema(entrySchema);
