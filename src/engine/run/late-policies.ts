/**
 * Policies that needed values known only while applying: judged before the first request of what
 * begins together (`plan/policies/groups.ts`), and never after it, so that nothing is left half
 * done. What cannot be told even then is refused.
 */

import type { Operation, OperationId } from "../../model/operation/operation.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { DesiredPolicy, PolicyFinding } from "../../model/plan/policy.ts";
import type { Address } from "../../model/value/address.ts";
import type { PlannedAttributes } from "../../model/value/value.ts";
import { operationGroups } from "../../plan/policies/groups.ts";
import { subjectsOf } from "../../plan/policies/subjects.ts";
import { warning } from "../codes.ts";
import type { EnginePorts } from "../ports.ts";
import { type LateContext, prepare } from "./late-values.ts";

/** Why the operation may not be sent; undefined when it may. Throws `RemoteError` for data. */
export type LatePolicies = (operation: Operation) => Promise<string | undefined>;

type Judging = LateContext & {
  readonly ports: Pick<EnginePorts, "evaluate" | "types" | "clock" | "events">;
  readonly plan: Plan;
  readonly policies: readonly DesiredPolicy[];
};

export function createLatePolicies(judging: Judging): LatePolicies {
  const { plan, policies } = judging;
  const late = (plan.policies?.findings ?? []).filter(
    ({ verdict, level }) => verdict === "unknown" && level !== "needs_consent",
  );
  if (late.length === 0 || policies.length === 0) return () => Promise.resolve(undefined);
  const groupOf = operationGroups(plan);
  const concerned = findingsByGroup(plan, late, groupOf);
  const judged = new Map<number, Promise<string | undefined>>();
  return ({ id, request }) => {
    // What ends a disturbance is never refused.
    const group = request.closing === true ? undefined : groupOf.get(id);
    const findings = group === undefined ? undefined : concerned.get(group);
    if (group === undefined || findings === undefined) return Promise.resolve(undefined);
    const known = judged.get(group) ?? judge(judging, findings);
    judged.set(group, known);
    return known;
  };
}

function findingsByGroup(
  { operations }: Plan,
  findings: readonly PolicyFinding[],
  groupOf: ReadonlyMap<OperationId, number>,
): ReadonlyMap<number, readonly PolicyFinding[]> {
  const byGroup = new Map<number, PolicyFinding[]>();
  const groupsOf = new Map<Address, Set<number>>();
  for (const { id, subject } of operations) {
    const groups = groupsOf.get(subject.address) ?? new Set<number>();
    groupsOf.set(subject.address, groups.add(groupOf.get(id) ?? -1));
  }
  for (const finding of findings) {
    const { operation, address } = finding;
    const own = address === undefined ? [] : (groupsOf.get(address) ?? []);
    const groups = operation === undefined ? own : [groupOf.get(operation) ?? -1];
    for (const group of groups) byGroup.set(group, [...(byGroup.get(group) ?? []), finding]);
  }
  return byGroup;
}

/** The first refusal. */
async function judge(
  judging: Judging,
  findings: readonly PolicyFinding[],
): Promise<string | undefined> {
  const { ports, plan, policies } = judging;
  const addresses = new Set(findings.flatMap(({ address }) => address ?? []));
  const { operations, attributes } = await knownBy(judging, addresses);
  const subjects = subjectsOf({ ...plan, operations }, ports.types, (one) => attributes.get(one));
  for (const { policy: name, operation, address, level, message } of findings) {
    const policy = policies.find((one) => one.name === name);
    const found =
      policy &&
      subjects[policy.over].find((one) => one.address === address && one.operation === operation);
    if (policy === undefined || found === undefined) continue;
    const result = policy.judge(found.subject, ports.clock.now());
    if (result.status === "held" || result.status === "irrelevant") continue;
    const why =
      result.status === "violated"
        ? `the policy ${name} ${level === "deny" ? "denies this" : "warns"}: ${message}`
        : `the policy ${name} cannot be told before it is sent: ${
            result.status === "faulty" ? result.why : `a value is still unknown. ${message}`
          }`;
    if (level === "deny") return why;
    const at = address === undefined ? {} : { address };
    ports.events({
      kind: "diagnostic",
      diagnostic: warning(at, "RUN031", { detail: `T${why.slice(1)}.` }),
    });
  }
  return undefined;
}

/** The operations with inputs that are known by now, and attributes that they will record. */
async function knownBy(
  judging: Judging,
  addresses: ReadonlySet<Address>,
): Promise<{
  readonly operations: readonly Operation[];
  readonly attributes: ReadonlyMap<Address, PlannedAttributes>;
}> {
  const { plan } = judging;
  const attributes = new Map<Address, PlannedAttributes>();
  const operations: Operation[] = [];
  for (const operation of plan.operations) {
    const { address } = operation.subject;
    const isLate = Object.keys(operation.request.deferred).length > 0;
    if (!addresses.has(address) || !isLate) {
      operations.push(operation);
      continue;
    }
    const prepared = await prepare(judging, operation);
    if ("message" in prepared) {
      operations.push(operation);
      continue;
    }
    const { inputs } = prepared.operation.request;
    operations.push({ ...operation, request: { ...operation.request, inputs } });
    const { applied } = prepared.operation.record;
    attributes.set(address, { ...attributes.get(address), ...applied });
  }
  return { operations, attributes };
}
