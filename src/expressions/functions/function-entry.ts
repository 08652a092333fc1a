/** One function of the language: what it is called, what it does, how it is documented. */

import { EvaluationError } from "@marcbachmann/cel-js";
import { listLengthMax, textLengthMax } from "./limits.ts";

export type FunctionGroup =
  | "Texts"
  | "Patterns"
  | "Lists"
  | "Maps"
  | "Numbers"
  | "Encodings"
  | "Hashes"
  | "Addresses of networks"
  | "Time"
  | "Versions"
  | "Files"
  | "Values";

export type FunctionExample = {
  readonly expression: string;
  /** Its value as JSON. */
  readonly value: string;
};

export type FunctionEntry = {
  readonly name: string;
  readonly group: FunctionGroup;
  /** How it is written, with words for what is put in: `text.padStart(width, fill)`. */
  readonly form: string;
  /** One or two full sentences. */
  readonly sentence: string;
  readonly examples: readonly FunctionExample[];
  /** By CEL signature; none for what the CEL library brings itself. */
  readonly overloads: { readonly [signature: string]: Handler };
};

/** Makes entries of one group. */
export function entryOf(
  group: FunctionGroup,
): (...told: readonly [...Written, FunctionEntry["overloads"]]) => FunctionEntry {
  return (name, form, sentence, examples, overloads) => {
    return { name, group, form, sentence, examples, overloads };
  };
}

type Written = readonly [
  name: string,
  form: string,
  sentence: string,
  examples: readonly FunctionExample[],
];

/** Called with values of the types in its signature. */
export type Handler = (...values: never[]) => unknown;

/** A mistake in the use of a function; full words, without the function's place. */
export function failure(message: string): EvaluationError {
  return new EvaluationError({ code: "invalid_argument", message });
}

/** Throws when a text of so many characters is too long. */
export function boundText(name: string, length: number): void {
  if (length <= textLengthMax) return;
  throw failure(`${name} would make a text of more than ${textLengthMax} characters`);
}

/** Throws when a list of so many elements is too long. */
export function boundList(name: string, length: number): void {
  if (length <= listLengthMax) return;
  throw failure(`${name} would make a list of more than ${listLengthMax} elements`);
}

/** An integer of CEL that must lie within bounds, as a number. */
export function within(name: string, value: bigint, min: number, max: number): number {
  if (value >= BigInt(min) && value <= BigInt(max)) return Number(value);
  throw failure(`${name} must be from ${min} to ${max}`);
}
