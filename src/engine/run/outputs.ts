/** Outputs of a run that is done: what was known only after apply is computed and recorded. */

import { deferredIn } from "../../model/operation/condition.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Plan, PlannedOutputCondition } from "../../model/plan/plan.ts";
import type { NoteEntry } from "../../model/recorded/journal.ts";
import type { RecordedOutput } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { DeferredValue } from "../../model/value/expression.ts";
import { isKnown, type PlannedValue } from "../../model/value/value.ts";
import { problem } from "../codes.ts";
import type { Ledger } from "../ledger.ts";
import type { EnginePorts } from "../ports.ts";
import { unmetCondition } from "./conditions.ts";
import type { LateReferences } from "./late-references.ts";

export type ComputedOutputs = {
  readonly notes: readonly NoteEntry[];
  /** Outputs that keep their last value, since a data source cannot be read. */
  readonly diagnostics: readonly Diagnostic[];
};

export async function computeOutputs(
  ports: EnginePorts,
  ledger: Ledger,
  references: LateReferences,
  plan: Plan,
): Promise<ComputedOutputs> {
  const { outputConditions = [] } = plan;
  if (plan.outputs.length + outputConditions.length === 0) return { notes: [], diagnostics: [] };
  const outputs = new Map<string, RecordedOutput>();
  const diagnostics: Diagnostic[] = [];
  const refused = new Set<string>();
  for (const condition of outputConditions) {
    const unmet = await unmetOf(ports, references, condition);
    if (unmet === undefined) continue;
    refused.add(condition.output);
    diagnostics.push(unmet);
  }
  for (const output of ledger.state().outputs) outputs.set(output.name, output);
  for (const { name, sensitive, after, deferred } of plan.outputs) {
    if (refused.has(name)) continue;
    try {
      const value = deferred === undefined ? after : await compute(ports, references, deferred);
      if (value === null) outputs.delete(name);
      else if (isKnown(value)) outputs.set(name, { name, value, sensitive });
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      diagnostics.push(unanswered(name, error));
    }
  }
  const sorted = [...outputs.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    notes: [{ kind: "note", note: { what: "outputs", outputs: sorted } }],
    diagnostics,
  };
}

async function unmetOf(
  ports: EnginePorts,
  references: LateReferences,
  condition: PlannedOutputCondition,
): Promise<Diagnostic | undefined> {
  const { output, source } = condition;
  try {
    const named = deferredIn(condition).flatMap((one) => one.references);
    const unmet = unmetCondition(ports, [condition], await references(named));
    if (unmet === undefined) return undefined;
    const detail = `The output ${output} keeps its last value: ${unmet}.`;
    return problem({ source }, "RUN020", { detail });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return unanswered(output, error);
  }
}

async function compute(
  ports: EnginePorts,
  references: LateReferences,
  deferred: DeferredValue,
): Promise<PlannedValue> {
  return ports.evaluate(deferred, await references(deferred.references)).value;
}

function unanswered(name: string, { message }: RemoteError): Diagnostic {
  return problem(nowhere, "RUN006", {
    detail: `The output ${name} needs a data source that could not be read: ${message}.`,
    fix: "Apply again when it can be read; the resources are done.",
  });
}
