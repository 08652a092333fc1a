/** Outputs of the root module: what is shown, and handed on, after applying. */

import type { DesiredCondition } from "../../model/operation/condition.ts";
import type { DesiredOutput } from "../../model/plan/desired.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import { type Condition, templatesOfCondition } from "../blocks/condition.ts";
import type { Output } from "../blocks/output.ts";
import { referencesOfValue } from "../modules/module.ts";
import { knowNothing, type ModuleScope } from "../modules/module-scope.ts";
import { templatesOf } from "../read/value.ts";
import { createReport, positionOf, type Report } from "../report.ts";
import { judge } from "../values/condition.ts";
import { conditionsBehind } from "../values/conditions-behind.ts";
import { isEphemeral } from "../values/ephemeral.ts";
import { deferredOf, evaluate } from "../values/evaluation.ts";
import { expressionsOf, referencesIn, scopeAt } from "../values/late-values.ts";
import { type DataUses, throughData, usesIn } from "./data-uses.ts";

/** Evaluates each output with nothing known, to find its problems, and makes it desired. */
export function desiredOutputs(
  scope: ModuleScope,
  uses: ReadonlyMap<string, DataUses>,
  report: Report,
): readonly DesiredOutput[] {
  const { outputs, waiting } = scope.module;
  const known = [...outputs.values()].filter(({ name }) => !waiting.has(`outputs.${name}`));
  return known.map((output) => {
    const { name, sensitive, description, value, conditions } = output;
    const templates = [...templatesOf(value), ...conditions.flatMap(templatesOfCondition)];
    const asked = [
      ...conditionsBehind(templates, scope, {}),
      ...conditions.map((one) => outputCondition(one, scope)),
    ];
    evaluateOutput(output, scope, knowNothing, report);
    return {
      name,
      sensitive,
      ...(description === undefined ? {} : { description }),
      references: throughData(referencesIn(templates, scope, {}), uses),
      dataUses: () => [
        ...usesIn(templatesOf(value), { scope }, { by: "value", at: value.place }),
        ...conditions.flatMap((one) =>
          usesIn(templatesOfCondition(one), { scope }, { by: "condition", at: one.place }),
        ),
      ],
      ...(asked.length === 0 ? {} : { conditions: asked }),
      resolve: (lookup) => {
        const problems = createReport();
        const resolved = evaluateOutput(output, scope, lookup, problems);
        return { ...resolved, diagnostics: problems.diagnostics() };
      },
    };
  });
}

function outputCondition(condition: Condition, scope: ModuleScope): DesiredCondition {
  const expressions = expressionsOf(templatesOfCondition(condition));
  return {
    kind: "precondition",
    source: positionOf(condition.place),
    usesSelf: false,
    resolve: (lookup) =>
      judge(condition, {
        scope: (report) => scopeAt(scope, expressions, lookup, report),
        skipped: scope.module.skipped,
      }),
  };
}

function evaluateOutput(
  output: Output,
  scope: ModuleScope,
  lookup: ReferenceLookup,
  report: Report,
): Omit<ReturnType<DesiredOutput["resolve"]>, "diagnostics"> {
  const options = {
    scope: scopeAt(
      scope,
      { references: referencesOfValue(output.value), values: {} },
      lookup,
      report,
    ),
    report,
    skipped: scope.module.skipped,
  };
  const evaluated = evaluate(output.value, "value", options);
  const isShown = evaluated.sensitive.length > 0 && !output.sensitive;
  // To mark an ephemeral value as sensitive would not make it one that may be recorded.
  if (isShown && !isEphemeral(output.value, scope.module)) {
    const { name } = output;
    const detail = `The output ${name} holds a sensitive value, which would be shown as it is.`;
    const fix = "Add sensitive: true to the output.";
    report.add("CFG035", { detail, fix, place: output.value.place });
  }
  const deferred = deferredOf(output.value, evaluated, "any");
  return { value: evaluated.value, ...(deferred === undefined ? {} : { deferred }) };
}
