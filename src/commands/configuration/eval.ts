/**
 * `vmform eval` and `console`: expressions against the configuration and recorded state. Sends
 * nothing; what was not recorded yet is unknown.
 */

import type { EvaluatedExpression } from "../../config/evaluate/evaluated-expression.ts";
import type { ReferenceLookup } from "../../model/expression.ts";
import type { TypeRegistry } from "../../model/provider.ts";
import type { RecordedState } from "../../model/recorded.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value.ts";
import type { CommandEnvironment } from "../environment.ts";
import {
  type Loaded,
  loaded,
  openStore,
  readConfiguration,
  readRecorded,
  type WorkspaceOptions,
} from "../workspace.ts";

/** Problems of the expression are its own diagnostics. Pure. */
export type Evaluator = (expression: string) => EvaluatedExpression;

/** Reads configuration and recorded state once; `ok` is about the configuration. */
export async function openEvaluator(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<Loaded<Evaluator>> {
  const configuration = loaded(await readConfiguration(environment, options));
  if (!configuration.ok) return configuration;
  const { settings, evaluate } = configuration.value;
  const store = openStore(environment, settings);
  const simulated = settings.simulator !== undefined;
  const { state } = await readRecorded(environment, store, simulated);
  const lookup = recordedLookup(state, environment.types);
  const value: Evaluator = (expression) => evaluate(expression, lookup);
  return { ok: true, value, diagnostics: configuration.diagnostics };
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
