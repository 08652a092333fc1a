/**
 * JSON Schema, draft-07: compiled once, when first used, answering plain problems. The only user of
 * `ajv`.
 */

import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { checksumText } from "../checksum.ts";
import { compiledAhead } from "./compiled-ahead.ts";
import { compilerOptions, fillingOptions, ownKeyword } from "./compiler-options.ts";

export type SchemaProblem = {
  /** JSON pointer of the offending value, or of the member with an offending name. */
  readonly path: string;
  /** The keyword that failed, such as `pattern`. */
  readonly keyword: string;
  /** Without the value, so a secret cannot leak: `must match pattern "^a$"`. */
  readonly message: string;
  /** Where the keyword is `pattern`. */
  readonly pattern?: string;
  /** What the keyword says of the value, such as the name of a missing member. */
  readonly params: { readonly [name: string]: unknown };
  /** The part of the schema that the keyword stands in; of checks that fill in defaults. */
  readonly schema?: { readonly [keyword: string]: unknown };
};

/** All problems of a value, none when it fits. Pure. */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[];

const compiled = new WeakMap<object, SchemaCheck>();
const compiledFilling = new WeakMap<object, SchemaCheck>();

/**
 * Check of a schema; the same schema object is compiled once, when its check is first called, since
 * a run uses few of the schemas that the program knows. `x-vmform` marks are allowed. The check
 * throws on a schema that is not valid draft-07, which is a fault of the program.
 */
export function compileSchema(schema: object): SchemaCheck {
  return compileOnce(schema, compiled, () => ahead(schema, false) ?? compile(schema, plainly()));
}

/** The same, but the check also fills the schema's defaults into the value that it is given. */
export function compileFilling(schema: object): SchemaCheck {
  return compileOnce(
    schema,
    compiledFilling,
    () => ahead(schema, true) ?? compile(schema, filling()),
  );
}

function compileOnce(
  schema: object,
  known: WeakMap<object, SchemaCheck>,
  compileNow: () => ValidateFunction,
): SchemaCheck {
  const present = known.get(schema);
  if (present !== undefined) return present;
  let validate: ValidateFunction | undefined;
  const check: SchemaCheck = (value) => {
    validate ??= compileNow();
    if (validate(value)) return [];
    return (validate.errors ?? []).map(toProblem);
  };
  known.set(schema, check);
  return check;
}

/** Under what a check is kept that was compiled when the program was built; `fills` in defaults. */
export function schemaKey(schema: object, fills: boolean): string {
  const text = JSON.stringify(schema);
  return `${fills ? "filling" : "plain"} ${text.length} ${checksumText(text)}`;
}

function ahead(schema: object, fills: boolean): ValidateFunction | undefined {
  return compiledAhead?.get(schemaKey(schema, fills));
}

/** One compiler for all of a kind: each new one would compile the schema of schemas again. */
let plainCompiler: Ajv | undefined;
let fillingCompiler: Ajv | undefined;

function plainly(): Ajv {
  return (plainCompiler ??= newCompiler({}));
}

function filling(): Ajv {
  return (fillingCompiler ??= newCompiler(fillingOptions));
}

function newCompiler(options: Options): Ajv {
  const compiler = new Ajv({
    ...compilerOptions,
    // A check runs a few times in a process: making it faster takes longer than it saves.
    code: { optimize: false },
    ...options,
  });
  compiler.addKeyword(ownKeyword);
  return compiler;
}

function compile(schema: object, compiler: Ajv): ValidateFunction {
  const validate: ValidateFunction = compiler.compile(schema);
  // Another schema may have the same `$id`; what is compiled needs the compiler no more.
  compiler.removeSchema(schema);
  return validate;
}

/** Why a schema that is not ours is no sound draft-07, a clause each. */
export function schemaFaults(schema: object): readonly string[] {
  const compiler = newCompiler({ validateSchema: true, meta: true });
  if (compiler.validateSchema(schema) !== true) {
    return (compiler.errors ?? []).map(({ instancePath, message = "is not sound" }) =>
      `${instancePath} ${message}`.trim(),
    );
  }
  try {
    compile(schema, compiler);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** True when the value fits; `T` is the type generated from the same schema. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function fits<T>(check: SchemaCheck, value: unknown): value is T {
  return check(value).length === 0;
}

/** Of a check that `ajv` has made. */
export function toProblem(error: ErrorObject): SchemaProblem {
  const { instancePath, keyword, message, params, parentSchema: schema } = error;
  const nonEmpty = (keyword === "minLength" || keyword === "minItems") && params.limit === 1;
  const plain = (message ?? `fails ${keyword}`).replace("must NOT", "must not");
  const pattern: unknown = keyword === "pattern" ? params.pattern : undefined;
  // Of a name that does not fit, the place is that of the member.
  const path = [instancePath, ...[error.propertyName ?? []].flat().map(toPointer)].join("/");
  return {
    path,
    keyword,
    message: nonEmpty ? "must not be empty" : plain,
    ...(typeof pattern === "string" ? { pattern } : {}),
    params,
    ...(schema === undefined ? {} : { schema }),
  };
}

function toPointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
