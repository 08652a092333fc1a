/** Errors of the CEL library in the words of the configuration's author. */

import {
  TypeError as CelTypeError,
  type DefinitionFunction,
  EvaluationError,
  ParseError,
} from "@marcbachmann/cel-js";
import { closestName } from "../../lib/text.ts";
import { functionTable } from "../functions/functions.ts";
import { matchesName } from "../functions/text/patterns.ts";
import { wayOfForm, wayOfFunction } from "./habits.ts";
import type { ExpressionProblem } from "./problem.ts";

type CelError = ParseError | EvaluationError | CelTypeError;
type Described = { readonly message: string; readonly fix?: string };
type Functions = () => readonly DefinitionFunction[];

/** Operators of other languages and what CEL writes for them. */
const operatorSpellings: { readonly [character: string]: string } = {
  "=": "==",
  "&": "&&",
  "|": "||",
};

const conversionFix = "Convert one side with string(…), int(…) or double(…).";

/** Errors whose messages name types, never values. */
const quotelessCodes: ReadonlySet<string> = new Set([
  "no_such_overload",
  "no_matching_overload",
  "invalid_condition_type",
  "invalid_logical_operand",
  "incompatible_ternary_branches",
  "division_by_zero",
  "modulo_by_zero",
]);

/** Offset counts in the source. Rethrows what is not an error of an expression. */
export function describeError(
  error: unknown,
  source: string,
  functions: Functions,
): ExpressionProblem {
  if (error instanceof RangeError) {
    const message = "The expression is nested too deeply, or one of its values is out of range.";
    return { message, offset: 0 };
  }
  // `bytes.json()` of the library lets the parser's own error through.
  if (error instanceof SyntaxError) {
    return { message: "A text that the expression reads is malformed.", offset: 0 };
  }
  // An empty list or map has elements of any type, which fits two overloads of one operator; the
  // library throws a plain error for that.
  if (error instanceof Error && error.message.startsWith("Operator overload")) {
    return { message: "The type of an operand is not clear.", fix: conversionFix, offset: 0 };
  }
  if (!isCelError(error)) throw error;
  const offset = Math.min(error.range?.start ?? 0, source.length);
  const end = Math.min(error.range?.end ?? offset, source.length);
  const problem = { ...describe(error, source, offset, functions), offset };
  return end > offset + 1 ? { ...problem, end } : problem;
}

/** A problem without what its message may quote of a sensitive value. */
export function maskProblem(error: unknown, problem: ExpressionProblem): ExpressionProblem {
  if (isCelError(error) && quotelessCodes.has(error.code)) return problem;
  const message = "The expression uses a sensitive value and cannot be evaluated with it.";
  const { offset, end } = problem;
  return { message, offset, ...(end === undefined ? {} : { end }) };
}

function isCelError(error: unknown): error is CelError {
  return (
    error instanceof ParseError || error instanceof EvaluationError || error instanceof CelTypeError
  );
}

function describe(
  error: CelError,
  source: string,
  offset: number,
  functions: Functions,
): Described {
  switch (error.code) {
    case "reserved_identifier":
      return describeReserved(source, offset, error.range?.end ?? offset);
    case "no_such_overload":
      return describeOperator(error);
    case "no_matching_overload":
      return describeCall(error, functions());
    case "no_such_key":
    case "index_out_of_bounds":
      return { message: sentence(error.summary) };
    case "limit_exceeded":
      return { message: "The expression is too large or nested too deeply." };
    case "unexpected_character":
      return describeCharacter(error, source, offset);
    case "unexpected_token":
    case "expected_token":
      if (offset >= source.trimEnd().length) return { message: "The expression ends too early." };
      return withWay(source, {
        message: `This is not a CEL expression: ${lowerFirst(error.summary)}.`,
      });
    default:
      return { message: sentence(error.summary) };
  }
}

function withWay(source: string, { message }: Described): Described {
  const fix = wayOfForm(source);
  return fix === undefined ? { message } : { message, fix };
}

function describeReserved(source: string, start: number, end: number): Described {
  const word = source.slice(start, end);
  const message = `"${word}" is a reserved word of the expression language.`;
  if (word !== "var") return withWay(source, { message });
  const corrected = `${source.slice(0, start)}vars${source.slice(end)}`;
  return { message, fix: `Did you mean \${${corrected}}?` };
}

function describeCharacter(error: CelError, source: string, offset: number): Described {
  const message = `This is not a CEL expression: ${lowerFirst(error.summary)}.`;
  const spelling = operatorSpellings[source[offset] ?? ""];
  return spelling === undefined ? { message } : { message, fix: `Did you mean ${spelling}?` };
}

function describeOperator(error: CelError): Described {
  const operator = error.node?.op ?? "";
  const operands = error.summary.slice(error.summary.indexOf(":") + 1).trim();
  const [left, right] = operands.split(` ${operator} `);
  if (left === undefined || right === undefined) {
    return { message: `The operator ${operator.slice(0, 1)} does not take this value.` };
  }
  const types = `${typeWord(left)} and ${typeWord(right)}`;
  const message = `The operator ${operator} does not take ${types}.`;
  if (isNullType(left) || isNullType(right)) {
    return { message, fix: "The value is not set; test it with == null first." };
  }
  return { message, fix: conversionFix };
}

function describeCall(error: CelError, functions: readonly DefinitionFunction[]): Described {
  const args = error.node?.args;
  const called = Array.isArray(args) ? String(args[0]) : "";
  const name = called === matchesName ? "matches" : called;
  const forms = functions.filter((definition) => definition.name === name);
  if (forms.length > 0 || called === matchesName) {
    const isMethod = forms.every(({ receiverType }) => receiverType !== null);
    const way = isMethod && error.node?.op === "call" ? wayOfFunction(name) : undefined;
    const fix = way ?? writtenAs(name) ?? `Its forms: ${formsText(forms)}.`;
    return { message: `${name}() does not take these values.`, fix };
  }
  const message = `There is no function ${name}().`;
  const way = wayOfFunction(name);
  if (way !== undefined) return { message, fix: way };
  const names = new Set(functions.map((definition) => definition.name));
  names.delete(matchesName);
  const closest = closestName(name, names.add("matches"));
  return closest === undefined ? { message } : { message, fix: `Did you mean ${closest}()?` };
}

/** How the documentation writes it, with the first example. */
function writtenAs(name: string): string | undefined {
  const entries = functionTable.filter((entry) => entry.name === name);
  const [first] = entries.flatMap(({ examples }) => examples);
  if (first === undefined) return undefined;
  return `Write ${entries.map(({ form }) => form).join(", or ")}; as in ${first.expression}.`;
}

function formsText(forms: readonly DefinitionFunction[]): string {
  return forms.map((form) => form.signature).join("; ");
}

function isNullType(celType: string): boolean {
  return celType === "null" || celType === "dyn<null>";
}

/** `dyn<string>` → `a text`. */
export function typeWord(celType: string): string {
  const type = celType.startsWith("dyn<") ? celType.slice(4, -1) : celType;
  switch (type.split("<")[0]) {
    case "string":
      return "a text";
    case "int":
    case "uint":
      return "an integer";
    case "double":
      return "a number";
    case "bool":
      return "a boolean";
    case "null":
      return "null";
    case "list":
      return "a list";
    case "map":
      return "a map";
    case "dyn":
      return "a value";
    default:
      return `a ${type}`;
  }
}

/** The name of a function stays as it is written, and so does that of a file. */
function sentence(text: string): string {
  if (/^(?:\w+\(|\S+:\d+:\d+: )/.test(text)) return text.endsWith(".") ? text : `${text}.`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
