/** A world that outlives processes: clock, daemon and disk. Runs one apply after another in it. */

import { type Applied, apply } from "../../src/engine/apply.ts";
import { createDryLedger, createLedger, type Ledger } from "../../src/engine/ledger.ts";
import type { EnginePorts } from "../../src/engine/ports.ts";
import { prepare } from "../../src/engine/prepare.ts";
import { createSessions } from "../../src/engine/sessions.ts";
import { disruptions } from "../../src/model/operation.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { ProviderSession } from "../../src/model/provider.ts";
import type { RecordedState } from "../../src/model/recorded.ts";
import { RemoteError } from "../../src/model/remote-error.ts";
import { allRules, type Rules } from "../../src/model/rules.ts";
import { foldAll } from "../../src/state/fold.ts";
import { initialState } from "../../src/state/initial.ts";
import { verifyState } from "../../src/state/integrity.ts";
import { type Configuration, toDesired } from "./configuration.ts";
import { copyVms, createFakeDaemon, type FakeDaemon, type FakeVm } from "./fake-daemon.ts";
import { fakeTypes } from "./fake-types.ts";
import { cloneDisk, createDisk, createMemoryStore, type Disk } from "./memory-store.ts";
import { createProcess, type KillAt, type Process } from "./process.ts";
import type { Random } from "./random.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

export type World = {
  readonly clock: VirtualClock;
  readonly daemon: FakeDaemon;
  readonly disk: Disk;
  readonly random: Random;
  readonly rules: Rules;
  plans: number;
};

export type Saved = {
  readonly vms: Map<string, FakeVm>;
  readonly disk: Disk;
  readonly nowMs: number;
  readonly plans: number;
};

export function createWorld(random: Random, rules: Rules = allRules): World {
  const clock = createVirtualClock();
  const daemon = createFakeDaemon(clock, random);
  return { clock, daemon, disk: createDisk(), random, rules, plans: 0 };
}

export function saveWorld(world: World): Saved {
  const { daemon, disk, clock, plans } = world;
  return { vms: copyVms(daemon.vms), disk: cloneDisk(disk), nowMs: clock.now(), plans };
}

export function restoreWorld(saved: Saved, random: Random, rules: Rules): World {
  const clock = createVirtualClock(saved.nowMs);
  const daemon = createFakeDaemon(clock, random);
  for (const [id, vm] of copyVms(saved.vms)) daemon.vms.set(id, vm);
  return { clock, daemon, disk: cloneDisk(saved.disk), random, rules, plans: saved.plans };
}

/** `VMFORM_TRACE=1` prints what happens in the world, for looking at one scenario by hand. */
const traces = process.env.VMFORM_TRACE !== undefined;
function say(world: World, line: string): void {
  if (traces) console.log(`${world.clock.now()} ${line}`);
}

export type Run =
  | { readonly end: "killed"; readonly at: string; readonly points: number }
  | { readonly end: "refused"; readonly plan: Plan; readonly points: number }
  | {
      readonly end: "finished";
      readonly plan: Plan;
      readonly applied: Applied;
      readonly points: number;
    };

export async function runApply(
  world: World,
  configuration: Configuration,
  killAt: KillAt = Number.POSITIVE_INFINITY,
): Promise<Run> {
  const process = createProcess(killAt);
  say(world, `--- run, kill at ${String(killAt)}`);
  const finished = applyOnce(world, process, configuration);
  finished.catch(() => {});
  const killed = process.killed.then(
    (at): Run => ({ end: "killed", at, points: process.points() }),
  );
  return world.clock.until(Promise.race([finished, killed]));
}

async function applyOnce(
  world: World,
  process: Process,
  configuration: Configuration,
): Promise<Run> {
  const ports = portsOf(world, process);
  const state = await recordedState(ports, world);
  const ledger = createLedger(ports.store, { lockId: "memory" }, state, world.rules);
  const sessions = createSessions(ports, "mutate");
  const plan = await planWith(ports, sessions, ledger, configuration);
  for (const change of plan.changes) {
    say(world, `  ${change.action} ${change.address} ${JSON.stringify(change.reason)}`);
  }
  for (const operation of plan.operations) {
    const after = operation.after.map((edge) => `${edge.id}:${edge.on}`).join(" ");
    say(world, `  ${operation.id} [${operation.window} ${operation.role}] after ${after}`);
  }
  const errors = plan.diagnostics.filter((item) => item.severity === "error");
  if (errors.length > 0) return { end: "refused", plan, points: process.points() };
  const options = { parallelism: 4, poolLimits: {} };
  const applied = await apply(ports, sessions, ledger, plan, options);
  return { end: "finished", plan, applied, points: process.points() };
}

/** A plan in memory only, as `vmform plan` makes it. */
export async function planOnly(world: World, configuration: Configuration): Promise<Plan> {
  const ports = portsOf(world, createProcess(Number.POSITIVE_INFINITY));
  const work = async (): Promise<Plan> => {
    const ledger = createDryLedger(await recordedState(ports, world), world.rules);
    return planWith(ports, createSessions(ports, "read"), ledger, configuration);
  };
  return world.clock.until(work());
}

async function planWith(
  ports: EnginePorts,
  sessions: ReturnType<typeof createSessions>,
  ledger: Ledger,
  configuration: Configuration,
): Promise<Plan> {
  const options = { mode: "apply", allowed: disruptions, simulated: false } as const;
  return prepare(ports, sessions, ledger, toDesired(configuration), options);
}

async function recordedState(ports: EnginePorts, world: World): Promise<RecordedState> {
  const stored = await ports.store.read();
  if (stored.snapshot === undefined) {
    const state = initialState("lineage", "journal", false);
    await ports.store.compact(state, { lockId: "memory" });
    return state;
  }
  const state = foldAll(stored.snapshot, stored.journal, world.rules);
  const problems = verifyState(state);
  if (problems.length > 0) throw new Error(problems.map((item) => item.message).join("; "));
  return state;
}

export function recordedNow(world: World): RecordedState {
  const held = world.disk.snapshot?.journal.position ?? 0;
  const tail = world.disk.journal.filter((item) => item.position > held);
  const snapshot = world.disk.snapshot ?? initialState("lineage", "journal", false);
  return foldAll(
    snapshot,
    tail.map((item) => item.entry),
    world.rules,
  );
}

function portsOf(world: World, process: Process): EnginePorts {
  return {
    store: createMemoryStore(world.disk, process),
    clock: world.clock,
    types: fakeTypes,
    open: () => Promise.resolve(sessionOf(world, process)),
    events: (event) => say(world, JSON.stringify(event)),
    newId: () => {
      world.plans += 1;
      return `plan-${world.plans}`;
    },
    evaluate: () => {
      throw new Error("no deferred values here");
    },
    rules: world.rules,
    requestsSent: () => 0,
  };
}

function sessionOf(world: World, process: Process): ProviderSession {
  const { clock, daemon, random } = world;
  return {
    read: async (wanted) => {
      await process.point("read");
      await clock.sleep(2);
      return daemon.read(wanted);
    },
    send: async (operation, deadlineMs) => {
      await process.point(`request ${operation.id}`);
      // A request may linger in the socket, also after its sender has died.
      const travelMs = random.chance(0.15) ? 400 : 2;
      const reply = clock.sleep(travelMs).then(() => daemon.mutate(operation, deadlineMs));
      reply.then(
        () => say(world, `daemon did ${operation.id}`),
        (error: unknown) => say(world, `daemon on ${operation.id}: ${String(error)}`),
      );
      await process.point(`sent ${operation.id}`);
      const limit = clock.sleep(Math.max(0, deadlineMs - clock.now())).then(() => {
        throw new RemoteError({ kind: "timeout", effect: "unknown", message: "no reply in time" });
      });
      limit.catch(() => {});
      try {
        await Promise.race([reply, limit]);
      } finally {
        await process.point(`reply ${operation.id}`);
      }
      return {};
    },
    close: () => Promise.resolve(),
  };
}
