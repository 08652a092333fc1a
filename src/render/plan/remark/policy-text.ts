/** What policies say of a plan, beside the diagnostics that tell it one by one. */

import type { Plan } from "../../../model/plan/plan.ts";
import type { JudgedPolicies, PolicyFinding, PolicyVerdict } from "../../../model/plan/policy.ts";
import type { ValueMap } from "../../../model/value/value.ts";
import { type StyledLine, textLine } from "../../text/styled-line.ts";

const words: { readonly [verdict in PolicyVerdict]: string } = {
  violated: "Not held",
  outside: "For another time",
  unknown: "Known only while applying",
  faulty: "Not to be evaluated",
};

/** Says that they were asked, for silence could also mean that nobody did. */
export function policySection({ policies }: Plan): StyledLine[] {
  if (policies === undefined) return [];
  const { names, findings } = policies;
  const verdicts = (["violated", "outside", "unknown", "faulty"] as const).flatMap((verdict) => {
    const concerned = new Set(
      findings.filter((finding) => finding.verdict === verdict).map(({ policy }) => policy),
    );
    return concerned.size === 0 ? [] : [`${words[verdict]}: ${[...concerned].join(", ")}.`];
  });
  const many = names.length === 1 ? "1 policy" : `${names.length} policies`;
  const outcome = verdicts.length === 0 ? ["Nothing stands against it."] : verdicts;
  return [textLine(`Judged by ${many}. ${outcome.join(" ")}`, undefined, 2)];
}

export function policiesJson({ judgedMs, names, findings }: JudgedPolicies): ValueMap {
  return {
    judged_at: new Date(judgedMs).toISOString(),
    names,
    findings: findings.map(findingJson),
  };
}

function findingJson(finding: PolicyFinding): ValueMap {
  const { opensMs, zone, ...rest } = finding;
  return {
    ...rest,
    ...(opensMs === undefined ? {} : { opens_at: new Date(opensMs).toISOString() }),
    ...(zone === undefined ? {} : { time_zone: zone }),
  };
}
