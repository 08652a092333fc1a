/**
 * `schemas/saved-plan.schema.json`, compiled: the shape of what a saved plan holds. Definitions are
 * shared with recorded state, since a plan carries notes and observations for the journal.
 */

import { compileSchema, type SchemaCheck, type SchemaProblem } from "../../lib/schema/schema.ts";
import { readSchema, schemaPart } from "./schema-file.ts";
import { stateDefinitions } from "./state-schema.ts";

let check: SchemaCheck | undefined;

/** Problems of a value that should be the body of a saved plan. Read when first needed. */
export function checkSavedPlan(value: unknown): readonly SchemaProblem[] {
  check ??= compile();
  return check(value);
}

function compile(): SchemaCheck {
  const { definitions, ...schema } = readSchema("saved-plan");
  return compileSchema({
    ...schema,
    definitions: { ...stateDefinitions(), ...schemaPart(definitions) },
  });
}
