/** Checks of the configuration: the question "does what should hold, hold, once this is done?". */

import type { DesiredCheck } from "../model/plan/desired.ts";
import type { PlannedCheck } from "../model/plan/plan.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { ReferenceLookup } from "../model/value/expression.ts";
import { warning } from "./codes.ts";
import { valuesText } from "./conditions.ts";

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
    if (result.status === "failed") {
      const detail = `The check ${name} does not hold: ${result.message}${valuesText(result)}`;
      diagnostics.push(warning({ source }, "PLN048", { detail }));
    }
    if (result.status === "faulty") {
      const detail = `The check ${name} cannot be told: ${result.why}`;
      diagnostics.push(warning({ source }, "PLN048", { detail, fix: "Correct its condition." }));
    }
    if (result.status === "unknown" && result.deferred !== undefined) {
      const { status: _status, deferred, ...message } = result;
      late.push({ name, ...message, deferred });
    }
  }
  return { diagnostics, late };
}
