/**
 * Conditions of the configuration: the question "may it be done, and is it as it has to be?"; and
 * its checks: "does what should hold, hold, once this is done?". What is known while planning is
 * told here; the rest waits for the apply.
 */

import type {
  ConditionKind,
  ConditionResult,
  DesiredCondition,
  LateCondition,
} from "../model/operation/condition.ts";
import type { DesiredCheck } from "../model/plan/desired.ts";
import type { PlannedCheck } from "../model/plan/plan.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { Told } from "../model/said/problem.ts";
import type { Address } from "../model/value/address.ts";
import type { ReferenceLookup } from "../model/value/expression.ts";
import { problem, warning } from "./codes.ts";

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
    const told = wrongWith(what, result);
    if (told !== undefined) diagnostics.push(problem(at, codes[kind], told));
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

/** Undefined of what holds, or is known later. */
function wrongWith(what: string, result: ConditionResult): Told | undefined {
  if (result.status === "faulty") {
    const detail = `The ${what} cannot be told: ${result.why}`;
    return { detail, fix: "Correct its condition." };
  }
  if (result.status !== "failed") return undefined;
  const values = result.values === "" ? "" : ` (${result.values.replace(/\.$/, "")})`;
  return { detail: `The ${what} does not hold: ${result.message}${values}` };
}

export function ofKind(
  conditions: readonly DesiredCondition[] | undefined,
  kind: ConditionKind,
): readonly DesiredCondition[] {
  return conditions?.filter((condition) => condition.kind === kind) ?? [];
}

export type ToldChecks = {
  /** A warning for each that does not hold. */
  readonly diagnostics: readonly Diagnostic[];
  /** What is known only after apply. */
  readonly late: readonly PlannedCheck[];
};

export function tellChecks(checks: readonly DesiredCheck[], lookup: ReferenceLookup): ToldChecks {
  const diagnostics: Diagnostic[] = [];
  const late: PlannedCheck[] = [];
  for (const check of checks) {
    const { name, source } = check;
    const result = check.resolve(lookup);
    const told = wrongWith(`check ${name}`, result);
    if (told !== undefined) diagnostics.push(warning({ source }, "PLN048", told));
    if (result.status === "unknown" && result.deferred !== undefined) {
      const { status: _status, deferred, ...message } = result;
      late.push({ name, ...message, deferred });
    }
  }
  return { diagnostics, late };
}
