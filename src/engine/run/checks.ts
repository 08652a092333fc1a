/** Checks that could be told only when everything was done. */

import { valuesOfDeferred } from "../../expressions/evaluate/deferred.ts";
import { deferredIn } from "../../model/operation/condition.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Plan, PlannedCheck } from "../../model/plan/plan.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { DeferredValue } from "../../model/value/expression.ts";
import { isKnown } from "../../model/value/value.ts";
import { warning } from "../codes.ts";
import type { EnginePorts } from "../ports.ts";
import { messageOf } from "./conditions.ts";
import type { LateReferences } from "./late-references.ts";

/** A warning for each that does not hold, or cannot be told all the same. */
export async function tellLateChecks(
  ports: EnginePorts,
  references: LateReferences,
  { checks = [] }: Plan,
): Promise<readonly Diagnostic[]> {
  const told: Diagnostic[] = [];
  for (const check of checks) {
    const { name, deferred } = check;
    const held = await isHeld(ports, references, deferred);
    if (held === true) continue;
    const what =
      held === false
        ? `does not hold: ${await saidOf(ports, references, check)}`
        : `cannot be told: ${held}`;
    told.push(warning(nowhere, "RUN019", { detail: `The check ${name} ${what}` }));
  }
  return told;
}

async function saidOf(
  ports: EnginePorts,
  references: LateReferences,
  check: PlannedCheck,
): Promise<string> {
  const named = deferredIn(check).flatMap((one) => one.references);
  const known = await references(named);
  const values = valuesOfDeferred(check.deferred, known).replace(/\.$/, "");
  return `${messageOf(ports, check, known)}${values === "" ? "" : ` (${values})`}`;
}

const notYet = "a value that it needs is not known yet. The next plan tells it, and so does drift.";

/** Whether the condition is true, or a sentence that says why nobody knows. */
async function isHeld(
  ports: EnginePorts,
  references: LateReferences,
  deferred: DeferredValue,
): Promise<boolean | string> {
  try {
    const known = await references(deferred.references);
    const { value, problems } = ports.evaluate(deferred, known);
    if (isKnown(value)) return value === true;
    const [problem = notYet] = problems;
    return problem;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return `${error.message}.`;
  }
}
