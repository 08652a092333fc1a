/** An expression that stands outside of the configuration, evaluated as if it stood in it. */

import { referencesOf } from "../../expressions/evaluate/references.ts";
import {
  hasExpression,
  parseExpression,
  parseTemplate,
} from "../../expressions/syntax/template.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import { type PlannedValue, unknown } from "../../model/value/value.ts";
import type { ModuleScope } from "../modules/module-scope.ts";
import { anyShape } from "../read/form/shape.ts";
import type { ConfigTemplate } from "../read/value.ts";
import { createReport, type Report, sourceFile } from "../report.ts";
import { checkInstanceKeys, checkTemplates } from "./check-expressions.ts";
import { evaluate } from "./evaluation.ts";
import { scopeAt } from "./late-values.ts";

export type EvaluatedExpression = {
  /** Unknown when there are problems. */
  readonly value: PlannedValue;
  /** A sensitive value was used. */
  readonly sensitive: boolean;
  /** Places are in a file called `expression`. */
  readonly diagnostics: readonly Diagnostic[];
};

/** A text with `${` in it is a template; any other, one expression. */
export function evaluateExpression(
  text: string,
  scope: ModuleScope,
  lookup: ReferenceLookup,
): EvaluatedExpression {
  const report = createReport();
  const leaf = readExpression(text, report);
  const { module } = scope;
  if (leaf !== undefined) {
    checkTemplates([leaf], {}, module, report);
    checkInstanceKeys([leaf], scope, report);
  }
  if (leaf === undefined || report.errorCount() > 0) {
    return { value: unknown, sensitive: false, diagnostics: report.diagnostics() };
  }
  const evaluated = evaluate(leaf, "value", {
    scope: scopeAt(scope, { references: leaf.references, values: {} }, lookup, report),
    report,
    skipped: module.skipped,
  });
  const { value, sensitive } = evaluated;
  return { value, sensitive: sensitive.length > 0, diagnostics: report.diagnostics() };
}

function readExpression(text: string, report: Report): ConfigTemplate | undefined {
  const file = sourceFile("expression", text);
  const { template, problems } = hasExpression(text) ? parseTemplate(text) : parseExpression(text);
  for (const { message, fix, offset } of problems) {
    report.add("CFG022", { detail: message, fix, place: { file, start: offset, end: offset + 1 } });
  }
  if (template === undefined) return undefined;
  const place = { file, start: 0, end: text.length };
  return { kind: "template", template, references: referencesOf(template), shape: anyShape, place };
}
