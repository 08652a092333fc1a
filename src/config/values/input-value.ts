/** What becomes of an input of a module: the value that its variable has inside. */

import { valuePath } from "../../expressions/evaluate/scope.ts";
import type { DeferredValue } from "../../model/value/expression.ts";
import { isKnown, type PlannedValue } from "../../model/value/value.ts";
import type { VariableDeclaration } from "../blocks/variable-declaration.ts";
import { completed, numberPaths, variableValueShape } from "../blocks/variable-type.ts";
import { checkValue, typeName } from "../read/form/shape.ts";
import type { Place, Report } from "../report.ts";

/** A value with what is to be known of its parts, by their paths. */
export type EvaluatedInput = {
  readonly value: PlannedValue;
  readonly sensitive: readonly string[];
  readonly doubles: readonly string[];
  /** How each value with an unknown leaf will be computed. */
  readonly deferred: { readonly [path: string]: DeferredValue };
};

/**
 * The value as the variable declares it: null gives way to its default where it is never null, and
 * members left out take theirs. Undefined after a problem was reported.
 */
export function evaluateInput(
  variable: VariableDeclaration,
  evaluated: EvaluatedInput,
  place: Place,
  report: Report,
): EvaluatedInput | undefined {
  const { name, valueType } = variable;
  const root = valuePath("vars", name);
  const sensitive = variable.sensitive ? [...evaluated.sensitive, root] : evaluated.sensitive;
  const [problem] = checkValue(evaluated.value, variableValueShape(valueType));
  if (problem !== undefined) {
    const detail = `The input ${name} does not fit its variable. ${problem}`;
    report.add("CFG028", { detail, place });
    return undefined;
  }
  if (evaluated.value === null && !variable.nullable) {
    const { default: fallback, type } = variable;
    if (fallback !== undefined) return constantInput(variable, fallback);
    const detail = `The input ${name} is null, which nullable: false refuses.`;
    report.add("CFG028", { detail, fix: `Give ${typeName(type)}.`, place });
    return undefined;
  }
  const value = completed(evaluated.value, valueType);
  const declared = isKnown(value) ? numberPaths(value, valueType, root) : [];
  return { ...evaluated, value, sensitive, doubles: [...evaluated.doubles, ...declared] };
}

/** A value that is written down, or the default. */
export function constantInput(
  { name, valueType, sensitive }: VariableDeclaration,
  written: NonNullable<VariableDeclaration["default"]> | null,
): EvaluatedInput {
  const root = valuePath("vars", name);
  const value = completed(written, valueType);
  const doubles = numberPaths(value, valueType, root);
  return { value, sensitive: sensitive ? [root] : [], doubles, deferred: {} };
}
