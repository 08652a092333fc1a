/**
 * `schemas/state.schema.json`, compiled: the shape of recorded state and of journal entries. Read
 * when it is first asked for.
 */

import { compileSchema, type SchemaCheck } from "../../lib/schema/schema.ts";
import { readSchema, type Schema, schemaPart } from "./schema-file.ts";

type StateSchemas = {
  readonly state: Schema;
  readonly definitions: Schema;
  readonly entry: Schema;
};

let schemas: StateSchemas | undefined;

function stateSchemas(): StateSchemas {
  return (schemas ??= readSchemas());
}

function readSchemas(): StateSchemas {
  const state = readSchema("state");
  const definitions = schemaPart(state.definitions);
  const entry = { allOf: [{ $ref: "#/definitions/journalEntry" }], definitions };
  return { state, definitions, entry };
}

/** Shapes that other files share with recorded state. */
export function stateDefinitions(): Schema {
  return stateSchemas().definitions;
}

/** What is checked by every command: the build compiles it (`scripts/compiled-ahead.mjs`). */
export function schemasOfState(): readonly object[] {
  const { state, entry } = stateSchemas();
  return [state, entry];
}

/** Problems of a value that should be a recorded state. */
export const checkState: SchemaCheck = (value) => compileSchema(stateSchemas().state)(value);

/** Problems of a value that should be a journal entry. */
export const checkJournalEntry: SchemaCheck = (value) => compileSchema(stateSchemas().entry)(value);
