/**
 * What the simulated daemon holds: VMs, and the work in progress. Work is recorded with its start
 * and end, and `settle` applies whatever has ended, so a restarted simulator goes on where time
 * would have brought it.
 */

import type { DaemonDurations, DaemonRules } from "../kit/generated/documents.ts";
import type { PowerStep } from "./power-machine.ts";
import { afterStep } from "./power-machine.ts";
import type { Refusal } from "./refusal.ts";
import { vixRefusal } from "./refusal.ts";
import type { VirtualMachine } from "./virtual-machine.ts";

type OperationSpan = { readonly n: number; readonly startMs: number; readonly endMs: number };

export type DaemonOperation = OperationSpan &
  (
    | {
        readonly kind: "create";
        /** The VM as it will appear; until then no request sees it. */
        readonly vm: VirtualMachine;
        /** Cloned from this VM, whose files stay in use; null for the default template. */
        readonly parentId: string | null;
      }
    | { readonly kind: "power"; readonly vmId: string; readonly step: PowerStep }
    | { readonly kind: "delete"; readonly vmId: string }
  );

/** An operation before it has a number. */
export type OperationStart = DaemonOperation extends infer Each
  ? Each extends OperationSpan
    ? Omit<Each, "n">
    : never
  : never;

export type DaemonState = {
  readonly seed: number;
  durations: DaemonDurations;
  rules: DaemonRules;
  /** By id, in order of creation. */
  readonly vms: Map<string, VirtualMachine>;
  /** Work in progress, by number. */
  readonly operations: Map<number, DaemonOperation>;
  /** Outcomes that a request waits for, by operation number; not part of the world. */
  readonly awaited: Map<number, OperationOutcome>;
  nextOperation: number;
};

/** `superseded`: an outside change has ended the work without its effect. */
export type OperationOutcome = "running" | "done" | "superseded";

/** The part of a world that belongs to the daemon; plain data, persisted and shown. */
export type DaemonWorld = {
  readonly durations: DaemonDurations;
  readonly rules: DaemonRules;
  readonly vms: readonly VirtualMachine[];
  readonly operations: readonly DaemonOperation[];
  readonly nextOperation: number;
};

export function stateOf(world: DaemonWorld, seed: number): DaemonState {
  return {
    seed,
    durations: world.durations,
    rules: world.rules,
    vms: new Map(world.vms.map((vm) => [vm.id, vm])),
    operations: new Map(world.operations.map((operation) => [operation.n, operation])),
    awaited: new Map(),
    nextOperation: world.nextOperation,
  };
}

/** Puts another world in the place of this one; work that is not in it has no outcome. */
export function replaceState(state: DaemonState, world: DaemonWorld): void {
  const ids = new Set(world.vms.map((vm) => vm.id));
  const operations = world.operations.filter(
    (operation) => operation.kind === "create" || ids.has(operation.vmId),
  );
  const kept = new Set(operations.map((operation) => operation.n));
  supersede(state, (operation) => !kept.has(operation.n));
  state.durations = world.durations;
  state.rules = world.rules;
  state.vms.clear();
  for (const vm of world.vms) state.vms.set(vm.id, vm);
  state.operations.clear();
  for (const operation of operations) state.operations.set(operation.n, operation);
  state.nextOperation = Math.max(state.nextOperation, world.nextOperation);
}

export function worldOf(state: DaemonState): DaemonWorld {
  return {
    durations: state.durations,
    rules: state.rules,
    vms: [...state.vms.values()],
    operations: [...state.operations.values()],
    nextOperation: state.nextOperation,
  };
}

/** Records work as begun and as awaited by a request. */
export function beginOperation(state: DaemonState, start: OperationStart): DaemonOperation {
  const operation: DaemonOperation = { ...start, n: state.nextOperation };
  state.nextOperation += 1;
  state.operations.set(operation.n, operation);
  state.awaited.set(operation.n, "running");
  return operation;
}

/** Takes the outcome of awaited work. */
export function takeOutcome(state: DaemonState, n: number): OperationOutcome {
  const outcome = state.awaited.get(n);
  if (outcome === undefined) throw new RangeError(`nobody awaits operation ${n}`);
  state.awaited.delete(n);
  return outcome;
}

/** Applies all work that has ended by now, in the order of its ends. */
export function settle(state: DaemonState, nowMs: number): void {
  const ended = [...state.operations.values()]
    .filter((operation) => operation.endMs <= nowMs)
    .sort((a, b) => a.endMs - b.endMs || a.n - b.n);
  for (const operation of ended) {
    apply(state, operation);
    endOperation(state, operation, "done");
  }
}

/** Ends work on a VM without its effect. */
export function supersede(
  state: DaemonState,
  matches: (operation: DaemonOperation) => boolean,
): void {
  for (const operation of [...state.operations.values()]) {
    if (matches(operation)) endOperation(state, operation, "superseded");
  }
}

/** The work that changes a VM now, if any. */
export function workOn(state: DaemonState, vmId: string): DaemonOperation | undefined {
  for (const operation of state.operations.values()) {
    if (operation.kind !== "create" && operation.vmId === vmId) return operation;
  }
  return undefined;
}

/**
 * Refusal of a mutation of a VM that has work in progress: 5 while its power changes or it is being
 * deleted, 15 while it is being cloned (codes: wire facts B.2).
 */
export function busyRefusal(
  state: DaemonState,
  vmId: string,
  operation: string,
): Refusal | undefined {
  if (workOn(state, vmId) !== undefined) return vixRefusal(5, operation);
  for (const other of state.operations.values()) {
    if (other.kind === "create" && other.parentId === vmId) return vixRefusal(15, operation);
  }
  return undefined;
}

/** True when a VM with this id is being made and not to be seen yet. */
export function isBeingMade(state: DaemonState, vmId: string): boolean {
  for (const operation of state.operations.values()) {
    if (operation.kind === "create" && operation.vm.id === vmId) return true;
  }
  return false;
}

function apply(state: DaemonState, operation: DaemonOperation): void {
  switch (operation.kind) {
    case "create":
      state.vms.set(operation.vm.id, operation.vm);
      return;
    case "delete":
      state.vms.delete(operation.vmId);
      return;
    case "power": {
      const vm = state.vms.get(operation.vmId);
      if (vm === undefined) throw new RangeError(`power work on no VM ${operation.vmId}`);
      const { step, endMs } = operation;
      state.vms.set(vm.id, afterStep(vm, step, state.durations, endMs));
    }
  }
}

function endOperation(
  state: DaemonState,
  operation: DaemonOperation,
  outcome: OperationOutcome,
): void {
  state.operations.delete(operation.n);
  if (state.awaited.has(operation.n)) state.awaited.set(operation.n, outcome);
}
