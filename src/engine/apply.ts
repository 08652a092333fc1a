/**
 * Applies a plan: journals the run, dispatches operations, records what is left to record.
 * `dispatch/dispatcher.ts` says what may start; `run/execute.ts` takes one operation from *begin*
 * to *end*, and `run/late-references.ts` knows values by then. In `send`, `beforehand.ts` looks
 * before, `send.ts` sends, `task.ts` follows the remote task, `settling.ts` and `unmet.ts` say what
 * was not seen.
 */

import type { Operation } from "../model/operation/operation.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { DesiredPolicy } from "../model/plan/policy.ts";
import { endpointIn } from "../model/recorded/endpoint.ts";
import type { RunEntry } from "../model/recorded/journal.ts";
import type { Address } from "../model/value/address.ts";
import { createDispatcher, type Dispatcher } from "./dispatch/dispatcher.ts";
import type { Gate } from "./dispatch/gate.ts";
import type { Ledger } from "./ledger.ts";
import type { EnginePorts, Interrupts } from "./ports.ts";
import { tellLateChecks } from "./run/checks.ts";
import { unmetData } from "./run/conditions.ts";
import { execute } from "./run/execute.ts";
import type { Executed, Execution, OperationResult } from "./run/execution.ts";
import { createLatePolicies } from "./run/late-policies.ts";
import { createLateReferences, type LateReferences } from "./run/late-references.ts";
import { createMovedAlong } from "./run/moved-along.ts";
import { computeOutputs } from "./run/outputs.ts";
import { keepSlots, type SlotLimits, slotLimits } from "./run/slot-keeping.ts";
import { createTwins } from "./run/twins.ts";
import {
  type AppliedPolicies,
  createWindowWait,
  gateOf,
  type PendingOperation,
  pendingOf,
} from "./run/windows.ts";
import { cancelTasks } from "./send/cancel.ts";
import type { Sessions } from "./sessions.ts";

export type ApplyOptions = {
  readonly parallelism: number;
  readonly poolLimits: { readonly [pool: string]: number };
  readonly interrupts?: Interrupts;
  /** What is judged once more, right before it begins. */
  readonly policies?: AppliedPolicies;
};

export type Applied = {
  readonly results: readonly OperationResult[];
  /** Addresses with an operation that failed and was not made up for by its fallback. */
  readonly failed: readonly Address[];
  /** Addresses with an operation that was not begun, and none that failed. */
  readonly skipped: readonly Address[];
  /** True when every operation succeeded or was not needed, and every output was computed. */
  readonly succeeded: boolean;
  readonly interrupted: boolean;
  /** Operations that policies keep for another time; what comes after them is skipped as well. */
  readonly pending: readonly PendingOperation[];
  /** Addresses whose late values turned out as applied, so that nothing was replaced. */
  readonly kept: ReadonlySet<string>;
};

export async function apply(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  plan: Plan,
  options: ApplyOptions,
): Promise<Applied> {
  await ledger.append([runEntry(ports, plan), ...plan.notes, ...plan.observed]);
  const references = createLateReferences(ports, sessions, ledger, plan);
  const dispatched = await dispatch(ports, sessions, ledger, plan, references, options);
  const { failed, skipped } = undone(ports, dispatched.results);
  const left = new Set([...failed, ...skipped]);
  const branches = new Map(
    plan.operations.flatMap(({ subject: { address }, order: { branch } }) =>
      branch ? [[address, branch.of]] : [],
    ),
  );
  const kept = plan.keptNotes.filter(
    ({ note }) => "address" in note && dispatched.kept.has(branches.get(note.address) ?? ""),
  );
  const notes = [...plan.closingNotes, ...kept].filter(
    ({ note }) => !("address" in note) || !left.has(note.address),
  );
  // Once more at the end: an interface may show late what was changed through another one.
  const done = dispatched.results.filter(({ status }) => status === "success");
  await ledger.append(await dispatched.along.read(done.map(({ operation }) => operation)));
  // Outputs are recorded when everything they may depend on is done.
  const outputs =
    left.size === 0 ? await computeOutputs(ports, ledger, references, plan) : undefined;
  await ledger.append([...notes, ...(outputs?.notes ?? [])]);
  await ledger.end();
  const checks = left.size === 0 ? await tellLateChecks(ports, references, plan) : [];
  const unread = left.size === 0 ? await unmetData(references, plan) : [];
  for (const diagnostic of [...(outputs?.diagnostics ?? []), ...unread, ...checks]) {
    ports.events({ kind: "diagnostic", diagnostic });
  }
  const succeeded = outputs?.diagnostics.length === 0 && unread.length === 0;
  const { results, interrupted, pending } = dispatched;
  const ends = { failed: [...failed], skipped: [...skipped], kept: dispatched.kept };
  return { results, interrupted, pending, ...ends, succeeded };
}

/**
 * A failed word whose fallback did the job left nothing undone, nor did a wait for tools that never
 * came: what needed them has failed or was skipped itself.
 */
function undone(
  ports: EnginePorts,
  results: readonly OperationResult[],
): {
  readonly failed: ReadonlySet<Address>;
  readonly skipped: ReadonlySet<Address>;
} {
  const madeUp = new Set(
    results.flatMap(({ operation, status }) =>
      status === "success" && operation.order.fallbackFor !== undefined
        ? [operation.order.fallbackFor]
        : [],
    ),
  );
  const failed = new Set<Address>();
  const skipped = new Set<Address>();
  for (const { operation, status } of results) {
    const toolsWait =
      ports.types[operation.subject.type]?.power?.toolsWait?.verb === operation.verb;
    if (status === "failed" && !madeUp.has(operation.id) && !toolsWait) {
      failed.add(operation.subject.address);
    }
    if (status === "skipped") skipped.add(operation.subject.address);
  }
  for (const address of failed) skipped.delete(address);
  return { failed, skipped };
}

function runEntry(ports: EnginePorts, plan: Plan): RunEntry {
  return {
    kind: "run",
    command: plan.mode,
    planId: plan.id,
    atMs: ports.clock.now(),
    simulated: plan.simulated,
    providers: plan.providers,
  };
}

async function dispatch(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  plan: Plan,
  references: LateReferences,
  options: ApplyOptions,
): Promise<Dispatched> {
  const { dispatcher, gate, atOnce } = dispatcherOf(ports, ledger, plan, options);
  const slots = atOnce.size === 0 ? undefined : await ports.store.endpointSlots?.();
  const [messages, left] = [new Map<string, string>(), new Set<string>()];
  let wake = (): void => {};
  const freeSlot = (id: string): void => {
    dispatcher.freeSlot(id);
    wake();
  };
  let interrupted = false;
  const execution = executionOf(
    { ports, sessions, ledger, references, plan, policies: options.policies?.policies ?? [] },
    freeSlot,
    () => interrupted,
  );
  const keeping = keepSlots(plan, { ports, dispatcher, atOnce, slots, wake: () => wake() });
  const unneeded = new Set<string>();
  const runOne = async (operation: Operation): Promise<void> => {
    if (isOfOtherBranch(execution.kept, operation)) {
      unneeded.add(operation.id);
      // Not while the dispatcher hands out operations, and not one inside the other.
      await Promise.resolve();
      dispatcher.settle(operation.id, "success");
      return wake();
    }
    const ended = await run(ports, operation, () => execute(execution, operation));
    if (ended.message !== undefined) messages.set(operation.id, ended.message);
    if (ended.outcome === "open") left.add(operation.id);
    dispatcher.settle(operation.id, ended.outcome);
    wake();
  };
  ports.events({ kind: "apply-started", overview: () => dispatcher.overview() });
  const dispatched = new Promise<void>((resolve, reject) => {
    keeping.failed.catch(reject);
    const pump = (): void => {
      dispatcher.recheck();
      for (const operation of dispatcher.start()) {
        runOne(operation).catch(reject);
      }
      keeping.keepUp();
      if (dispatcher.isDone()) resolve();
      else waitForWindows();
    };
    wake = pump;
    const waitForWindows = createWindowWait(ports, dispatcher, gate, pump);
    options.interrupts?.onDrain(() => {
      interrupted = true;
      dispatcher.drain();
      const running = dispatcher.running().length;
      ports.events({ kind: "draining", running, tasks: execution.tasks.size });
      pump();
    });
    options.interrupts?.onCancel?.(() => {
      cancelTasks(ports, execution.tasks, plan.operations).catch(reject);
    });
    pump();
  });
  await keeping.until(dispatched).finally(() => ports.events({ kind: "apply-ended" }));
  const results = resultsOf(plan, dispatcher, messages, { left, unneeded }).map(notStuck);
  const pending = pendingOf(plan.operations, gate, dispatcher);
  return { results, interrupted, pending, kept: execution.kept, along: execution.along };
}

function dispatcherOf(
  ports: EnginePorts,
  ledger: Ledger,
  plan: Plan,
  { parallelism, poolLimits, policies }: ApplyOptions,
): Pick<SlotLimits, "atOnce"> & {
  readonly dispatcher: Dispatcher;
  readonly gate: Gate | undefined;
} {
  const gate = gateOf(ports, plan, ledger.state().restores, policies);
  const { rules } = ports;
  const { endpoints: limited, atOnce } = slotLimits(plan);
  const ordering = { parallelism, poolLimits, rules, joins: plan.joins, gate, limited };
  return { dispatcher: createDispatcher(plan.operations, ordering), gate, atOnce };
}

type Dispatched = Pick<Applied, "results" | "interrupted" | "pending" | "kept"> &
  Pick<Execution, "along">;

/**
 * What waits for itself by way of windows and locks can never start. No plan that is made here
 * holds that, but a saved one may that was edited; what was done by then must be told all the same.
 */
function notStuck(result: OperationResult): OperationResult {
  if (result.status !== "waiting") return result;
  const message = "could never start: what it waits for waits for it; make a new plan";
  return { ...result, status: "failed", message };
}

type Parts = Pick<Execution, "ports" | "sessions" | "ledger" | "references"> & {
  readonly plan: Plan;
  readonly policies: readonly DesiredPolicy[];
};

function executionOf(
  { plan, policies, ...parts }: Parts,
  freeSlot: Execution["freeSlot"],
  isDraining: Execution["isDraining"],
): Execution {
  const { sessions } = parts;
  const settings = new Map(plan.providers.map((item) => [item.name, item.settings]));
  const sessionOf = (name: string) => sessions.get(name, settings.get(name) ?? null);
  return {
    ...parts,
    planId: plan.id,
    settings,
    endpoints: new Map(plan.endpoints.map((named) => [named.provider, endpointIn(named)])),
    freeSlot,
    isDraining,
    tasks: new Map(),
    operations: new Map(plan.operations.map((operation) => [operation.id, operation])),
    kept: new Set(),
    along: createMovedAlong({ ...parts, sessionOf }),
    twins: createTwins(),
    latePolicies: createLatePolicies({ ...parts, plan, policies }),
  };
}

/** What is not needed has nothing to wait for: whatever comes after it may go on. */
function isOfOtherBranch(kept: ReadonlySet<Address>, { order: { branch } }: Operation): boolean {
  return branch !== undefined && kept.has(branch.of) !== (branch.when === "kept");
}

async function run(
  ports: EnginePorts,
  operation: Operation,
  work: () => Promise<Executed>,
): Promise<Executed> {
  const { id, summary } = operation;
  const { address } = operation.subject;
  const startedMs = ports.clock.now();
  const untilMs = startedMs + operation.proof.limitMs;
  ports.events({ kind: "operation-started", address, id, summary, untilMs });
  const ended = await work().catch(asFailure);
  const elapsedMs = ports.clock.now() - startedMs;
  const message = ended.message === undefined ? {} : { message: ended.message };
  ports.events({
    kind: "operation-ended",
    address,
    id,
    outcome: ended.outcome === "success" ? "success" : "failed",
    elapsedMs,
    ...message,
  });
  return ended;
}

/** An endpoint that cannot be reached fails the operation; what was begun stays open. */
function asFailure(error: unknown): Executed {
  if (error instanceof RemoteError) return { outcome: "failed", message: error.message };
  throw error;
}

function resultsOf(
  plan: Plan,
  dispatcher: Dispatcher,
  messages: ReadonlyMap<string, string>,
  {
    left,
    unneeded,
  }: { readonly left: ReadonlySet<string>; readonly unneeded: ReadonlySet<string> },
): readonly OperationResult[] {
  return plan.operations.map((operation) => {
    const message = messages.get(operation.id);
    return {
      operation,
      status: unneeded.has(operation.id) ? "unused" : dispatcher.status(operation.id),
      ...(message === undefined ? {} : { message }),
      ...(left.has(operation.id) ? { open: true } : {}),
    };
  });
}
