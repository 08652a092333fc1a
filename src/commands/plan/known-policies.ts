/** Names of policies on the command line: a slip would consent to nothing, and say nothing. */

import { closestName } from "../../lib/text.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import type { DesiredPolicy } from "../../model/plan/policy.ts";
import { nowhere } from "../../model/said/problem.ts";
import { problem } from "../codes.ts";
import { DiagnosticError } from "../environment.ts";

/** Throws `DiagnosticError` where a consent names no policy that asks for one. */
export function requireKnownPolicies(
  allowed: readonly Consent[],
  policies: readonly DesiredPolicy[] = [],
): void {
  const askable = policies.filter(({ level }) => level === "needs_consent");
  const names = askable.map(({ name }) => name);
  const unknown = allowed.filter(
    (kind) => kind.startsWith("policy:") && !names.some((name) => kind === `policy:${name}`),
  );
  if (unknown.length === 0) return;
  throw new DiagnosticError(
    unknown.map((kind) => {
      const name = kind.slice("policy:".length);
      const denying = policies.find((policy) => policy.name === name);
      const meant = closestName(name, names);
      const detail =
        denying === undefined
          ? `There is no policy ${name}.`
          : `The policy ${name} is of level ${denying.level}: nobody can consent to it.`;
      const list =
        names.length === 0 ? "No policy asks for consent." : `There is ${names.join(", ")}.`;
      const fix = meant === undefined ? list : `Did you mean policy:${meant}?`;
      return problem(nowhere, "CLI026", { detail, fix });
    }),
  );
}
