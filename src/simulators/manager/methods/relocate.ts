/**
 * `RelocateVM_Task`: the VM and single disks to other datastores, disks into other formats
 * (specification, section D, deltaDiskFormat; wire facts D.4).
 */

import type { MethodAnswer, UserCall } from "../method-call.ts";
import { objectOf } from "../objects/objects.ts";
import type { ManagerFault } from "../soap/fault.ts";
import { faultOf, invalidArgument, isFault, notSupported, objectNotFound } from "../soap/fault.ts";
import type { DataObject } from "../soap/soap-value.ts";
import {
  flagIn,
  listIn,
  numberIn,
  objectIn,
  objectsIn,
  refIn,
  textIn,
} from "../soap/soap-value.ts";
import type { DiskFormat, ManagerVm } from "../world/inventory.ts";
import type { DiskMove } from "../world/task.ts";
import { vmOf } from "./power-methods.ts";
import { answerTask, refuseTask } from "./task-methods.ts";

const deltaFormats: ReadonlySet<string> = new Set([
  "redoLogFormat",
  "nativeFormat",
  "seSparseFormat",
]);

export function relocate(call: UserCall): MethodAnswer {
  const vm = vmOf(call);
  const spec = objectIn(call.params, "spec");
  if (spec?.["transform"] !== undefined || listIn(spec, "deviceChange").length > 0) {
    return notSupported("transform and deviceChange are not simulated.");
  }
  for (const name of ["folder", "datastore", "pool", "host"]) {
    const ref = refIn(spec, name);
    if (ref !== undefined && objectOf(call, ref) === undefined) return objectNotFound(ref);
  }
  const moves: DiskMove[] = [];
  for (const [index, locator] of objectsIn(spec, "disk").entries()) {
    const move = readLocator(call, vm, locator, index);
    if (isFault(move)) return move;
    moves.push(move);
  }
  const datastoreId = refIn(spec, "datastore")?.id ?? null;
  const hostId = refIn(spec, "host")?.id ?? null;
  const moveType = textIn(spec, "diskMoveType");
  const start = {
    name: "RelocateVM_Task",
    descriptionId: "VirtualMachine.relocate",
    vm,
    durationMs: call.state.durations.relocate,
    cancelable: true,
    effect: {
      kind: "relocate",
      datastoreId,
      hostId,
      folderId: refIn(spec, "folder")?.id ?? null,
      disks: disksOf(vm, moves, { moveType, datastoreId }),
    } as const,
  };
  const targets = [datastoreId, ...moves.map((move) => move.datastoreId)];
  const fault = targetFault(call, hostId ?? vm.hostId, targets) ?? formatFault(vm, moves);
  return fault === undefined ? answerTask(call, start) : refuseTask(call, start, fault);
}

/** How all disks are moved holds for those that no locator names as well. */
function disksOf(
  vm: ManagerVm,
  moves: readonly DiskMove[],
  spec: { readonly moveType: string | undefined; readonly datastoreId: string | null },
): readonly DiskMove[] {
  const unlink = spec.moveType === unlinking;
  const addDelta = spec.moveType === addingDeltas;
  if (!unlink && !addDelta) return moves;
  return vm.disks.map((disk) => {
    const named = moves.find((each) => each.key === disk.key);
    const rest = { format: null, deltaDiskFormat: null, deltaGrainSize: null };
    const move = named ?? { ...rest, key: disk.key, datastoreId: spec.datastoreId };
    return { ...move, unlink, addDelta };
  });
}

const unlinking = "moveAllDiskBackingsAndDisallowSharing";
const addingDeltas = "createNewChildDiskBacking";

/** Every datastore must be there, in order, and seen by the host. */
function targetFault(
  { state }: UserCall,
  hostId: string,
  datastoreIds: readonly (string | null)[],
): ManagerFault | undefined {
  for (const id of datastoreIds) {
    const datastore = id === null ? undefined : state.datastores.get(id);
    if (datastore === undefined) continue;
    if (datastore.accessible && datastore.hostIds.includes(hostId)) continue;
    const message = `The datastore ${datastore.name} is not accessible to the host.`;
    return faultOf("InvalidDatastore", message, {
      datastore: { ref: "Datastore", id: datastore.id },
      name: datastore.name,
    });
  }
  return undefined;
}

/** Space-efficient disks need hardware version 9 (specification, section D). */
function formatFault(vm: ManagerVm, moves: readonly DiskMove[]): ManagerFault | undefined {
  if (vm.hardwareVersion >= 9) return undefined;
  const index = moves.findIndex(
    (move) => move.deltaDiskFormat === "seSparseFormat" || move.format === "sesparse",
  );
  if (index < 0) return undefined;
  const message = `Space-efficient disks need hardware version 9, not ${vm.hardwareVersion}.`;
  return faultOf("InvalidDeviceBacking", message, {
    property: `spec.disk[${index}].diskBackingInfo`,
    deviceIndex: index,
  });
}

function readLocator(
  call: UserCall,
  vm: ManagerVm,
  locator: DataObject,
  index: number,
): DiskMove | ManagerFault {
  const key = numberIn(locator, "diskId") ?? -1;
  if (!vm.disks.some((disk) => disk.key === key)) {
    return invalidArgument(`spec.disk[${index}].diskId`);
  }
  const datastore = refIn(locator, "datastore");
  if (datastore !== undefined && objectOf(call, datastore) === undefined) {
    return objectNotFound(datastore);
  }
  const backing = objectIn(locator, "diskBackingInfo");
  const deltaDiskFormat = textIn(backing, "deltaDiskFormat") ?? null;
  const deltaGrainSize = numberIn(backing, "deltaGrainSize") ?? null;
  const isKnown = deltaDiskFormat === null || deltaFormats.has(deltaDiskFormat);
  // A grain size means something only for the space-efficient format (wire facts D.4).
  if (!isKnown || (deltaGrainSize !== null && deltaDiskFormat !== "seSparseFormat")) {
    return invalidArgument(`spec.disk[${index}].diskBackingInfo.deltaDiskFormat`);
  }
  return {
    key,
    datastoreId: datastore?.id ?? null,
    format: backing === undefined ? null : formatOf(backing),
    deltaDiskFormat,
    deltaGrainSize,
    unlink: textIn(locator, "diskMoveType") === unlinking,
    addDelta: textIn(locator, "diskMoveType") === addingDeltas,
  };
}

/** The format that a backing asks for; null where it leaves it open. */
function formatOf(backing: DataObject): DiskFormat | null {
  if (backing.is === "VirtualDiskSeSparseBackingInfo") return "sesparse";
  const thin = flagIn(backing, "thinProvisioned");
  const scrub = flagIn(backing, "eagerlyScrub");
  if (thin === true) return "thin";
  if (scrub === true) return "eagerzeroedthick";
  return thin === false ? "zeroedthick" : null;
}
