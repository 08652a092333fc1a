/**
 * Policies of what somebody does by hand, outside of any plan: judged as the one operation of a
 * plan that changes nothing. There is no later for it, so what is outside of its time is refused
 * like anything else that a policy denies.
 */

import { type Consent, type Disruption, policyConsent } from "../../model/operation/disruption.ts";
import type { DesiredPolicy, PolicyFinding } from "../../model/plan/policy.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { verdictOf } from "./judge.ts";
import { actionSubjects } from "./subjects.ts";
import { tellFindings } from "./told.ts";

export type JudgedAction = {
  readonly record: RecordedObject;
  /** Name of the action. */
  readonly verb: string;
  readonly summary: string;
  readonly disrupts: readonly Disruption[];
  /** It ends what runs, and so has no time of its own. */
  readonly ends: boolean;
};

export type ActionJudging = {
  readonly types: SchemaRegistry;
  readonly nowMs: number;
  /** Nothing is told of what was allowed by name. */
  readonly allowed: readonly Consent[];
};

export type ActionJudgement = {
  /** Errors where it must not be done. */
  readonly diagnostics: readonly Diagnostic[];
  /** What has to be agreed to by name. */
  readonly consents: readonly Consent[];
};

export function judgeAction(
  action: JudgedAction,
  policies: readonly DesiredPolicy[],
  { types, nowMs, allowed }: ActionJudging,
): ActionJudgement {
  const subjects = actionSubjects(action, types);
  const findings = policies.flatMap((policy): readonly PolicyFinding[] => {
    const { name, level, message, zone, over } = policy;
    if (over === "changes" || over === "data") return [];
    if (action.ends && zone !== undefined) return [];
    const result = policy.judge(subjects[over], nowMs);
    const verdict = verdictOf(policy, result);
    if (verdict === undefined) return [];
    const { address } = action.record;
    const isAllowed = level === "needs_consent" && allowed.includes(policyConsent(name));
    return [
      {
        ...{ policy: name, level, message, address, what: action.verb },
        verdict: verdict === "outside" ? "violated" : verdict,
        ...(result.status === "faulty" ? { why: result.why } : {}),
        ...(isAllowed && verdict !== "faulty" ? { allowed: true } : {}),
      },
    ];
  });
  const isAskable = ({ level, verdict }: PolicyFinding) =>
    level === "needs_consent" && verdict !== "faulty";
  const sources = new Map(policies.map(({ name, source }) => [name, source]));
  const told = tellFindings(findings, sources);
  const consents = findings.filter(isAskable).map(({ policy }) => policyConsent(policy));
  return { diagnostics: told.map(forAction), consents: [...new Set(consents)] };
}

/** There is no plan that something could be left out of. */
function forAction(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.code !== "PLN060") return diagnostic;
  return { ...diagnostic, fix: "Nothing was sent. Where it is to be done, change the policy." };
}
