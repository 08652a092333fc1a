/**
 * What modules ask of late values: variables of their inputs, outputs before they are used. Who
 * uses such a value, directly or through others, waits for what is asked of it as for a
 * precondition.
 */

import type { DesiredCondition } from "../../model/operation/condition.ts";
import { moduleText } from "../../model/value/address.ts";
import { type Condition, templatesOfCondition } from "../blocks/condition.ts";
import { type Module, nameParts, reportIn } from "../modules/module.ts";
import { type InstanceValues, type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import type { ConfigTemplate } from "../read/value.ts";
import { positionOf, type Report } from "../report.ts";
import { judge } from "./condition.ts";
import { askedOf, expressionsOf, type Late, lateBehind, scopeAt } from "./late-values.ts";

/** Conditions of the late values that templates at a place use. */
export function conditionsBehind(
  templates: readonly ConfigTemplate[],
  at: ModuleScope,
  values: InstanceValues,
): readonly DesiredCondition[] {
  // Most configurations ask nothing, and gathering takes time.
  if (!isAsking(rootOf(at.module))) return [];
  return lateBehind(templates, at, values).flatMap(({ scope, name }) =>
    askedOf({ scope, name }).map((condition) => asPrecondition(condition, { scope, name })),
  );
}

function asPrecondition(condition: Condition, { scope, name }: Late): DesiredCondition {
  const expressions = expressionsOf(templatesOfCondition(condition));
  return {
    kind: "precondition",
    source: positionOf(condition.place),
    usesSelf: false,
    resolve: (lookup) => {
      const result = judge(condition, {
        scope: (report) => scopeAt(scope, expressions, lookup, report),
        skipped: scope.module.skipped,
      });
      if (result.status !== "failed") return result;
      return { ...result, message: `${subjectOf(scope, name)} ${result.message}` };
    },
  };
}

function subjectOf(scope: ModuleScope, name: string): string {
  const { root, key } = nameParts(name);
  const path = moduleText(scope.path);
  return root === "vars"
    ? `The variable ${key} of ${path} is refused:`
    : `The output ${key} of ${path} cannot be used:`;
}

/** Outputs of called modules that need no resource are judged at once. */
export function judgeOutputs(root: ModuleScope, whole: Report): void {
  for (const scope of scopesIn(root)) {
    const { module } = scope;
    if (module.caller === undefined) continue;
    for (const { name, conditions } of module.outputs.values()) {
      if (module.late.has(`outputs.${name}`) || module.waiting.has(`outputs.${name}`)) continue;
      for (const condition of conditions) {
        const { skipped } = module;
        if (templatesOfCondition(condition).some((template) => skipped.has(template))) continue;
        const result = judge(condition, { scope: () => scope.constants, skipped });
        if (result.status === "passed" || result.status === "unknown") continue;
        const why = result.status === "failed" ? result.message : result.why;
        const detail = `${subjectOf(scope, `outputs.${name}`)} ${why}`;
        reportIn(module, whole).add("CFG088", { detail, place: condition.place });
      }
    }
  }
}

const askingByRoot = new WeakMap<Module, boolean>();

function isAsking(root: Module): boolean {
  const known = askingByRoot.get(root);
  if (known !== undefined) return known;
  const asks = asksOfLate(root);
  askingByRoot.set(root, asks);
  return asks;
}

function asksOfLate(module: Module): boolean {
  const variables = [...module.variables.values()].some(
    ({ name, validations }) => validations.length > 0 && module.late.has(`vars.${name}`),
  );
  const outputs = [...module.outputs.values()].some(
    ({ name, conditions }) => conditions.length > 0 && module.late.has(`outputs.${name}`),
  );
  return variables || outputs || [...module.called.values()].some(asksOfLate);
}

function rootOf(module: Module): Module {
  return module.caller === undefined ? module : rootOf(module.caller.module);
}
