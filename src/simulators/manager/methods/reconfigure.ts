/**
 * `ReconfigVM_Task`: nested virtualization, sizes of disks, name and notes; nothing else is
 * simulated (specification, section D; wire facts D.4).
 */

import type { MethodAnswer, UserCall } from "../method-call.ts";
import { fileNameOf } from "../objects/device-objects.ts";
import { changeVersion } from "../objects/vm-objects.ts";
import type { ManagerFault } from "../soap/fault.ts";
import {
  faultOf,
  invalidArgument,
  invalidPowerState,
  isFault,
  notSupported,
} from "../soap/fault.ts";
import type { DataObject } from "../soap/soap-value.ts";
import { flagIn, numberIn, objectIn, objectsIn, textIn } from "../soap/soap-value.ts";
import type { ManagerDisk, ManagerVm } from "../world/inventory.ts";
import { isSparse } from "../world/inventory.ts";
import { vmOf } from "./power-methods.ts";
import { answerTask, refuseTask } from "./task-methods.ts";

const simulated: ReadonlySet<string> = new Set([
  "is",
  "changeVersion",
  "name",
  "annotation",
  "deviceChange",
  "nestedHVEnabled",
]);

type Capacity = { readonly key: number; readonly kb: number };

export function reconfigure(call: UserCall): MethodAnswer {
  const { state } = call;
  const vm = vmOf(call);
  const spec = objectIn(call.params, "spec");
  const changes = objectsIn(spec, "deviceChange");
  const other = Object.entries(spec ?? {}).find(
    ([name, value]) => !simulated.has(name) && !(Array.isArray(value) && value.length === 0),
  );
  if (other !== undefined) return notSupported(`${other[0]} is not simulated.`);
  if (textIn(spec, "name") === "") return invalidArgument("configSpec.name");
  const start = (capacities: readonly Capacity[]) => ({
    name: "ReconfigVM_Task",
    descriptionId: "VirtualMachine.reconfigure",
    vm,
    durationMs: state.durations.reconfigure,
    effect: {
      kind: "reconfigure",
      name: textIn(spec, "name") ?? null,
      annotation: textIn(spec, "annotation") ?? null,
      nested: flagIn(spec, "nestedHVEnabled") ?? null,
      capacities,
    } as const,
  });
  const version = textIn(spec, "changeVersion");
  if (version !== undefined && version !== "" && version !== changeVersion(call, vm)) {
    const message = "The configuration has changed since it was read.";
    return refuseTask(call, start([]), faultOf("ConcurrentAccess", message));
  }
  const fault = nestedFault(call, vm, flagIn(spec, "nestedHVEnabled"));
  if (fault !== undefined) return refuseTask(call, start([]), fault);
  const capacities: Capacity[] = [];
  for (const [index, change] of changes.entries()) {
    const capacity = readDiskChange(call, vm, change, index);
    if (isFault(capacity)) return refuseTask(call, start([]), capacity);
    capacities.push(capacity);
  }
  return answerTask(call, start(capacities));
}

/** Needs the VM off, hardware version 9, and a host that can (specification, section D). */
function nestedFault(
  { state }: UserCall,
  vm: ManagerVm,
  wanted: boolean | undefined,
): ManagerFault | undefined {
  if (wanted === undefined || wanted === vm.nested) return undefined;
  if (state.rules.nested_power === "off" && vm.power !== "poweredOff") {
    return invalidPowerState("poweredOff", vm.power);
  }
  if (!wanted) return undefined;
  const property = "configSpec.nestedHVEnabled";
  if (vm.hardwareVersion < 9) {
    const message = `Nested virtualization needs hardware version 9, not ${vm.hardwareVersion}.`;
    return faultOf("InvalidVmConfig", message, { property });
  }
  const host = state.hosts.find((each) => each.id === vm.hostId);
  if (host?.nestedSupported !== true) {
    const message = "Nested virtualization is not supported on the host.";
    return faultOf("InvalidVmConfig", message, { property });
  }
  return undefined;
}

/** The full device with a larger capacity, both of its sizes the same (wire facts D.4). */
function readDiskChange(
  call: UserCall,
  vm: ManagerVm,
  change: DataObject,
  index: number,
): Capacity | ManagerFault {
  const device = objectIn(change, "device");
  if (textIn(change, "operation") !== "edit" || textIn(change, "fileOperation") !== undefined) {
    return notSupported("Only editing of devices is simulated.");
  }
  const disk = vm.disks.find((each) => each.key === numberIn(device, "key"));
  const writtenKb = numberIn(device, "capacityInKB");
  const bytes = numberIn(device, "capacityInBytes");
  if (device?.is !== "VirtualDisk" || disk === undefined || writtenKb === undefined) {
    return invalidDevice(index, "there is no such disk");
  }
  // Bytes took the place of kilobytes: who changes them may leave the other as it was read.
  const isLeft = writtenKb === disk.capacityKb && bytes !== undefined && bytes % 1024 === 0;
  const kb = isLeft ? bytes / 1024 : writtenKb;
  if (!isWholeDevice(call, disk, device)) return invalidDevice(index, "the device is not complete");
  if (bytes !== undefined && bytes !== kb * 1024) return invalidDevice(index, "two sizes");
  if (kb < disk.capacityKb) return invalidOperation(index, "a disk cannot be made smaller");
  if (kb > disk.capacityKb && (vm.snapshots.length > 0 || disk.linked)) {
    return invalidOperation(index, "disks with parents cannot be expanded");
  }
  return { key: disk.key, kb };
}

function isWholeDevice(call: UserCall, disk: ManagerDisk, device: DataObject): boolean {
  const backing = objectIn(device, "backing");
  const type = isSparse(disk) ? "VirtualDiskSeSparseBackingInfo" : "VirtualDiskFlatVer2BackingInfo";
  return (
    backing?.is === type &&
    textIn(backing, "fileName") === fileNameOf(call, disk) &&
    numberIn(device, "controllerKey") === disk.controllerKey &&
    numberIn(device, "unitNumber") === disk.unitNumber
  );
}

function invalidDevice(deviceIndex: number, why: string): ManagerFault {
  const message = `Invalid configuration for device '${deviceIndex}': ${why}.`;
  return faultOf("InvalidDeviceSpec", message, {
    property: `virtualDeviceSpec[${deviceIndex}]`,
    deviceIndex,
  });
}

function invalidOperation(deviceIndex: number, why: string): ManagerFault {
  const message = `Invalid operation for device '${deviceIndex}': ${why}.`;
  return faultOf("InvalidDeviceOperation", message, {
    property: `virtualDeviceSpec[${deviceIndex}]`,
    deviceIndex,
    badOp: "edit",
  });
}
