/**
 * Power, deployment and suspended states as effects of tasks: what each word does to VMs of which
 * state, and how it is refused (wire facts A.4, A.6.2). Pure.
 *
 * Off has two meanings: `powerOff` leaves a VM deployed, `undeploy` does not.
 */

import type { CloudVm } from "../world/inventory.ts";
import { vmStatus } from "../world/inventory.ts";
import type { CloudTaskPlan, TaskEffect, TaskError } from "../world/task.ts";
import { failingPlan } from "../world/task.ts";

/** What an action is going to do, or why not: `impossible` completes "since VM "x" …". */
export type Intent =
  | {
      readonly effect: TaskEffect;
      readonly plan?: CloudTaskPlan;
      /** It is done, but a correct client would not have asked for it. */
      readonly violation?: string;
    }
  | { readonly impossible: string };

type PowerState = { readonly status: number; readonly deployed: boolean };

function powerTo(vms: readonly CloudVm[], to: PowerState, plan?: CloudTaskPlan): Intent {
  const effect: TaskEffect = { kind: "power", vmIds: vms.map((vm) => vm.id), ...to };
  return plan === undefined ? { effect } : { effect, plan };
}

const on: PowerState = { status: vmStatus.on, deployed: true };
const offDeployed: PowerState = { status: vmStatus.off, deployed: true };
const off: PowerState = { status: vmStatus.off, deployed: false };

const runs = (vm: CloudVm): boolean => vm.status === vmStatus.on;
const isSuspended = (vm: CloudVm): boolean => vm.status === vmStatus.suspended;
const canStart = (vm: CloudVm): boolean => vm.status === vmStatus.off || isSuspended(vm);

/** Words of `power/action/…`. Of a vApp, those VMs act that can; one at least must. */
export function powerIntent(word: string, vms: readonly CloudVm[]): Intent | undefined {
  const running = vms.filter(runs);
  const needsOn = (intent: Intent): Intent =>
    running.length > 0 ? intent : { impossible: "is not powered on" };
  switch (word) {
    case "powerOn": {
      const startable = vms.filter(canStart);
      if (startable.length > 0) return powerTo(startable, on);
      return { impossible: running.length > 0 ? "is already powered on" : "cannot be powered on" };
    }
    case "powerOff":
      return needsOn(powerTo(running, offDeployed));
    case "shutdown":
      return needsOn(powerTo(running, offDeployed, toolsPlan(running)));
    case "reboot":
      return needsOn(powerTo(running, on, toolsPlan(running)));
    case "reset":
      return needsOn(powerTo(running, on));
    case "suspend":
      return needsOn(powerTo(running, { status: vmStatus.suspended, deployed: true }));
    default:
      return undefined;
  }
}

/** The request is accepted, and its task fails (wire facts A.4). */
function toolsPlan(vms: readonly CloudVm[]): CloudTaskPlan | undefined {
  const without = vms.find((vm) => !vm.tools);
  if (without === undefined) return undefined;
  const error: TaskError = {
    major: 500,
    minor: "INTERNAL_SERVER_ERROR",
    message:
      `Error in powering off or suspending "${without.name}". ` +
      "VMware Tools is not running in the guest.",
  };
  return failingPlan(error);
}

export function deployIntent(vms: readonly CloudVm[], powerOn: boolean): Intent {
  const startable = vms.filter(canStart);
  if (powerOn) {
    return startable.length > 0 ? powerTo(startable, on) : { impossible: "is already powered on" };
  }
  const undeployed = vms.filter((vm) => vm.status === vmStatus.off && !vm.deployed);
  return undeployed.length > 0
    ? powerTo(undeployed, offDeployed)
    : { impossible: "is already deployed" };
}

/** Values of UndeployPowerAction (wire facts A.4); the empty one is powerOff. */
export type UndeployWord = "powerOff" | "suspend" | "shutdown" | "force" | "default";

export function isUndeployWord(text: string): text is UndeployWord {
  return ["powerOff", "suspend", "shutdown", "force", "default"].includes(text);
}

export function undeployIntent(vms: readonly CloudVm[], word: UndeployWord): Intent {
  // A suspended VM holds its memory whether it is deployed or not; undeploying discards that.
  const held = vms.filter((vm) => vm.deployed || isSuspended(vm));
  const running = held.filter(runs);
  if (held.length === 0) return { impossible: "is not deployed" };
  if (word === "suspend") {
    if (running.length === 0) return { impossible: "is not powered on" };
    return powerTo(running, { status: vmStatus.suspended, deployed: false });
  }
  if (word === "shutdown") return powerTo(held, off, toolsPlan(running));
  return powerTo(held, off);
}

export function discardIntent(vms: readonly CloudVm[], undeploys: boolean): Intent {
  const suspended = vms.filter(isSuspended);
  if (suspended.length === 0) return { impossible: "is not suspended" };
  const [first] = suspended;
  const deployed = !undeploys && (first?.deployed ?? false);
  return powerTo(suspended, { status: vmStatus.off, deployed });
}
