/** Power of VMs: four methods with tasks, and the guest's own shutdown, which has none. */

import type { MethodAnswer, UserCall } from "../method-call.ts";
import type { ManagerFault } from "../soap/fault.ts";
import {
  faultOf,
  invalidPowerState,
  notSupported,
  objectNotFound,
  taskInProgress,
  toolsUnavailable,
} from "../soap/fault.ts";
import { refIn, refTo } from "../soap/soap-value.ts";
import type { ManagerVm, PowerState } from "../world/inventory.ts";
import { hasTools } from "../world/inventory.ts";
import { runningOn } from "../world/manager-state.ts";
import type { ManagerEffect } from "../world/task.ts";
import { answerTask, refuseTask } from "./task-methods.ts";

export function powerOn(call: UserCall): MethodAnswer {
  const host = refIn(call.params, "host");
  if (host !== undefined && !call.state.hosts.some((each) => each.id === host.id)) {
    return objectNotFound(host);
  }
  const { power_on: durationMs } = call.state.durations;
  return changePower(call, "PowerOnVM_Task", "powerOn", "poweredOn", durationMs);
}

export function powerOff(call: UserCall): MethodAnswer {
  const { power_off: durationMs } = call.state.durations;
  return changePower(call, "PowerOffVM_Task", "powerOff", "poweredOff", durationMs);
}

export function suspend(call: UserCall): MethodAnswer {
  const { suspend: durationMs } = call.state.durations;
  return changePower(call, "SuspendVM_Task", "suspend", "suspended", durationMs);
}

export function reset(call: UserCall): MethodAnswer {
  const vm = vmOf(call);
  const start = {
    name: "ResetVM_Task",
    descriptionId: "VirtualMachine.reset",
    vm,
    durationMs: call.state.durations.reset,
    effect: { kind: "reset" } as const,
  };
  return vm.power === "poweredOn"
    ? answerTask(call, start)
    : refuseTask(call, start, invalidPowerState("poweredOn", vm.power));
}

/**
 * The guest is only asked, and may take its time; needs its tools. No task tells how it goes: the
 * power state does.
 */
export function shutDownGuest(call: UserCall): MethodAnswer {
  const { state, nowMs } = call;
  const vm = vmOf(call);
  const running = runningOn(state, vm.id);
  if (running !== undefined) return taskInProgress(refTo("Task", running.id));
  if (vm.power !== "poweredOn") return invalidPowerState("poweredOn", vm.power);
  if (!hasTools(vm, nowMs)) return toolsUnavailable();
  if (vm.shutdownMs !== null || state.rules.guest_shutdown === "ignored") return {};
  const shutdownMs = nowMs + state.durations.guest_shutdown;
  state.vms.set(vm.id, { ...vm, shutdownMs });
  return { effect: true };
}

/** The VM that a call is about; the target was looked up before. */
export function vmOf(call: Pick<UserCall, "state" | "target">): ManagerVm {
  const vm = call.state.vms.get(call.target.id);
  if (vm === undefined) throw new RangeError(`no VM ${call.target.id}`);
  return vm;
}

function changePower(
  call: UserCall,
  name: string,
  description: string,
  power: PowerState,
  durationMs: number,
): MethodAnswer {
  const vm = vmOf(call);
  const effect: ManagerEffect = { kind: "power", power };
  const descriptionId = `VirtualMachine.${description}`;
  const start = { name, descriptionId, vm, durationMs, effect };
  const fault = powerFault(call, vm, power);
  return fault === undefined ? answerTask(call, start) : refuseTask(call, start, fault);
}

/** Off comes only from on, unless the rules say otherwise; on from off and suspended. */
function powerFault(
  { state }: UserCall,
  vm: ManagerVm,
  power: PowerState,
): ManagerFault | undefined {
  if (vm.template) return notSupported("A template has no power.");
  if (vm.connection !== "connected") {
    return {
      ...faultOf("InvalidState", `The VM is ${vm.connection}.`),
      violation: false,
    };
  }
  const isFromSuspended = power === "poweredOff" && vm.power === "suspended";
  const isAllowed =
    power === "poweredOn"
      ? vm.power !== "poweredOn"
      : vm.power === "poweredOn" ||
        (isFromSuspended && state.rules.power_off_suspended === "works");
  return isAllowed ? undefined : invalidPowerState(power, vm.power);
}
