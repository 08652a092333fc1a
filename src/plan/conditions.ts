/**
 * Conditions of the configuration: the question "may it be done, and is it as it has to be?". What
 * is known while planning is told here; the rest waits for the apply.
 */

import type {
  ConditionKind,
  ConditionResult,
  DesiredCondition,
  LateCondition,
} from "../model/operation/condition.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { Address } from "../model/value/address.ts";
import type { ReferenceLookup } from "../model/value/expression.ts";
import { problem } from "./codes.ts";

export type JudgedConditions = {
  /** An error for each that does not hold, or cannot be told. */
  readonly diagnostics: readonly Diagnostic[];
  /** What is known only after apply. */
  readonly late: readonly LateCondition[];
};

export type JudgedOf = {
  /** As a sentence goes on: `of the output ip`; nothing where an address says it. */
  readonly owner?: string;
  readonly address?: Address;
};

/** With `lateSelf`, what holds of its object as planned is judged once more of what is read. */
export function judgeConditions(
  conditions: readonly DesiredCondition[],
  lookup: ReferenceLookup,
  of: JudgedOf,
  lateSelf?: "lateSelf",
): JudgedConditions {
  const diagnostics: Diagnostic[] = [];
  const late: LateCondition[] = [];
  for (const condition of conditions) {
    const { kind, source, usesSelf } = condition;
    const planned = condition.resolve(lookup);
    const isOfSelf = usesSelf && lateSelf !== undefined && isOpen(planned);
    const result = isOfSelf ? condition.resolve(lookup, lateSelf) : planned;
    const at = of.address === undefined ? { source } : { source, address: of.address };
    const what = of.owner === undefined ? kind : `${kind} ${of.owner}`;
    if (result.status === "failed") {
      const detail = `The ${what} does not hold: ${result.message}${valuesText(result)}`;
      diagnostics.push(problem(at, codes[kind], { detail }));
    }
    if (result.status === "faulty") {
      const detail = `The ${what} cannot be told: ${result.why}`;
      diagnostics.push(problem(at, codes[kind], { detail, fix: "Correct its condition." }));
    }
    if (result.status === "unknown" && result.deferred !== undefined) {
      const { status: _status, deferred, ...message } = result;
      late.push({ kind, ...message, deferred, source });
    }
  }
  return { diagnostics, late };
}

const codes: { readonly [kind in ConditionKind]: "PLN049" | "PLN050" } = {
  precondition: "PLN049",
  postcondition: "PLN050",
};

function isOpen({ status }: ConditionResult): boolean {
  return status === "passed" || status === "unknown";
}

/** What the values are, after a message. */
export function valuesText({ values }: { readonly values: string }): string {
  return values === "" ? "" : ` (${values.replace(/\.$/, "")})`;
}

export function ofKind(
  conditions: readonly DesiredCondition[] | undefined,
  kind: ConditionKind,
): readonly DesiredCondition[] {
  return conditions?.filter((condition) => condition.kind === kind) ?? [];
}
