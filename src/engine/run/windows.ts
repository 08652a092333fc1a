/** Waiting for the times that policies set, and what an apply leaves for them. */

import { zonedTimeText } from "../../lib/time/zoned-time.ts";
import type { Operation } from "../../model/operation/operation.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { DesiredPolicy } from "../../model/plan/policy.ts";
import type { OpenRestore } from "../../model/recorded/recorded.ts";
import { takenVms } from "../../plan/policies/groups.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { type Closed, createGate, type Gate } from "../dispatch/gate.ts";
import type { EnginePorts } from "../ports.ts";

/** What becomes of operations outside of the times that policies set. */
export type WindowChoice = "wait" | "skip";

export type AppliedPolicies = {
  readonly policies: readonly DesiredPolicy[];
  readonly window: WindowChoice;
  /** Names of policies that somebody has consented not to hold. */
  readonly lifted: ReadonlySet<string>;
};

/** An operation that was left, since it was not its time. */
export type PendingOperation = {
  readonly operation: Operation;
  readonly policies: readonly string[];
  readonly message: string;
  readonly opensMs?: number;
  readonly zone: string;
};

export function gateOf(
  { clock, types }: EnginePorts,
  plan: Plan,
  restores: readonly OpenRestore[],
  applied: AppliedPolicies | undefined,
): Gate | undefined {
  if (applied === undefined) return undefined;
  const { policies, lifted, window } = applied;
  const waits = window === "wait";
  const owed = takenVms(plan, restores, types);
  return createGate({ plan, policies, lifted, types, waits, owed, now: () => clock.now() });
}

/** Clocks are set, and computers sleep: a long wait is made of short ones. */
const pauseMs = 1_000;

/**
 * Looks again, from time to time, as long as something is held. Call it whenever that may be. The
 * lock of recorded state is kept: what was agreed to counts for what was recorded then, and nobody
 * is there to agree to anything else when the time has come.
 */
export function createWindowWait(
  { clock, events }: EnginePorts,
  dispatcher: Dispatcher,
  gate: Gate | undefined,
  again: () => void,
): () => void {
  const told = new Set<string>();
  let waiting = false;
  const untilNothingIsHeld = async (): Promise<void> => {
    while (dispatcher.held().length > 0) {
      for (const operation of dispatcher.held()) tell(operation);
      await clock.sleep(pauseMs);
      again();
    }
  };
  const tell = ({ id, subject: { address } }: Operation): void => {
    const closed = gate?.closed(id);
    if (closed === undefined || told.has(id)) return;
    told.add(id);
    events({ kind: "operation-waiting", address, id, message: closedText(closed) });
  };
  return () => {
    if (waiting || dispatcher.held().length === 0) return;
    waiting = true;
    const what = "waiting for the times that policies set, with recorded state locked";
    const wait = { rank: "phase", what } as const;
    void whileWaiting(events, wait, untilNothingIsHeld).finally(() => {
      waiting = false;
    });
  };
}

export function pendingOf(
  operations: readonly Operation[],
  gate: Gate | undefined,
  dispatcher: Dispatcher,
): readonly PendingOperation[] {
  return operations.flatMap((operation) => {
    const closed = gate?.closed(operation.id);
    if (closed === undefined || dispatcher.status(operation.id) !== "skipped") return [];
    return [{ operation, ...closed, message: closedText(closed) }];
  });
}

function closedText({ policies, opensMs, zone }: Closed): string {
  const named = policies.length === 1 ? "the policy" : "the policies";
  const opens =
    opensMs === undefined
      ? "no time within eight days is known at which it may begin"
      : `it may begin on ${zonedTimeText(opensMs, zone)}`;
  return `outside of the time of ${named} ${policies.join(", ")}; ${opens}`;
}
