/**
 * Devices of a VM: disks in their formats, their controllers, and a drive that has nothing to do
 * with them (wire facts D.4).
 */

import { type DataObject, refTo } from "../soap/soap-value.ts";
import { isSparse, type ManagerDisk, type ManagerVm } from "../world/inventory.ts";
import type { ManagerContext } from "./context.ts";

const ideController = 200;

/** All devices; the disks stand between others, in no order that means anything. */
export function deviceObjects(context: ManagerContext, vm: ManagerVm): readonly DataObject[] {
  const buses = [...new Set(vm.disks.map((disk) => disk.controllerKey))];
  return [
    {
      is: "VirtualIDEController",
      key: ideController,
      deviceInfo: description("IDE 0", "IDE 0"),
      busNumber: 0,
      device: [3000],
    },
    ...buses.map((controllerKey, index) => ({
      is: "VirtualLsiLogicController",
      key: controllerKey,
      deviceInfo: description(`SCSI controller ${index}`, "LSI Logic"),
      controllerKey: 100,
      unitNumber: 3 + index,
      busNumber: index,
      device: vm.disks.filter((disk) => disk.controllerKey === controllerKey).map(({ key }) => key),
      hotAddRemove: true,
      sharedBus: "noSharing",
      scsiCtlrUnitNumber: 7,
    })),
    {
      is: "VirtualCdrom",
      key: 3000,
      deviceInfo: description("CD/DVD drive 1", "Remote device"),
      backing: {
        is: "VirtualCdromRemotePassthroughBackingInfo",
        deviceName: "",
        useAutoDetect: false,
        exclusive: false,
      },
      connectable: {
        is: "VirtualDeviceConnectInfo",
        startConnected: false,
        allowGuestControl: true,
        connected: false,
        status: "untried",
      },
      controllerKey: ideController,
      unitNumber: 0,
    },
    ...vm.disks.map((disk) => diskObject(context, vm, disk)),
  ];
}

export function fileNameOf(
  { state }: ManagerContext,
  disk: Pick<ManagerDisk, "datastoreId" | "path">,
): string {
  return `[${state.datastores.get(disk.datastoreId)?.name ?? ""}] ${disk.path}`;
}

function diskObject(context: ManagerContext, vm: ManagerVm, disk: ManagerDisk): DataObject {
  const kilobytes = String(disk.capacityKb).replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return {
    is: "VirtualDisk",
    key: disk.key,
    deviceInfo: description(disk.label, `${kilobytes} KB`),
    backing: isSparse(disk) ? sparseBacking(context, disk) : flatBacking(context, vm, disk),
    controllerKey: disk.controllerKey,
    unitNumber: disk.unitNumber,
    capacityInKB: disk.capacityKb,
    capacityInBytes: disk.capacityKb * 1024,
    shares: { is: "SharesInfo", shares: 1000, level: "normal" },
    diskObjectId: `${vm.id.replace(/\D/g, "")}-${disk.key}`,
  };
}

function commonBacking(context: ManagerContext, disk: ManagerDisk) {
  return {
    fileName: fileNameOf(context, disk),
    datastore: refTo("Datastore", disk.datastoreId),
    backingObjectId: "",
    diskMode: "persistent",
    writeThrough: false,
    uuid: disk.uuid,
    contentId: disk.uuid.replaceAll("-", ""),
    deltaDiskFormat: disk.deltaDiskFormat ?? undefined,
    digestEnabled: false,
  };
}

function sparseBacking(context: ManagerContext, disk: ManagerDisk): DataObject {
  const common = commonBacking(context, disk);
  return {
    is: "VirtualDiskSeSparseBackingInfo",
    ...common,
    parent: disk.linked ? parentOf(context, disk, "VirtualDiskSeSparseBackingInfo") : undefined,
    grainSize: disk.grainSizeKb,
  };
}

/**
 * The format is told by two flags, the second of which may be unset where it is not known (wire
 * facts D.4). Without snapshots the disk is its own parent's only child.
 */
function flatBacking(context: ManagerContext, vm: ManagerVm, disk: ManagerDisk): DataObject {
  const common = commonBacking(context, disk);
  const { format } = disk;
  const hasParent = disk.linked || vm.snapshots.length > 0;
  return {
    is: "VirtualDiskFlatVer2BackingInfo",
    ...common,
    split: false,
    thinProvisioned: format === "unknown" ? undefined : format === "thin",
    eagerlyScrub:
      format === "eagerzeroedthick" ? true : format === "zeroedthick" ? false : undefined,
    parent: hasParent ? parentOf(context, disk, "VirtualDiskFlatVer2BackingInfo") : undefined,
    deltaGrainSize: disk.deltaGrainSize ?? undefined,
    sharing: "sharingNone",
  };
}

/** The files below a delta, each the parent of the one before; one that has no name is made up. */
function parentOf(context: ManagerContext, disk: ManagerDisk, is: string): DataObject | undefined {
  const named = disk.bases ?? [
    { datastoreId: disk.datastoreId, path: disk.path.replace(/\.vmdk$/, "-base.vmdk") },
  ];
  return named.reduceRight<DataObject | undefined>(
    (parent, base) => ({
      is,
      fileName: fileNameOf(context, base),
      datastore: refTo("Datastore", base.datastoreId),
      diskMode: "persistent",
      parent,
    }),
    undefined,
  );
}

function description(label: string, summary: string): DataObject {
  return { is: "Description", label, summary };
}
