/**
 * `vmform eval` and `console`: expressions against the configuration and recorded state. Sends
 * nothing; what was not recorded yet is unknown.
 */

import type { EvaluatedExpression } from "../../config/values/evaluated-expression.ts";
import { functionTable } from "../../expressions/functions/functions.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value/value.ts";
import type { WorkspaceEnvironment } from "../environment.ts";
import { knownConfiguration, type WorkspaceOptions } from "../reading.ts";
import { withWorkspace } from "../workspace.ts";

/** Problems of the expression are its own diagnostics. Pure. */
export type Evaluator = (expression: string) => EvaluatedExpression;

export type Evaluation = {
  readonly evaluate: Evaluator;
  /** What expressions may begin with, functions included. */
  readonly names: readonly string[];
};

/** Reads configuration and recorded state once. */
export async function openEvaluator(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<Evaluation> {
  const needs = { read: knownConfiguration, access: "none" } as const;
  return withWorkspace(environment, options, needs, async ({ configured, recorded }) => {
    const lookup = recordedLookup((await recorded()).state, environment.types);
    const functions = functionTable.flatMap(({ form, name }) =>
      form.startsWith(`${name}(`) ? [`${name}(`] : [],
    );
    return {
      evaluate: (expression: string) => configured.evaluate(expression, lookup),
      names: [...configured.names, ...new Set(functions)],
    };
  });
}

/** What is recorded of each object. What the remote side sets and nobody has read is unknown. */
function recordedLookup(state: RecordedState, types: TypeRegistry): ReferenceLookup {
  const known = new Map<string, PlannedAttributes>();
  for (const { address, objectKey, type, applied, attributes } of state.objects) {
    if (objectKey !== "current") continue;
    const values: { [name: string]: PlannedValue } = { ...applied, ...attributes };
    for (const { name, computed } of Object.values(types[type]?.schema.attributes ?? {})) {
      if (computed && !Object.hasOwn(values, name)) values[name] = unknown;
    }
    known.set(address, values);
  }
  return (address) => known.get(address);
}
