/** What a rehearsed run has shown, as data. */

import type { OperationResult } from "../../engine/run/execution.ts";
import type { Operation, OperationId } from "../../model/operation/operation.ts";
import { type Durations, durationKind } from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type {
  Pace,
  Rehearsal,
  RehearsedDatastore,
  RehearsedFailure,
  RehearsedOperation,
  RehearsedWindow,
} from "../../model/plan/rehearsal.ts";
import { errorsOf } from "../plan/plan.ts";
import type { Heard, SpaceHeard } from "./hear.ts";
import type { Twin, TwinSource } from "./twin.ts";

type Report = {
  readonly plan: Plan;
  readonly twin: Pick<Twin, "pace" | "assumed" | "apart">;
  readonly providers: TwinSource["providers"];
  readonly heard: Heard;
  readonly durations: Durations;
  readonly startMs: number;
};

/** Where an apply would do nothing at all: there is nothing to run. */
export function stoppedReport(plan: Plan, atMs: number): Rehearsal | undefined {
  const errors = errorsOf(plan).map(
    ({ address, code, detail }): RehearsedFailure => ({
      ...(address === undefined ? {} : { address }),
      ...{ code, reason: detail },
      holdsBack: plan.operations.map(({ id }) => id),
    }),
  );
  const left = plan.interrupted.map(
    (): RehearsedFailure => ({
      reason:
        "An interrupted run has left an operation open; apply would settle it first, and plan " +
        "again.",
      holdsBack: plan.operations.map(({ id }) => id),
    }),
  );
  const failures = [...errors, ...left.slice(0, 1)];
  if (failures.length === 0) return undefined;
  return {
    ...{ planId: plan.id, atMs, durationMs: 0, windows: [], datastores: [], failures },
    operations: plan.operations.map((one) => ({ ...named(one), outcome: "skipped" })),
    ...{ diagnostics: [], paces: [], unknown: [] },
  };
}

export function reportOf(report: Report): Rehearsal {
  const { plan, twin, providers, heard, startMs } = report;
  const { beganMs, endedMs } = heard;
  const operations = operationsOf(heard);
  return {
    planId: plan.id,
    atMs: startMs,
    durationMs: endedMs - beganMs,
    operations,
    windows: windowsOf(plan, operations),
    datastores: heard.spaces.map((space) => datastoreOf(space, beganMs)),
    failures: failuresOf(plan, heard),
    diagnostics: heard.diagnostics,
    paces: pacesOf(report),
    unknown: [
      ...providers.flatMap(({ name, survey }) =>
        survey.unknown.map((sentence) => `${name}: ${sentence}`),
      ),
      ...twin.assumed,
      ...twin.apart,
      ...always,
    ],
  };
}

/** Whatever is rehearsed. */
const always: readonly string[] = [
  "what others do at the same time, and what changes until the plan is applied",
  "how busy the servers are, and what they refuse for reasons that nothing they show tells of",
];

function named({ id, verb, summary, subject }: Operation) {
  return { id, address: subject.address, type: subject.type, verb, summary };
}

function operationsOf({ applied, times, beganMs }: Heard): readonly RehearsedOperation[] {
  const pending = new Set(applied.pending.map(({ operation }) => operation.id));
  const all = applied.results.map((result): RehearsedOperation => {
    const { operation, message } = result;
    const { startMs, endMs } = times.get(operation.id) ?? {};
    return {
      ...named(operation),
      outcome: pending.has(operation.id) ? "pending" : outcomeOf(result),
      ...(startMs === undefined ? {} : { startMs: startMs - beganMs }),
      ...(endMs === undefined ? {} : { endMs: endMs - beganMs }),
      ...(message === undefined ? {} : { message }),
    };
  });
  const last = Number.POSITIVE_INFINITY;
  return all.toSorted((a, b) => (a.startMs ?? last) - (b.startMs ?? last) || 0);
}

function outcomeOf({ status }: OperationResult): RehearsedOperation["outcome"] {
  switch (status) {
    case "success":
    case "failed":
    case "unused":
      return status;
    default:
      return "skipped";
  }
}

function windowsOf(
  { operations }: Plan,
  ran: readonly RehearsedOperation[],
): readonly RehearsedWindow[] {
  const times = new Map(ran.map((one) => [one.id, one]));
  const windows = new Map<string, RehearsedWindow>();
  for (const { id, order, subject } of operations) {
    const { startMs, endMs } = times.get(id) ?? {};
    const { window } = order;
    if (window === undefined || window.role === "member") continue;
    if (startMs === undefined || endMs === undefined) continue;
    const known = windows.get(window.id);
    windows.set(window.id, {
      address: known?.address ?? subject.address,
      startMs: Math.min(known?.startMs ?? startMs, startMs),
      endMs: Math.max(known?.endMs ?? endMs, endMs),
    });
  }
  return [...windows.values()].toSorted((a, b) => a.startMs - b.startMs);
}

function datastoreOf(space: SpaceHeard, beganMs: number): RehearsedDatastore {
  const { first, peakMb, peakAtMs, lastMb } = space;
  const { provider, name, capacityMb, usedMb } = first;
  return {
    ...{ provider, name, beforeMb: usedMb, peakMb, peakAtMs: peakAtMs - beganMs, afterMb: lastMb },
    ...(capacityMb === undefined ? {} : { capacityMb }),
  };
}

/** What was not made up for by its fallback, and what each keeps from starting. */
function failuresOf(plan: Plan, { applied }: Heard): readonly RehearsedFailure[] {
  const skipped = new Set(
    applied.results.filter(({ status }) => status === "skipped").map(({ operation: { id } }) => id),
  );
  const failedAddresses = new Set(applied.failed);
  const madeUp = new Set(
    applied.results.flatMap(({ operation, status }) =>
      status === "success" ? (operation.order.fallbackFor ?? []) : [],
    ),
  );
  const following = followersOf(plan);
  return applied.results.flatMap(({ operation, status, message }): readonly RehearsedFailure[] => {
    const { id, subject } = operation;
    const counts = failedAddresses.has(subject.address) && !madeUp.has(id);
    if (status !== "failed" || !counts) return [];
    const holdsBack = reachedFrom(id, following).filter((each) => skipped.has(each));
    const reason = message ?? "it failed";
    return [{ id, address: subject.address, reason, holdsBack }];
  });
}

/** By operation or join: what comes after it. */
function followersOf({ operations, joins }: Plan): ReadonlyMap<string, readonly string[]> {
  const followers = new Map<string, string[]>();
  const add = (id: string, follower: string): void => {
    const known = followers.get(id) ?? [];
    known.push(follower);
    followers.set(id, known);
  };
  for (const { id, order } of operations) for (const edge of order.after) add(edge.id, id);
  for (const { id, after } of joins) for (const edge of after) add(edge.id, id);
  return followers;
}

function reachedFrom(
  start: OperationId,
  followers: ReadonlyMap<string, readonly string[]>,
): readonly OperationId[] {
  const reached = new Set<string>();
  const waiting = [start];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (const follower of followers.get(id) ?? []) {
      if (reached.has(follower)) continue;
      reached.add(follower);
      waiting.push(follower);
    }
  }
  return [...reached];
}

/** Looking takes no time to speak of. */
function pacesOf({ plan, twin, durations }: Report): readonly Pace[] {
  const kinds = new Set(
    plan.operations.filter(({ effect }) => effect.kind !== "wait").map((one) => durationKind(one)),
  );
  return [...kinds].toSorted().map((kind) => {
    const ms = twin.pace(kind);
    const samples = ms === undefined ? 0 : (durations.get(kind)?.length ?? 0);
    return { kind, samples, ...(ms === undefined ? {} : { ms }) };
  });
}
