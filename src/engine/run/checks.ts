/** Checks that could be told only when everything was done. */

import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { isKnown } from "../../model/value/value.ts";
import { warning } from "../codes.ts";
import type { EnginePorts } from "../ports.ts";
import type { LateReferences } from "./late-references.ts";

/** A warning for each that does not hold, or cannot be told all the same. */
export async function tellLateChecks(
  ports: EnginePorts,
  references: LateReferences,
  { checks = [] }: Plan,
): Promise<readonly Diagnostic[]> {
  const told: Diagnostic[] = [];
  for (const { name, message, deferred } of checks) {
    try {
      const { value } = ports.evaluate(deferred, await references(deferred.references));
      if (value === true) continue;
      const detail = isKnown(value)
        ? `The check ${name} does not hold: ${message}`
        : `The check ${name} cannot be told yet: a value that it needs is not known. ` +
          "The next plan tells it, and so does drift.";
      told.push(warning(nowhere, "RUN019", { detail }));
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      const detail = `The check ${name} cannot be told: ${error.message}.`;
      told.push(warning(nowhere, "RUN019", { detail }));
    }
  }
  return told;
}
