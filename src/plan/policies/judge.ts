/**
 * Policies: "does what must hold, hold of everything that this plan does?". Judged of the finished
 * plan, so that nothing which selects or saves a plan changes what is judged; a plan that was
 * judged before is judged anew. `subjects.ts` says what expressions see, `groups.ts` what begins
 * together, `openings.ts` when it may begin, `told.ts` how it is told.
 */

import { type Consent, policyConsent } from "../../model/operation/disruption.ts";
import type { OperationId } from "../../model/operation/operation.ts";
import type { ConsentNeed, Plan } from "../../model/plan/plan.ts";
import type {
  DesiredPolicy,
  PolicyFinding,
  PolicyResult,
  PolicyVerdict,
} from "../../model/plan/policy.ts";
import type { OpenRestore } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { endingOperations, isRestoring, takenVms } from "./groups.ts";
import { createOpenings } from "./openings.ts";
import { type PlanSubject, subjectsOf } from "./subjects.ts";
import { isToldHere, tellFindings } from "./told.ts";

export type Judging = {
  readonly policies: readonly DesiredPolicy[];
  readonly types: SchemaRegistry;
  readonly nowMs: number;
  /** Power that earlier runs have left owing. */
  readonly restores: readonly OpenRestore[];
  /** What is outside of its window waits or is left: nobody needs to agree to anything. */
  readonly keepsWindows?: boolean;
};

/** The plan with what its policies say of it: errors, warnings, and consent that it needs. */
export function judgePlan(plan: Plan, judging: Judging): Plan {
  const { policies, nowMs } = judging;
  const { policies: _before, ...bare } = plan;
  const base: Plan = {
    ...bare,
    diagnostics: plan.diagnostics.filter((diagnostic) => !isToldHere(diagnostic)),
    consent: plan.consent.filter(({ disruption }) => !disruption.startsWith("policy:")),
  };
  if (policies.length === 0) return base;
  const exempt = restoring(base, takenVms(base, judging.restores, judging.types));
  const findings = findingsOf(base, judging, exempt);
  const isOwed = (finding: PolicyFinding): boolean => isExempt(finding, exempt);
  const sources = new Map(policies.map(({ name, source }) => [name, source]));
  return {
    ...base,
    diagnostics: [...base.diagnostics, ...tellFindings(findings, sources, isOwed)],
    consent: [...base.consent, ...consentFor(findings, base, judging)],
    policies: { judgedMs: nowMs, names: policies.map(({ name }) => name), findings },
  };
}

function findingsOf(plan: Plan, judging: Judging, exempt: Exempt): readonly PolicyFinding[] {
  const { policies, types, nowMs, restores } = judging;
  const owed = takenVms(plan, restores, types);
  const subjects = subjectsOf(plan, types);
  const ending = endingOperations(plan, owed);
  const ended = new Set(
    plan.operations.filter(({ id }) => ending.has(id)).map(({ subject }) => subject.address),
  );
  const isEnding = ({ operation, address }: PlanSubject): boolean =>
    operation === undefined ? address !== undefined && ended.has(address) : ending.has(operation);
  const allowed = new Set<Consent>(plan.allowed);
  const openings = createOpenings(nowMs);
  const opensAt = (policy: DesiredPolicy, { subject }: PlanSubject): number | undefined =>
    openings(policy, (ms) => isHeld(policy.judge(subject, ms)));
  return policies.flatMap((policy) =>
    subjects[policy.over].flatMap((one): readonly PolicyFinding[] => {
      const result = policy.judge(one.subject, nowMs);
      const verdict = verdictOf(policy, result);
      if (verdict === undefined || (verdict === "outside" && isEnding(one))) return [];
      const { name, level, message, zone } = policy;
      if (isExempt(one, exempt) && !(verdict === "violated" && level === "deny")) return [];
      const { address, operation, what } = one;
      const opensMs = verdict === "outside" ? opensAt(policy, one) : undefined;
      return [
        {
          ...{ policy: name, level, message, verdict },
          ...(address === undefined ? {} : { address }),
          ...(operation === undefined ? {} : { operation }),
          ...(what === undefined ? {} : { what }),
          ...(result.status === "faulty" ? { why: result.why } : {}),
          ...(opensMs === undefined ? {} : { opensMs }),
          ...(zone === undefined ? {} : { zone }),
          ...(allowed.has(policyConsent(name)) && verdict !== "faulty" && level === "needs_consent"
            ? { allowed: true }
            : {}),
        },
      ];
    }),
  );
}

/** Undefined when there is nothing to tell. */
export function verdictOf(
  { zone, level, over }: DesiredPolicy,
  { status }: PolicyResult,
): PolicyVerdict | undefined {
  if (status === "held" || status === "irrelevant") return undefined;
  if (status !== "violated") return status;
  const begins = over === "changes" || over === "operations";
  return zone !== undefined && begins && level !== "warn" ? "outside" : "violated";
}

function isHeld({ status }: PolicyResult): boolean {
  return status === "held" || status === "irrelevant";
}

type Exempt = {
  readonly operations: ReadonlySet<OperationId>;
  readonly addresses: ReadonlySet<Address>;
};

/**
 * What gives a VM back the power that was taken from it needs no consent and has no time. Only a
 * policy that denies exactly this keeps it back.
 */
function restoring({ operations, changes }: Plan, owed: ReadonlySet<Address>): Exempt {
  const exempt = operations.filter((operation) => isRestoring(operation, owed));
  const addresses = changes.flatMap(({ address, reason }) =>
    owed.has(address) && reason.kind === "restore" ? [address] : [],
  );
  return {
    operations: new Set(exempt.map(({ id }) => id)),
    addresses: new Set(addresses),
  };
}

function isExempt(
  { address, operation }: Pick<PlanSubject, "address" | "operation">,
  exempt: Exempt,
): boolean {
  if (operation !== undefined) return exempt.operations.has(operation);
  return address !== undefined && exempt.addresses.has(address);
}

/** Each policy once for each address. Of a plan as a whole, for all that it changes. */
function consentFor(
  findings: readonly PolicyFinding[],
  plan: Plan,
  { keepsWindows }: Judging,
): readonly ConsentNeed[] {
  const needs = new Map<string, ConsentNeed>();
  for (const { level, verdict, policy, address } of findings) {
    if (level !== "needs_consent" || verdict === "faulty") continue;
    if (verdict === "outside" && keepsWindows === true) continue;
    const changed = plan.changes.filter(({ action }) => action !== "no-op");
    const addresses = address === undefined ? changed.map((change) => change.address) : [address];
    for (const each of addresses) {
      needs.set(`${policy} ${each}`, { address: each, disruption: policyConsent(policy) });
    }
  }
  return [...needs.values()];
}
