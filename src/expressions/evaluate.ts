/** Evaluates templates in a scope whose values may be unknown or sensitive. */

import type { AttributeType } from "../model/resource-schema.ts";
import type { PlannedValue } from "../model/value.ts";
import type { ExpressionProblem } from "./problem.ts";
import type { Scope } from "./scope.ts";
import type { Template } from "./template.ts";

export type EvaluatedTemplate = {
  /** Unknown when there are problems. */
  readonly value: PlannedValue;
  /** A sensitive value was used, or may be used once unknown values are known. */
  readonly sensitive: boolean;
  /** The value is a double: add its path to `scope.doubles` where it is used again. */
  readonly double: boolean;
  readonly problems: readonly ExpressionProblem[];
};

export function evaluateTemplate(
  template: Template,
  scope: Scope,
  expected: AttributeType,
): EvaluatedTemplate {
  throw new Error(`not written yet: ${template.text} ${scope.values} ${expected}`);
}
