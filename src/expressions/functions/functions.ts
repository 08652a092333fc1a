/**
 * What the language has beyond the CEL library: operators here, functions by subject beside it. All
 * of it is pure: no clock, no randomness; files and time come from the context.
 *
 * Operators: `+ - * /` and `== !=` between an integer and a number; `== null` and `!= null` for
 * every type, since any attribute may be unset.
 */

import type { Environment } from "@marcbachmann/cel-js";
import { fileFunctions } from "./files.ts";
import type { FunctionEntry } from "./function-entry.ts";
import { libraryFunctions } from "./library.ts";
import { listFunctions } from "./lists.ts";
import { mapFunctions } from "./maps.ts";
import { networkFunctions } from "./networks.ts";
import { numberFunctions } from "./numbers.ts";
import { encodingFunctions } from "./text/encodings.ts";
import { hashFunctions } from "./text/hashes.ts";
import { patternFunctions } from "./text/patterns.ts";
import { textFunctions } from "./text/texts.ts";
import { versionFunctions } from "./text/versions.ts";
import { timeFunctions } from "./times.ts";
import { valueFunctions } from "./values.ts";

/** Every function there is, in the order of the documentation. */
export const functionTable: readonly FunctionEntry[] = [
  ...textFunctions,
  ...patternFunctions,
  ...listFunctions,
  ...mapFunctions,
  ...numberFunctions,
  ...encodingFunctions,
  ...hashFunctions,
  ...networkFunctions,
  ...timeFunctions,
  ...versionFunctions,
  ...fileFunctions,
  ...valueFunctions,
  ...libraryFunctions,
];

export function registerFunctions(environment: Environment): void {
  registerMixedNumbers(environment);
  registerNullEquality(environment, ["string", "int", "double", "bool", "list", "map"]);
  for (const { overloads } of functionTable) {
    for (const [signature, handler] of Object.entries(overloads)) {
      environment.registerFunction(signature, handler, { async: false });
    }
  }
}

/** Makes `x == null` legal for a type: without it the type checker refuses the comparison. */
export function registerNullEquality(environment: Environment, types: readonly string[]): void {
  for (const type of types) environment.registerOperator(`${type} == null`, () => false);
}

function registerMixedNumbers(environment: Environment): void {
  const operators: { readonly [op: string]: (left: number, right: number) => number } = {
    "+": (left, right) => left + right,
    "-": (left, right) => left - right,
    "*": (left, right) => left * right,
    "/": (left, right) => left / right,
  };
  for (const [op, compute] of Object.entries(operators)) {
    environment.registerOperator(`int ${op} double: double`, (left: bigint, right: number) =>
      compute(Number(left), right),
    );
    environment.registerOperator(`double ${op} int: double`, (left: number, right: bigint) =>
      compute(left, Number(right)),
    );
  }
  // `==` between bigint and number compares exactly, without rounding either of them.
  environment.registerOperator(
    "int == double",
    (left: bigint | number, right: number) => left == right,
  );
}
