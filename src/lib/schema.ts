/** JSON Schema, draft-07: compiled once, answering plain problems. The only user of `ajv`. */

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";

export type SchemaProblem = {
  /** JSON pointer of the offending value, `""` for the whole. */
  readonly path: string;
  /** The keyword that failed, such as `pattern`. */
  readonly keyword: string;
  /** Without the value, so a secret cannot leak: `must match pattern "^a$"`. */
  readonly message: string;
};

/** All problems of a value, none when it fits. Pure. */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[];

const compiled = new WeakMap<object, SchemaCheck>();

/**
 * Compiles a schema; the same schema object is compiled once. `x-vmform` marks are allowed. Throws
 * on a schema that is not valid draft-07, which is a fault of the program.
 */
export function compileSchema(schema: object): SchemaCheck {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const ajv = new Ajv({ strict: true, allErrors: true, verbose: false, allowUnionTypes: true });
  ajv.addKeyword("x-vmform");
  const validate: ValidateFunction = ajv.compile(schema);
  const check: SchemaCheck = (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(toProblem);
  };
  compiled.set(schema, check);
  return check;
}

/** True when the value fits; `T` is the type generated from the same schema. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function fits<T>(check: SchemaCheck, value: unknown): value is T {
  return check(value).length === 0;
}

function toProblem(error: ErrorObject): SchemaProblem {
  const { instancePath, keyword, message } = error;
  const nonEmpty = (keyword === "minLength" || keyword === "minItems") && error.params.limit === 1;
  const plain = (message ?? `fails ${keyword}`).replace("must NOT", "must not");
  return { path: instancePath, keyword, message: nonEmpty ? "must not be empty" : plain };
}
