/**
 * What the simulated cloud holds, and the tasks in progress. `settleCloud` applies whatever has
 * ended, so a restarted simulator goes on where time would have brought it. Sessions and screen
 * tickets are not part of the world: they end with the process.
 *
 * The door of `world`: `inventory.ts` has the records of VMs, vApps, datastores and users,
 * `task.ts` those of tasks, and `world-document.ts` makes them of a world file.
 */

import type { CloudDurations, CloudRules } from "../../kit/generated/documents.ts";
import { byId, refill } from "../../kit/records.ts";
import type { SessionCounts } from "../../kit/sessions.ts";
import { noSessionsYet } from "../../kit/sessions.ts";
import { taskEnd } from "../../kit/task.ts";
import type { CloudDatastore, CloudManager, CloudUser, CloudVapp, CloudVm } from "./inventory.ts";
import { vmStatus } from "./inventory.ts";
import type { CloudTask, TaskEffect, TaskError } from "./task.ts";

export type ScreenTicket = {
  /** As written after `ticket=`, percent-encoded. */
  readonly value: string;
  readonly vmId: string;
  readonly expiresMs: number;
};

/** The part of a world that belongs to the cloud; plain data, persisted and shown. */
export type CloudWorld = {
  readonly durations: CloudDurations;
  readonly rules: CloudRules;
  readonly users: readonly CloudUser[];
  readonly managers: readonly CloudManager[];
  readonly datastores: readonly CloudDatastore[];
  readonly vapps: readonly CloudVapp[];
  readonly vms: readonly CloudVm[];
  readonly tasks: readonly CloudTask[];
  /** Number of the next task or added VM. */
  readonly nextNumber: number;
};

export type CloudSession = { readonly userId: string; lastMs: number };

export type CloudState = {
  readonly seed: number;
  durations: CloudDurations;
  rules: CloudRules;
  users: readonly CloudUser[];
  managers: readonly CloudManager[];
  readonly datastores: Map<string, CloudDatastore>;
  readonly vapps: Map<string, CloudVapp>;
  readonly vms: Map<string, CloudVm>;
  readonly tasks: Map<string, CloudTask>;
  nextNumber: number;
  /** By token; one that has ended by idling stays, so that its token is told from a wrong one. */
  readonly sessions: Map<string, CloudSession>;
  readonly sessionCounts: SessionCounts;
  tickets: readonly ScreenTicket[];
  nextTicket: number;
};

export function cloudStateOf(world: CloudWorld, seed: number): CloudState {
  return {
    ...world,
    seed,
    datastores: byId(world.datastores),
    vapps: byId(world.vapps),
    vms: byId(world.vms),
    tasks: byId(world.tasks),
    sessions: new Map(),
    sessionCounts: noSessionsYet(),
    tickets: [],
    nextTicket: 1,
  };
}

export function cloudWorldOf(state: CloudState): CloudWorld {
  return {
    durations: state.durations,
    rules: state.rules,
    users: state.users,
    managers: state.managers,
    datastores: [...state.datastores.values()],
    vapps: [...state.vapps.values()],
    vms: [...state.vms.values()],
    tasks: [...state.tasks.values()],
    nextNumber: state.nextNumber,
  };
}

/** Puts another world in the place of this one; sessions go on. */
export function replaceCloudState(state: CloudState, world: CloudWorld): void {
  state.durations = world.durations;
  state.rules = world.rules;
  state.users = world.users;
  state.managers = world.managers;
  refill(state.datastores, world.datastores);
  refill(state.vapps, world.vapps);
  refill(state.vms, world.vms);
  refill(state.tasks, world.tasks);
  state.nextNumber = Math.max(state.nextNumber, world.nextNumber);
}

/** Applies all tasks that have ended by now, in the order of their ends; drops what has expired. */
export function settleCloud(state: CloudState, nowMs: number): void {
  const ended = [...state.tasks.values()]
    .filter((task) => task.ended === null && taskEnd(task).atMs <= nowMs)
    .sort((a, b) => taskEnd(a).atMs - taskEnd(b).atMs || a.startMs - b.startMs);
  for (const task of ended) endTask(state, task);
  for (const task of [...state.tasks.values()]) {
    if (task.ended !== null && task.expiryMs <= nowMs) state.tasks.delete(task.id);
  }
  if (state.tickets.some((ticket) => ticket.expiresMs <= nowMs)) {
    state.tickets = state.tickets.filter((ticket) => ticket.expiresMs > nowMs);
  }
}

/** Tasks of a vApp or of one of its VMs that have not ended: the whole vApp is busy. */
export function runningIn(state: CloudState, vappId: string): readonly CloudTask[] {
  return [...state.tasks.values()].filter((task) => task.vappId === vappId && task.ended === null);
}

export function vmsOf(state: CloudState, vappId: string): readonly CloudVm[] {
  return [...state.vms.values()].filter((vm) => vm.vappId === vappId);
}

/** The manager of a VM or datastore; the world's reader has checked that it is there. */
export function managerOf(state: CloudState, datastoreId: string): CloudManager {
  const id = state.datastores.get(datastoreId)?.managerId;
  const manager = state.managers.find((each) => each.id === id);
  if (manager === undefined) throw new RangeError(`no manager of the datastore ${datastoreId}`);
  return manager;
}

/** Space that VMs, those on their way here, and everything else take, MB. */
export function usedMb(state: CloudState, datastore: CloudDatastore): number {
  let used = datastore.usedMb;
  for (const vm of state.vms.values()) if (vm.datastoreId === datastore.id) used += vm.storageMb;
  for (const { ended, plan, effect } of state.tasks.values()) {
    if (ended !== null || !plan.effect || effect.kind !== "relocate") continue;
    if (effect.datastoreId !== datastore.id) continue;
    for (const id of effect.vmIds) {
      const vm = state.vms.get(id);
      if (vm !== undefined && vm.datastoreId !== datastore.id) used += vm.storageMb;
    }
  }
  return used;
}

function endTask(state: CloudState, task: CloudTask): void {
  const { atMs, cancelled } = taskEnd(task);
  if (cancelled) {
    state.tasks.set(task.id, { ...task, ended: { atMs, status: "canceled", error: null } });
    return;
  }
  const gone = task.effect.vmIds.some((id) => !state.vms.has(id));
  const { end, error, effect, lost } = task.plan;
  if (!gone && effect) applyEffect(state, task.effect, task.endMs);
  if (lost) {
    state.tasks.delete(task.id);
    return;
  }
  const missing: TaskError = {
    major: 400,
    minor: "BAD_REQUEST",
    message: `The VCD entity ${task.owner.name} does not exist.`,
  };
  const outcome = gone && effect ? { status: "error", error: missing } : { status: end, error };
  state.tasks.set(task.id, { ...task, ended: { atMs: task.endMs, ...outcome } });
}

function applyEffect(state: CloudState, effect: TaskEffect, endMs: number): void {
  if (effect.kind === "delete") {
    for (const id of effect.vmIds) state.vms.delete(id);
    if (effect.vappId !== null) state.vapps.delete(effect.vappId);
    return;
  }
  for (const id of effect.vmIds) {
    const vm = state.vms.get(id);
    if (vm !== undefined) state.vms.set(id, afterEffect(vm, effect, endMs));
  }
}

function afterEffect(
  vm: CloudVm,
  effect: Exclude<TaskEffect, { kind: "delete" }>,
  endMs: number,
): CloudVm {
  switch (effect.kind) {
    case "power":
      return { ...vm, status: effect.status, deployed: effect.deployed };
    case "relocate":
      return { ...vm, datastoreId: effect.datastoreId };
    case "snapshot": {
      const poweredOn = effect.memory && vm.status === vmStatus.on;
      const sizeBytes = poweredOn ? vm.memoryMb * 1024 * 1024 : 0;
      return { ...vm, snapshot: { createdMs: endMs, poweredOn, sizeBytes, name: effect.name } };
    }
    case "remove-snapshots":
      return { ...vm, snapshot: null };
    case "revert":
      if (vm.snapshot === null) return vm;
      return vm.snapshot.poweredOn
        ? { ...vm, status: vmStatus.on, deployed: true }
        : { ...vm, status: vmStatus.off };
    case "nested":
      return { ...vm, nested: effect.enabled };
    case "update": {
      const { name, description } = effect;
      return { ...vm, name, description: description ?? vm.description };
    }
    case "none":
      return vm;
  }
}
