/** Expressions that wait: made self-contained for a plan, and evaluated during apply. */

import type { DeferredValue, ReferenceLookup } from "../model/expression.ts";
import type { AttributeType } from "../model/resource-schema.ts";
import type { PlannedValue } from "../model/value.ts";
import type { ExpressionProblem } from "./problem.ts";
import type { Scope } from "./scope.ts";
import type { Template } from "./template.ts";

/**
 * The template with the known part of its scope. Unknown values of `scope.values` must have an
 * entry in `scope.pending`, at their own path or at that of a value around them.
 */
export function deferTemplate(
  template: Template,
  scope: Scope,
  expected: AttributeType,
): DeferredValue {
  throw new Error(`not written yet: ${template.text} ${scope.values} ${expected}`);
}

/**
 * One deferred value for a list or map whose leaves are templates. `leaves` holds the deferred
 * value of each unknown leaf by its path below `value`: `valuePath("value", "tags", 0)`.
 */
export function deferStructure(
  value: PlannedValue,
  leaves: { readonly [path: string]: DeferredValue },
  expected: AttributeType,
): DeferredValue {
  throw new Error(`not written yet: ${String(value)} ${Object.keys(leaves)} ${expected}`);
}

export type EvaluatedDeferred = {
  /** Unknown while a reference it needs is unknown, or when there are problems. */
  readonly value: PlannedValue;
  readonly problems: readonly ExpressionProblem[];
};

export function evaluateDeferred(
  deferred: DeferredValue,
  lookup: ReferenceLookup,
): EvaluatedDeferred {
  throw new Error(`not written yet: ${deferred.template} ${lookup}`);
}
