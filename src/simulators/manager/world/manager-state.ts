/**
 * What the simulated manager holds, and the work in progress. `settleManager` applies whatever has
 * ended, so a restarted simulator goes on where time would have brought it. Sessions, and with them
 * views, pages and collectors, are not part of the world: they end with the process.
 *
 * The door of `world`: `inventory.ts`, `task.ts`, `alarm.ts` and `event.ts` have the records,
 * `effects.ts` what tasks do at their ends; `session.ts` opens and ends sessions, which hold what
 * `session-record.ts` says; `world-document.ts` and `vm-document.ts` make a world of a file.
 */

import type { ManagerDurations, ManagerRules } from "../../kit/generated/documents.ts";
import { byId, refill } from "../../kit/records.ts";
import { noSessionsYet, type SessionCounts } from "../../kit/sessions.ts";
import { taskEnd } from "../../kit/task.ts";
import { faultOf } from "../soap/fault.ts";
import type { ManagerAlarm } from "./alarm.ts";
import { applyEffect } from "./effects.ts";
import type { ManagerEvent } from "./event.ts";
import {
  type ManagerDatastore,
  type ManagerFolder,
  type ManagerHost,
  type ManagerUser,
  type ManagerVm,
  withPower,
} from "./inventory.ts";
import type { ManagerSession } from "./session-record.ts";
import type { ManagerTask, TaskEnd } from "./task.ts";

/** The most wipes and shrinks that ran at the same time, by host and by datastore. */
export type ReclaimLoad = {
  readonly wipesPerHost: { readonly [hostId: string]: number };
  readonly shrinksPerDatastore: { readonly [datastoreId: string]: number };
};

/** The part of a world that belongs to the manager; plain data, persisted and shown. */
export type ManagerWorld = {
  readonly durations: ManagerDurations;
  readonly rules: ManagerRules;
  readonly users: readonly ManagerUser[];
  readonly folders: readonly ManagerFolder[];
  readonly hosts: readonly ManagerHost[];
  readonly datastores: readonly ManagerDatastore[];
  readonly vms: readonly ManagerVm[];
  readonly alarms: readonly ManagerAlarm[];
  readonly tasks: readonly ManagerTask[];
  readonly events: readonly ManagerEvent[];
  readonly load: ReclaimLoad;
  /** Number of the next task, alarm, snapshot, folder or event. */
  readonly nextNumber: number;
};

export type ManagerState = {
  readonly seed: number;
  durations: ManagerDurations;
  rules: ManagerRules;
  users: readonly ManagerUser[];
  folders: readonly ManagerFolder[];
  hosts: readonly ManagerHost[];
  readonly datastores: Map<string, ManagerDatastore>;
  readonly vms: Map<string, ManagerVm>;
  readonly alarms: Map<string, ManagerAlarm>;
  readonly tasks: Map<string, ManagerTask>;
  events: readonly ManagerEvent[];
  load: ReclaimLoad;
  nextNumber: number;
  /** By the cookie's value without quotes. */
  readonly sessions: Map<string, ManagerSession>;
  readonly sessionCounts: SessionCounts;
};

/** Ended tasks stay in the history, as long as a manager keeps them by default. */
const historyMs = 30 * 86_400_000;

export function managerStateOf(world: ManagerWorld, seed: number): ManagerState {
  return {
    ...world,
    seed,
    datastores: byId(world.datastores),
    vms: byId(world.vms),
    alarms: byId(world.alarms),
    tasks: byId(world.tasks),
    sessions: new Map(),
    sessionCounts: noSessionsYet(),
  };
}

export function managerWorldOf(state: ManagerState): ManagerWorld {
  return {
    durations: state.durations,
    rules: state.rules,
    users: state.users,
    folders: state.folders,
    hosts: state.hosts,
    datastores: [...state.datastores.values()],
    vms: [...state.vms.values()],
    alarms: [...state.alarms.values()],
    tasks: [...state.tasks.values()],
    events: state.events,
    load: state.load,
    nextNumber: state.nextNumber,
  };
}

/** Puts another world in the place of this one; sessions go on. */
export function replaceManagerState(state: ManagerState, world: ManagerWorld): void {
  state.durations = world.durations;
  state.rules = world.rules;
  state.users = world.users;
  state.folders = world.folders;
  state.hosts = world.hosts;
  refill(state.datastores, world.datastores);
  refill(state.vms, world.vms);
  refill(state.alarms, world.alarms);
  refill(state.tasks, world.tasks);
  state.events = world.events;
  state.load = world.load;
  state.nextNumber = Math.max(state.nextNumber, world.nextNumber);
}

/** The number, which is never given out again. */
export function takeNumber(state: ManagerState): number {
  const number = state.nextNumber;
  state.nextNumber += 1;
  return number;
}

/** Applies everything that has ended by now, in the order of the ends; drops what has expired. */
export function settleManager(state: ManagerState, nowMs: number): void {
  const steps: { readonly atMs: number; readonly apply: () => void }[] = [];
  for (const task of state.tasks.values()) {
    const { atMs } = taskEnd(task);
    if (task.ended === null && atMs <= nowMs)
      steps.push({ atMs, apply: () => endTask(state, task) });
  }
  for (const { id, shutdownMs } of state.vms.values()) {
    if (shutdownMs === null || shutdownMs > nowMs) continue;
    steps.push({ atMs: shutdownMs, apply: () => shutDown(state, id, shutdownMs) });
  }
  for (const step of steps.sort((a, b) => a.atMs - b.atMs)) step.apply();
  for (const task of [...state.tasks.values()]) {
    if (task.ended !== null && task.ended.atMs + historyMs <= nowMs) state.tasks.delete(task.id);
  }
}

/** The task that keeps a VM busy, if there is one. */
export function runningOn(state: ManagerState, vmId: string): ManagerTask | undefined {
  for (const task of state.tasks.values()) {
    if (task.vmId === vmId && task.ended === null) return task;
  }
  return undefined;
}

/** A guest that was told to shut down is off, unless its power has changed since. */
function shutDown(state: ManagerState, id: string, atMs: number): void {
  const vm = state.vms.get(id);
  if (vm?.shutdownMs === atMs) {
    state.vms.set(id, withPower(vm, "poweredOff", atMs, state.durations.tools));
  }
}

function endTask(state: ManagerState, task: ManagerTask): void {
  const { atMs, cancelled } = taskEnd(task);
  const { plan, failure } = task;
  const end = (part: Omit<TaskEnd, "atMs">): void => {
    if (plan.lost) state.tasks.delete(task.id);
    else state.tasks.set(task.id, { ...task, ended: { atMs, ...part } });
  };
  const without = { cancelled: false, error: null, result: null };
  if (cancelled) {
    const error = faultOf("RequestCanceled", "The task was canceled by a user.");
    end({ ...without, state: "error", cancelled: true, error });
    return;
  }
  if (failure !== null) {
    end({ ...without, state: "error", error: failure });
    return;
  }
  const outcome = plan.effect ? applyEffect(state, task) : null;
  if (outcome !== null && "fault" in outcome) {
    end({ ...without, state: "error", error: outcome.fault });
    return;
  }
  const error =
    plan.error === null
      ? null
      : faultOf(plan.error.kind ?? "GenericVmConfigFault", plan.error.message, {
          reason: plan.error.message,
        });
  const result = plan.end === "success" ? (outcome?.result ?? null) : null;
  end({ ...without, state: plan.end, error, result });
}
