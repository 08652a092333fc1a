/** The conditions that variables set for their own values. */

import type { Scope } from "../../expressions/evaluate/scope.ts";
import { isKnown } from "../../model/value/value.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import type { Report } from "../report.ts";
import { checkTemplates, type ExpressionPlace } from "./check-expressions.ts";
import { sayableMessage } from "./condition.ts";
import { evaluate } from "./evaluation.ts";
import type { Module } from "./module.ts";

const place: ExpressionPlace = {
  constant: { code: "CFG023", why: "Variables are checked before any resource is known." },
};

/** Reports each condition that is false. Values are not printed: they may be secrets. */
export function validateVariables(module: Module, scope: Scope, report: Report): void {
  for (const { name, value, validations } of module.variables.values()) {
    if (value === undefined) continue;
    for (const validation of validations) {
      const { condition, message, place: at } = validation;
      checkTemplates(templatesOfCondition(validation), place, module, report);
      const options = { scope, report, skipped: module.skipped };
      const result = evaluate(condition, "value", options);
      if (result.problems || !isKnown(result.value) || result.value === true) continue;
      const said = sayableMessage(message, options);
      report.add("CFG029", { detail: `The variable ${name} is refused: ${said}`, place: at });
    }
  }
}
