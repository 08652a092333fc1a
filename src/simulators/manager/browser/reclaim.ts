/**
 * Wiping and shrinking space-efficient disks: private methods of the object browser, each with a
 * task, in this order (specification, section D, and States and transitions).
 */

import type { MethodAnswer, UserCall } from "../method-call.ts";
import { answerTask } from "../methods/task-methods.ts";
import type { ManagerFault } from "../soap/fault.ts";
import { faultOf, invalidPowerState, taskInProgress, toolsUnavailable } from "../soap/fault.ts";
import { refTo } from "../soap/soap-value.ts";
import type { ManagerDisk, ManagerVm } from "../world/inventory.ts";
import { hasTools, isSparse } from "../world/inventory.ts";
import type { ManagerState, ReclaimLoad } from "../world/manager-state.ts";
import { runningOn } from "../world/manager-state.ts";

type ReclaimCall = Pick<UserCall, "state" | "session" | "nowMs" | "plan">;

/** Needs a sparse disk, and the VM on with its tools (specification, section D; wire facts D.2). */
export function wipeDisk(call: ReclaimCall, vm: ManagerVm): MethodAnswer {
  const { state, nowMs } = call;
  const fault = vmFault(state, vm, nowMs, "WipeDiskFault");
  if (fault !== undefined) return fault;
  const isMisused = !vm.disks.some(isSparse);
  const why = "The virtual machine has no space-efficient disk.";
  if (isMisused && state.rules.reclaim_misuse === "refused") return faultOf("WipeDiskFault", why);
  const answer = answerTask(call, {
    name: "WipeDisk_Task",
    descriptionId: "VirtualMachine.wipeDisk",
    vm,
    durationMs: state.durations.wipe,
    cancelable: true,
    effect: { kind: "wipe" },
  });
  return marked(afterBegin(state, answer), isMisused ? why : undefined);
}

/**
 * Needs a wipe of the same disks that has completed. `diskId` is a device key as text; empty means
 * all sparse disks of the VM.
 */
export function shrinkDisk(call: ReclaimCall, vm: ManagerVm, diskId: string): MethodAnswer {
  const { state, nowMs } = call;
  const fault = vmFault(state, vm, nowMs, "ShrinkDiskFault");
  if (fault !== undefined) return fault;
  const wanted = vm.disks.filter((disk) =>
    diskId === "" ? isSparse(disk) : String(disk.key) === diskId,
  );
  const why = misuse(wanted);
  if (why !== undefined && (state.rules.reclaim_misuse === "refused" || wanted.length === 0)) {
    const key = /^\d{1,9}$/.test(diskId) ? Number(diskId) : wanted[0]?.key;
    return faultOf("ShrinkDiskFault", why, { diskId: key });
  }
  const answer = answerTask(call, {
    name: "ShrinkDisk_Task",
    descriptionId: "VirtualMachine.shrinkDisk",
    vm,
    durationMs: state.durations.shrink,
    cancelable: true,
    effect: { kind: "shrink", keys: wanted.map((disk) => disk.key) },
  });
  return marked(afterBegin(state, answer), why);
}

/** Why no correct client shrinks these disks now. */
function misuse(disks: readonly ManagerDisk[]): string | undefined {
  if (disks.length === 0) return "The virtual machine has no such disk.";
  const flat = disks.find((disk) => !isSparse(disk));
  if (flat !== undefined) return `The disk ${flat.key} is not space-efficient.`;
  const unwiped = disks.find((disk) => disk.shrinkableKb === null);
  return unwiped === undefined
    ? undefined
    : `The disk ${unwiped.key} has not been wiped, or was shrunk since.`;
}

/** A busy VM says so first: the wipe may still run. */
function vmFault(
  state: ManagerState,
  vm: ManagerVm,
  nowMs: number,
  type: string,
): ManagerFault | undefined {
  const running = runningOn(state, vm.id);
  if (running !== undefined) {
    const fault = taskInProgress(refTo("Task", running.id));
    // To shrink while the wipe runs is to take its begin for its end.
    const isTooEarly = type === "ShrinkDiskFault" && running.effect.kind === "wipe";
    return isTooEarly ? { ...fault, violation: true } : fault;
  }
  if (type === "ShrinkDiskFault") return undefined;
  if (vm.power !== "poweredOn") return invalidPowerState("poweredOn", vm.power);
  return hasTools(vm, nowMs) ? undefined : toolsUnavailable();
}

function marked(answer: MethodAnswer, violation: string | undefined): MethodAnswer {
  return violation === undefined || "fault" in answer ? answer : { ...answer, violation };
}

/** Counts what runs at the same time, for whoever asks how many there were at most. */
function afterBegin(state: ManagerState, answer: MethodAnswer): MethodAnswer {
  const wipes = new Map<string, number>();
  const shrinks = new Map<string, number>();
  for (const task of state.tasks.values()) {
    const vm = state.vms.get(task.vmId);
    if (task.ended !== null || vm === undefined) continue;
    const { effect } = task;
    if (effect.kind === "wipe") wipes.set(vm.hostId, (wipes.get(vm.hostId) ?? 0) + 1);
    if (effect.kind !== "shrink") continue;
    const disks = vm.disks.filter((disk) => effect.keys.includes(disk.key));
    for (const id of new Set(disks.map((disk) => disk.datastoreId))) {
      shrinks.set(id, (shrinks.get(id) ?? 0) + 1);
    }
  }
  const load: ReclaimLoad = {
    wipesPerHost: highest(state.load.wipesPerHost, wipes),
    shrinksPerDatastore: highest(state.load.shrinksPerDatastore, shrinks),
  };
  state.load = load;
  return answer;
}

function highest(
  before: { readonly [id: string]: number },
  now: ReadonlyMap<string, number>,
): { readonly [id: string]: number } {
  const result: { [id: string]: number } = { ...before };
  for (const [id, count] of now) result[id] = Math.max(result[id] ?? 0, count);
  return result;
}
