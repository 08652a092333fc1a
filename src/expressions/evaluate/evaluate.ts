/** Evaluates templates in a scope whose values may be unknown or sensitive. */

import type { AttributeType } from "../../model/value/resource-schema.ts";
import { type PlannedValue, unknown } from "../../model/value/value.ts";
import { textProblem } from "../syntax/bounds.ts";
import { functionCalls } from "../syntax/calls.ts";
import { type ExpressionProblem, movedBy } from "../syntax/problem.ts";
import type { Template } from "../syntax/template.ts";
import { type Evaluated, evaluateSource } from "./evaluation.ts";
import { lateFileProblems } from "./kept.ts";
import { type SourceReference, sourceReferences } from "./references.ts";
import { newRun, type Run } from "./run.ts";
import { type Scope, stepPath } from "./scope.ts";
import {
  fitValue,
  kindWord,
  type Misfit,
  misfitOf,
  scalarText,
  textMisfitOf,
} from "./value-kind.ts";

export type EvaluatedTemplate = {
  /**
   * Unknown when there are problems. A text is unknown as a whole; a map or list given by a
   * reference keeps unknown leaves where they are.
   */
  readonly value: PlannedValue;
  /** A sensitive value was used, or may be used once unknown values are known. */
  readonly sensitive: boolean;
  /** The value is a double: add its path to `scope.doubles` where it is used again. */
  readonly double: boolean;
  /** Offsets count in the template text. */
  readonly problems: readonly ExpressionProblem[];
};

type ExpressionPart = { readonly source: string; readonly offset: number };

export function evaluateTemplate(
  template: Template,
  scope: Scope,
  expected: AttributeType,
): EvaluatedTemplate {
  const run = newRun(scope);
  const [first] = template.parts;
  if (template.whole && first?.kind === "expression") {
    return evaluateWhole(first, scope, run, expected);
  }
  return evaluateText(template, scope, run, expected);
}

function evaluateWhole(
  part: ExpressionPart,
  scope: Scope,
  run: Run,
  expected: AttributeType,
): EvaluatedTemplate {
  const result = evaluateSource(part.source, scope, run);
  if (result.kind === "unknown") return unknownResult(run, [part], scope);
  if (result.kind === "problem") return problemResult(run, [placed(result.problem, part)]);
  const { value, valueKind } = result;
  const misfit = misfitOf(valueKind, expected, part.source);
  if (misfit !== undefined) return problemResult(run, [placed({ ...misfit, offset: 0 }, part)]);
  return {
    value: fitValue(value, valueKind, expected),
    sensitive: run.sensitive,
    double: valueKind === "number" || (valueKind === "integer" && expected === "number"),
    problems: [],
  };
}

function evaluateText(
  template: Template,
  scope: Scope,
  run: Run,
  expected: AttributeType,
): EvaluatedTemplate {
  const problems: ExpressionProblem[] = textTypeProblems(expected);
  const unknownParts: ExpressionPart[] = [];
  let text = "";
  for (const part of template.parts) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    // Each expression has its own run: an unknown one must not hide the mistakes of the next.
    const partRun = newRun(scope);
    const result = evaluateSource(part.source, scope, partRun);
    run.sensitive ||= partRun.sensitive;
    if (result.kind === "problem") {
      problems.push(placed(result.problem, part));
    } else if (result.kind === "unknown") {
      unknownParts.push(part);
    } else {
      const added = scalarOrMisfit(result, part);
      const misfit = typeof added === "string" ? textProblem(text.length + added.length) : added;
      if (misfit === undefined) text += typeof added === "string" ? added : "";
      else problems.push(placed({ ...misfit, offset: 0 }, part));
    }
  }
  if (problems.length > 0) return problemResult(run, problems);
  if (unknownParts.length > 0) return unknownResult(run, unknownParts, scope);
  return { value: text, sensitive: run.sensitive, double: false, problems };
}

function scalarOrMisfit(
  { value, valueKind }: Extract<Evaluated, { kind: "value" }>,
  { source }: ExpressionPart,
): string | Misfit {
  return textMisfitOf(valueKind, source) ?? scalarText(value);
}

/** Text with expressions in it fits only where a text is expected. */
export function textTypeProblems(expected: AttributeType): ExpressionProblem[] {
  if (expected === "string" || expected === "any") return [];
  const message = `Expected ${kindWord(expected)}, but this is a text.`;
  const fix = "Write the whole value as one ${…}, without text around it.";
  return [{ message, fix, offset: 0 }];
}

function placed(problem: ExpressionProblem, part: ExpressionPart): ExpressionProblem {
  return movedBy(problem, part.offset);
}

function problemResult(run: Run, problems: readonly ExpressionProblem[]): EvaluatedTemplate {
  return { value: unknown, sensitive: run.sensitive, double: false, problems };
}

/**
 * Evaluation stopped at the unknown value, so what follows it was not seen: the result counts as
 * sensitive when any name of the expression is.
 */
function unknownResult(
  run: Run,
  parts: readonly ExpressionPart[],
  scope: Scope,
): EvaluatedTemplate {
  const problems = parts.flatMap((part) =>
    lateFileProblems(part.source, scope).map((problem) => placed(problem, part)),
  );
  const sensitive = run.sensitive || parts.some(({ source }) => mayGiveSensitive(source, scope));
  return { value: unknown, sensitive, double: false, problems };
}

/** What is within `nonsensitive(…)` counts as shown, `sensitive(…)` makes the whole one. */
function mayGiveSensitive(source: string, scope: Scope): boolean {
  const calls = functionCalls(source);
  if (calls.some(({ name }) => name === "sensitive")) return true;
  const shown = calls.filter(({ name }) => name === "nonsensitive" || name === "issensitive");
  return sourceReferences(source).some(
    (reference) =>
      !shown.some(({ start, end }) => start <= reference.offset && reference.offset < end) &&
      mayBeSensitive(reference, scope),
  );
}

function mayBeSensitive(reference: SourceReference, scope: Scope): boolean {
  if (reference.root === "incomplete") return false;
  if (reference.root === "resource") {
    const attributes = scope.resources.schema(reference.type)?.attributes ?? {};
    const { attribute } = reference;
    if (attribute !== undefined) return attributes[attribute]?.sensitive === true;
    return Object.values(attributes).some((described) => described.sensitive);
  }
  const { root, name } = reference;
  const path = name === undefined ? root : stepPath(root, name);
  return [...scope.sensitive].some((sensitive) => isWithin(sensitive, path));
}

/** Whether a path names the value at `outer` or one inside it. */
export function isWithin(path: string, outer: string): boolean {
  if (!path.startsWith(outer)) return false;
  const next = path[outer.length];
  return next === undefined || next === "." || next === "[";
}
