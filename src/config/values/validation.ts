/** The conditions that variables set for their own values. */

import { isKnown } from "../../model/value/value.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import { isWaitingFor, type Module, modulesIn, reportIn } from "../modules/module.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import type { Report } from "../report.ts";
import { checkTemplates, type ExpressionPlace } from "./check-expressions.ts";
import { sayableMessage } from "./condition.ts";
import { evaluate } from "./evaluation.ts";

const place: ExpressionPlace = {
  constant: { code: "CFG023", why: "Variables are checked before any resource is known." },
};

/**
 * Reports each condition that is false, in each instance of a module. Values are not printed: they
 * may be secrets. Those of inputs that need a resource are judged as preconditions of what uses
 * them (`object-conditions.ts`).
 */
export function validateVariables(root: ModuleScope, whole: Report): void {
  for (const module of modulesIn(root.module)) checkValidations(module, reportIn(module, whole));
  for (const scope of scopesIn(root)) {
    const { module, constants } = scope;
    const report = reportIn(module, whole);
    for (const { name, validations } of module.variables.values()) {
      if (!Object.hasOwn(constants.values.vars ?? {}, name)) continue;
      for (const validation of validations) {
        if (isWaitingFor(templatesOfCondition(validation), module)) continue;
        const { condition, message, place: at } = validation;
        const options = { scope: constants, report, skipped: module.skipped };
        const result = evaluate(condition, "value", options);
        if (result.problems || !isKnown(result.value) || result.value === true) continue;
        const said = sayableMessage(message, options);
        report.add("CFG029", { detail: `The variable ${name} is refused: ${said}`, place: at });
      }
    }
  }
}

function checkValidations(module: Module, report: Report): void {
  for (const { name, validations } of module.variables.values()) {
    const at = module.late.has(`vars.${name}`) ? {} : place;
    checkTemplates(validations.flatMap(templatesOfCondition), at, module, report);
  }
}
