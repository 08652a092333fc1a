/** Settings and queries as their schemas have them, checked and filled in where they come in. */

import { wordsOfPattern } from "../../../lib/schema/pattern-words.ts";
import { compileFilling, type SchemaProblem } from "../../../lib/schema/schema.ts";
import { UncarriedCharacter } from "../../../lib/xml/xml-text.ts";
import type { Attributes, Value, ValueMap } from "../../../model/value/value.ts";
import { isMap } from "../../../model/value/value.ts";
import { refusal } from "../refusal.ts";
import { loadSchema } from "./schema-file.ts";

type Kind = "providers" | "data";

/**
 * The value with the defaults of its schema; `null` is unset. `T` is generated from the same
 * schema. Throws what `fault` makes of the first problem, which never tells the value itself.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function decode<T>(
  kind: Kind,
  name: string,
  value: Value,
  fault: (problem: string) => Error,
): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is made of the schema
  return filledSettings(loadSchema(kind, name).json, value, fault) as T;
}

/** The same of a schema that is no file of ours. */
export function filledSettings(
  schema: object,
  value: Value,
  fault: (problem: string) => Error,
): ValueMap {
  const filled = given(value);
  const [problem] = compileFilling(schema)(filled);
  if (problem !== undefined) throw fault(wordsOf(problem));
  return filled;
}

/** A reader of the data source `name`, whose query is decoded. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the reader names the type
export function queried<P, Query>(
  name: string,
  read: (ports: P, query: Query) => Promise<Attributes>,
): (ports: P, query: Attributes) => Promise<Attributes> {
  const fault = (problem: string): Error => refusal("invalid", `data source ${name}: ${problem}`);
  return async (ports, query) => {
    try {
      return await read(ports, decode<Query>("data", name, query, fault));
    } catch (error) {
      throw error instanceof UncarriedCharacter ? fault(error.message) : error;
    }
  };
}

/** A copy, since defaults are filled in. */
function given(settings: Value): ValueMap {
  const members = Object.entries(isMap(settings) ? settings : {});
  return Object.fromEntries(
    members.flatMap(([name, value]) =>
      value === null ? [] : [[name, isMap(value) ? given(value) : value]],
    ),
  );
}

function wordsOf({ path, keyword, message, pattern = "", params }: SchemaProblem): string {
  const name = path.slice(1).replaceAll("/", ".");
  if (keyword === "required") return `${String(params["missingProperty"])} is not set`;
  if (keyword === "additionalProperties") {
    return `there is no ${String(params["additionalProperty"])}`;
  }
  if (keyword === "enum")
    return `${name} is none of ${[params["allowedValues"]].flat().join(", ")}`;
  return `${name} ${wordsOfPattern(pattern) ?? message}`;
}
