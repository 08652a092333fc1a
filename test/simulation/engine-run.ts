/**
 * One run of the engine in a world that outlives it: what a process does between its start and its
 * end, or its death at a point. Worlds differ by what they talk to; this is the same for all.
 */

import { type Applied, apply } from "../../src/engine/apply.ts";
import { createDryLedger, createLedger, type Ledger } from "../../src/engine/ledger.ts";
import type { EnginePorts } from "../../src/engine/ports.ts";
import { prepare } from "../../src/engine/prepare.ts";
import type { WindowChoice } from "../../src/engine/run/windows.ts";
import { createSessions } from "../../src/engine/sessions.ts";
import { evaluateDeferred } from "../../src/expressions/evaluate/deferred.ts";
import { disruptions } from "../../src/model/operation/disruption.ts";
import type { Desired } from "../../src/model/plan/desired.ts";
import type { Plan } from "../../src/model/plan/plan.ts";
import type { DesiredPolicy } from "../../src/model/plan/policy.ts";
import type { Rules } from "../../src/model/plan/rules.ts";
import type { ProviderSession, TypeRegistry } from "../../src/model/provider/provider.ts";
import type { RecordedState } from "../../src/model/recorded/recorded.ts";
import { foldAll } from "../../src/state/fold.ts";
import { initialState } from "../../src/state/initial.ts";
import { verifyState } from "../../src/state/integrity.ts";
import { createMemoryStore, type Disk } from "./memory-store.ts";
import { createProcess, type KillAt, type Process } from "./process.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** What a run needs of its world. */
export type Host = {
  readonly clock: VirtualClock;
  readonly disk: Disk;
  readonly rules: Rules;
  readonly types: TypeRegistry;
  /** A session of a process with the endpoint. */
  readonly session: (process: Process) => ProviderSession;
  plans: number;
  /** Policies that are judged, and what becomes of operations outside of their times. */
  policies?: readonly DesiredPolicy[];
  window?: WindowChoice;
};

export type Run =
  | { readonly end: "killed"; readonly at: string; readonly points: number }
  | { readonly end: "refused"; readonly plan: Plan; readonly points: number }
  | {
      readonly end: "finished";
      readonly plan: Plan;
      readonly applied: Applied;
      readonly points: number;
    };

/** `VMFORM_TRACE=1` prints what happens in the world, for looking at one scenario by hand. */
const traces = process.env.VMFORM_TRACE !== undefined;

export function say(host: Pick<Host, "clock">, line: string): void {
  if (traces) console.log(`${host.clock.now()} ${line}`);
}

export async function runDesired(
  host: Host,
  desired: Desired,
  killAt: KillAt = Number.POSITIVE_INFINITY,
): Promise<Run> {
  const process = createProcess(killAt);
  say(host, `--- run, kill at ${String(killAt)}`);
  const finished = applyOnce(host, process, desired);
  finished.catch(() => {});
  const killed = process.killed.then(
    (at): Run => ({ end: "killed", at, points: process.points() }),
  );
  return host.clock.until(Promise.race([finished, killed]));
}

async function applyOnce(host: Host, process: Process, desired: Desired): Promise<Run> {
  const ports = portsOf(host, process);
  const state = await recordedState(ports, host);
  const ledger = createLedger(ports.store, { lockId: "memory" }, state, host.rules);
  const sessions = createSessions(ports, "mutate");
  const { policies = [], window = "skip" } = host;
  const plan = await planWith(ports, sessions, ledger, { ...desired, policies });
  tracePlan(host, plan);
  const errors = plan.diagnostics.filter((item) => item.severity === "error");
  if (errors.length > 0) return { end: "refused", plan, points: process.points() };
  const judged = { policies, window, lifted: new Set<string>() };
  const options = { parallelism: 4, poolLimits: {}, policies: judged };
  const applied = await apply(ports, sessions, ledger, plan, options);
  return { end: "finished", plan, applied, points: process.points() };
}

function tracePlan(host: Host, { changes, operations, diagnostics }: Plan): void {
  for (const { action, address, reason } of changes) {
    say(host, `  ${action} ${address} ${JSON.stringify(reason)}`);
  }
  for (const operation of operations) {
    const after = operation.order.after.map((edge) => `${edge.id}:${edge.on}`).join(" ");
    say(
      host,
      `  ${operation.id} [${operation.order.window?.id} ${operation.order.window?.role}] after ${after}`,
    );
  }
  for (const { code, address, detail } of diagnostics) say(host, `  ${code} ${address} ${detail}`);
}

/** A plan in memory only, as `vmform plan` makes it. */
export async function planDesired(host: Host, desired: Desired): Promise<Plan> {
  const ports = portsOf(host, createProcess(Number.POSITIVE_INFINITY));
  const work = async (): Promise<Plan> => {
    const ledger = createDryLedger(await recordedState(ports, host), host.rules);
    return planWith(ports, createSessions(ports, "read"), ledger, desired);
  };
  return host.clock.until(work());
}

async function planWith(
  ports: EnginePorts,
  sessions: ReturnType<typeof createSessions>,
  ledger: Ledger,
  desired: Desired,
): Promise<Plan> {
  const options = { mode: "apply", allowed: disruptions, simulated: false } as const;
  return prepare(ports, sessions, ledger, desired, options);
}

async function recordedState(ports: EnginePorts, host: Host): Promise<RecordedState> {
  const stored = await ports.store.read();
  if (stored.snapshot === undefined) {
    const state = initialState("lineage", "journal", false);
    await ports.store.compact(state, { lockId: "memory" });
    return state;
  }
  const state = foldAll(stored.snapshot, stored.journal, host.rules);
  const problems = verifyState(state);
  if (problems.length > 0) throw new Error(problems.map((item) => item.message).join("; "));
  return state;
}

export function recordedNow({ disk, rules }: Pick<Host, "disk" | "rules">): RecordedState {
  const held = disk.snapshot?.journal.position ?? 0;
  const tail = disk.journal.filter((item) => item.position > held);
  const snapshot = disk.snapshot ?? initialState("lineage", "journal", false);
  return foldAll(
    snapshot,
    tail.map((item) => item.entry),
    rules,
  );
}

function portsOf(host: Host, process: Process): EnginePorts {
  return {
    store: createMemoryStore(host.disk, process),
    clock: host.clock,
    types: host.types,
    open: () => Promise.resolve(host.session(process)),
    events: (event) => say(host, JSON.stringify(event)),
    newId: () => {
      host.plans += 1;
      return `plan-${host.plans}`;
    },
    evaluate: (deferred, lookup) => {
      const { value, problems } = evaluateDeferred(deferred, lookup);
      return { value, problems: problems.map(({ message }) => message) };
    },
    rules: host.rules,
    requestsSent: () => 0,
  };
}

/** What kept a run from its end, in words; undefined when all went well. */
export function failureOf(run: Run): string | undefined {
  if (run.end === "killed") return `killed at ${run.at}`;
  if (run.end === "refused") {
    return `refused: ${run.plan.diagnostics.map((item) => item.detail).join("; ")}`;
  }
  return run.applied.succeeded ? undefined : failures(run);
}

export function failures({ applied }: Extract<Run, { end: "finished" }>): string {
  const failed = applied.results.filter((item) => item.status === "failed");
  return failed.map((item) => `${item.operation.id}: ${item.message}`).join("; ");
}

export function driftText(plan: Plan): string {
  return plan.drift
    .map((item) => [item.address, ...item.attributes.map(({ attribute }) => attribute)].join(" "))
    .join(", ");
}

export function planText(plan: Plan): string {
  const changes = plan.changes.filter((change) => change.action !== "no-op");
  return [
    ...changes.map((change) => `${change.action} ${change.address} (${change.reason.kind})`),
    ...plan.operations.map((operation) => operation.id),
  ].join(", ");
}
