/** The `outputs` block. */

import type { DesiredCondition } from "../../model/operation/condition.ts";
import type { DesiredOutput } from "../../model/plan/desired.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import { type Condition, conditionsOf, templatesOfCondition } from "../blocks/condition.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { readEntryMap } from "../read/entry-map.ts";
import { outputShape } from "../read/schemas.ts";
import { type ConfigValue, templatesOf } from "../read/value.ts";
import { createReport, type Place, positionOf, type Report } from "../report.ts";
import { judge } from "./condition.ts";
import { type DataUses, throughData } from "./data-uses.ts";
import { deferredOf, evaluate } from "./evaluation.ts";
import { referencesIn, templatesFor } from "./links.ts";
import {
  instanceScope,
  knowNothing,
  type ModuleScope,
  type ScopeNeeds,
  scopeNeeds,
} from "./module-scope.ts";

export type Output = {
  readonly name: string;
  readonly value: ConfigValue;
  readonly sensitive: boolean;
  readonly description: string | undefined;
  readonly place: Place;
  /** Preconditions. */
  readonly conditions: readonly Condition[];
};

export function readOutputs(
  entries: ReadonlyMap<string, BlockEntry>,
  report: Report,
): readonly Output[] {
  return [...entries.values()].flatMap((entry) => {
    const { name, place } = entry;
    const members = readEntryMap(entry, `output ${name}`, outputShape, report);
    const value = members?.get("value");
    if (members === undefined || value === undefined) return [];
    const sensitive = constantOf(members.get("sensitive")) === true;
    const description = constantOf(members.get("description"));
    const text = typeof description === "string" ? description : undefined;
    const conditions = conditionsOf(members.get("preconditions"));
    return [{ name, value, sensitive, description: text, place, conditions }];
  });
}

/** Evaluates each output with nothing known, to find its problems, and makes it desired. */
export function desiredOutputs(
  outputs: readonly Output[],
  scope: ModuleScope,
  uses: ReadonlyMap<string, DataUses>,
  report: Report,
): readonly DesiredOutput[] {
  return outputs.map((output) => {
    const { name, sensitive, description, value, conditions } = output;
    const own = [...templatesOf(value), ...conditions.flatMap(templatesOfCondition)];
    const needs = scopeNeeds(own, scope.module);
    evaluateOutput(output, scope, needs, knowNothing, report);
    return {
      name,
      sensitive,
      ...(description === undefined ? {} : { description }),
      references: throughData(
        referencesIn(templatesFor(own, needs, scope.module), scope, needs, {}),
        uses,
      ),
      ...(conditions.length === 0
        ? {}
        : { conditions: conditions.map((one) => outputCondition(one, scope, needs)) }),
      resolve: (lookup) => {
        const problems = createReport();
        const resolved = evaluateOutput(output, scope, needs, lookup, problems);
        return { ...resolved, diagnostics: problems.diagnostics() };
      },
    };
  });
}

function outputCondition(
  condition: Condition,
  scope: ModuleScope,
  needs: ScopeNeeds,
): DesiredCondition {
  return {
    kind: "precondition",
    source: positionOf(condition.place),
    usesSelf: false,
    resolve: (lookup) =>
      judge(condition, {
        scope: (report) => instanceScope(scope, needs, {}, lookup, report),
        skipped: scope.module.skipped,
      }),
  };
}

function evaluateOutput(
  output: Output,
  scope: ModuleScope,
  needs: ScopeNeeds,
  lookup: ReferenceLookup,
  report: Report,
): Omit<ReturnType<DesiredOutput["resolve"]>, "diagnostics"> {
  const options = {
    scope: instanceScope(scope, needs, {}, lookup, report),
    report,
    skipped: scope.module.skipped,
  };
  const evaluated = evaluate(output.value, "value", options);
  if (evaluated.sensitive.length > 0 && !output.sensitive) {
    const { name } = output;
    const detail = `The output ${name} holds a sensitive value, which would be shown as it is.`;
    const fix = "Add sensitive: true to the output.";
    report.add("CFG035", { detail, fix, place: output.value.place });
  }
  const deferred = deferredOf(output.value, evaluated, "any");
  return { value: evaluated.value, ...(deferred === undefined ? {} : { deferred }) };
}

function constantOf(value: ConfigValue | undefined): unknown {
  return value?.kind === "constant" ? value.value : undefined;
}
