/**
 * The gate before operations that policies let begin at certain times only. What begins together
 * (`plan/policies/groups.ts`) passes together: it is judged before its first operation and never
 * after, so that nothing is left half done because a window closed meanwhile. What ends the work of
 * an interrupted run, and gives a VM back the power that it has taken, passes at any time.
 */

import type { Operation, OperationId } from "../../model/operation/operation.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { DesiredPolicy, PolicySubject } from "../../model/plan/policy.ts";
import type { Address } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import {
  endingOperations,
  type GroupNumber,
  isRestoring,
  operationGroups,
} from "../../plan/policies/groups.ts";
import { verdictOf } from "../../plan/policies/judge.ts";
import { createOpenings } from "../../plan/policies/openings.ts";
import { subjectsOf } from "../../plan/policies/subjects.ts";

/** Why an operation may not begin now. */
export type Closed = {
  readonly policies: readonly string[];
  /** When the last of them opens, where that can be told. */
  readonly opensMs?: number;
  readonly zone: string;
};

export type Gate = {
  /** `wait`: later in this run. `skip`: not in this run. Undefined: it may begin now. */
  hold(operation: Operation, hasEnded: (id: OperationId) => boolean): "wait" | "skip" | undefined;
  /** The operation has begun, and with it what begins together. */
  begin(operation: Operation): void;
  /** Why it was held, when it was asked for the last time; undefined when time was not why. */
  closed(id: OperationId): Closed | undefined;
};

export type GateOptions = {
  readonly plan: Plan;
  readonly policies: readonly DesiredPolicy[];
  /** Names of policies that somebody has consented not to hold. */
  readonly lifted: ReadonlySet<string>;
  readonly types: SchemaRegistry;
  readonly now: () => number;
  /** Whether what is outside of its window waits for it. */
  readonly waits: boolean;
  /** VMs that an earlier run has turned off and that are to come on again. */
  readonly owed: ReadonlySet<Address>;
};

type Rule = { readonly policy: DesiredPolicy; readonly subject: PolicySubject };

type Group = {
  readonly operations: Operation[];
  begun: boolean;
  /** Why it is left for a later run, all of it. */
  left: Closed | undefined;
};

const minuteMs = 60_000;

/** Undefined when no policy keeps anything of the plan for a time. */
export function createGate(options: GateOptions): Gate | undefined {
  const rules = rulesOf(options);
  if (rules.size === 0) return undefined;
  const { plan, now, owed, waits } = options;
  const { groups, groupOf } = groupsOf(plan, owed);
  const reasons = new Map<OperationId, Closed>();
  const outside = outsidePredecessors(plan, groups, groupOf);
  const times = createTimekeeping(rules, owed);

  const hold: Gate["hold"] = (operation, hasEnded) => {
    const { id } = operation;
    const number = groupOf.get(id);
    const group = number === undefined ? undefined : groups.get(number);
    if (number === undefined || group === undefined || group.begun) return undefined;
    const at = Math.floor(now() / minuteMs) * minuteMs;
    if (group.left !== undefined) {
      reasons.set(id, group.left);
      return "skip";
    }
    const ahead = group.operations.filter((one) => !hasEnded(one.id));
    const found = ahead.flatMap((one) => times.against(one, at));
    if (found.length > 0) {
      const closed = times.closedBy(found);
      reasons.set(id, closed);
      if (!waits) group.left = closed;
      return waits ? "wait" : "skip";
    }
    reasons.delete(id);
    const isRuled = ahead.some((one) => rules.has(one.id));
    return isRuled && !outside(number).every(hasEnded) ? "wait" : undefined;
  };
  const begin: Gate["begin"] = (operation) => {
    const group = groups.get(groupOf.get(operation.id) ?? -1);
    // What only looks has done nothing that could be left in the middle.
    if (group !== undefined && operation.request.preview !== undefined) group.begun = true;
  };
  return { hold, begin, closed: (id) => reasons.get(id) };
}

type Timekeeping = {
  /** Rules by which it is not the time of an operation. */
  against(operation: Operation, at: number): readonly Rule[];
  /** Of rules that were found just now. */
  closedBy(against: readonly Rule[]): Closed;
};

function createTimekeeping(
  rules: ReadonlyMap<OperationId, readonly Rule[]>,
  owed: ReadonlySet<Address>,
): Timekeeping {
  // Nothing changes within a minute, and what is held is asked about every second.
  let minute = { at: 0, openings: createOpenings(0), against: new Map<string, readonly Rule[]>() };
  const against: Timekeeping["against"] = (operation, at) => {
    if (isRestoring(operation, owed)) return [];
    if (minute.at !== at) minute = { at, openings: createOpenings(at), against: new Map() };
    const known = minute.against.get(operation.id);
    if (known !== undefined) return known;
    const found = (rules.get(operation.id) ?? []).filter((rule) => isOutside(rule, at));
    minute.against.set(operation.id, found);
    return found;
  };
  const closedBy: Timekeeping["closedBy"] = (found) => {
    const times = found.map((rule) => minute.openings(rule.policy, (ms) => !isOutside(rule, ms)));
    const known = times.filter((time) => time !== undefined);
    return {
      policies: [...new Set(found.map(({ policy }) => policy.name))],
      zone: found[0]?.policy.zone ?? "UTC",
      ...(known.length < times.length ? {} : { opensMs: Math.max(...known) }),
    };
  };
  return { against, closedBy };
}

/** What is unknown is judged when its values are known, whatever the time. */
function isOutside({ policy, subject }: Rule, at: number): boolean {
  const verdict = verdictOf(policy, policy.judge(subject, at));
  return verdict === "outside" || verdict === "faulty";
}

/** What the time decides of each operation: its own policies, and those of the change it is of. */
function rulesOf({
  plan,
  policies,
  lifted,
  types,
}: GateOptions): ReadonlyMap<OperationId, readonly Rule[]> {
  const rules = new Map<OperationId, Rule[]>();
  const timed = policies.filter(
    ({ zone, level, over, name }) =>
      zone !== undefined &&
      level !== "warn" &&
      (over === "changes" || over === "operations") &&
      !lifted.has(name),
  );
  if (timed.length === 0) return rules;
  const subjects = subjectsOf(plan, types);
  const ofAddress = new Map<Address, OperationId[]>();
  for (const { id, subject } of plan.operations) {
    ofAddress.set(subject.address, [...(ofAddress.get(subject.address) ?? []), id]);
  }
  for (const policy of timed) {
    for (const { subject, operation, address } of subjects[policy.over]) {
      const all = address === undefined ? undefined : ofAddress.get(address);
      for (const id of operation === undefined ? (all ?? []) : [operation])
        rules.set(id, [...(rules.get(id) ?? []), { policy, subject }]);
    }
  }
  return rules;
}

function groupsOf(
  plan: Plan,
  owed: ReadonlySet<Address>,
): {
  readonly groups: ReadonlyMap<GroupNumber, Group>;
  readonly groupOf: ReadonlyMap<OperationId, GroupNumber>;
} {
  const groupOf = operationGroups(plan);
  const ending = endingOperations(plan, owed);
  const groups = new Map<GroupNumber, Group>();
  for (const operation of plan.operations) {
    const number = groupOf.get(operation.id) ?? -1;
    const group = groups.get(number) ?? {
      ...{ operations: [], begun: false, left: undefined },
    };
    group.operations.push(operation);
    group.begun ||= ending.has(operation.id);
    groups.set(number, group);
  }
  return { groups, groupOf };
}

/** What a group waits for outside of itself: it begins when all of that has ended. */
function outsidePredecessors(
  { joins }: Plan,
  groups: ReadonlyMap<GroupNumber, Group>,
  groupOf: ReadonlyMap<OperationId, GroupNumber>,
): (group: GroupNumber) => readonly OperationId[] {
  const after = new Map(joins.map((join) => [join.id, join.after]));
  const known = new Map<GroupNumber, readonly OperationId[]>();
  return (group) => {
    const found = known.get(group);
    if (found !== undefined) return found;
    const own = groups.get(group)?.operations ?? [];
    const open = own.flatMap(({ order }) => order.after.map(({ id }) => id));
    const seen = new Set<OperationId>();
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      for (const edge of after.get(id) ?? []) open.push(edge.id);
    }
    const ids = [...seen].filter((id) => groupOf.has(id) && groupOf.get(id) !== group);
    known.set(group, ids);
    return ids;
  };
}
