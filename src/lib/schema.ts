/**
 * JSON Schema, draft-07: compiled once, when first used, answering plain problems. The only user of
 * `ajv`.
 */

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";

export type SchemaProblem = {
  /** JSON pointer of the offending value, `""` for the whole. */
  readonly path: string;
  /** The keyword that failed, such as `pattern`. */
  readonly keyword: string;
  /** Without the value, so a secret cannot leak: `must match pattern "^a$"`. */
  readonly message: string;
  /** Where the keyword is `pattern`. */
  readonly pattern?: string;
};

/** All problems of a value, none when it fits. Pure. */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[];

const compiled = new WeakMap<object, SchemaCheck>();

/**
 * Check of a schema; the same schema object is compiled once, when its check is first called, since
 * a run uses few of the schemas that the program knows. `x-vmform` marks are allowed. The check
 * throws on a schema that is not valid draft-07, which is a fault of the program.
 */
export function compileSchema(schema: object): SchemaCheck {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  let validate: ValidateFunction | undefined;
  const check: SchemaCheck = (value) => {
    validate ??= compile(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(toProblem);
  };
  compiled.set(schema, check);
  return check;
}

let compiler: Ajv | undefined;

/** One compiler for all: each new one would compile the schema of schemas again. */
function compile(schema: object): ValidateFunction {
  if (compiler === undefined) {
    compiler = new Ajv({
      strict: true,
      allErrors: true,
      verbose: false,
      allowUnionTypes: true,
      // Ours are sound: tests hold them against the schema of schemas, which takes long to compile.
      validateSchema: false,
    });
    compiler.addKeyword("x-vmform");
  }
  const validate: ValidateFunction = compiler.compile(schema);
  // Another schema may have the same `$id`; what is compiled needs the compiler no more.
  compiler.removeSchema(schema);
  return validate;
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
  const told = { path: instancePath, keyword, message: nonEmpty ? "must not be empty" : plain };
  const pattern: unknown = keyword === "pattern" ? error.params.pattern : undefined;
  return typeof pattern === "string" ? { ...told, pattern } : told;
}
