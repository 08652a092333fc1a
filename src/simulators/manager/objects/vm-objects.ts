/** Properties of VMs (specification, section D, Host-management properties; wire facts D.4). */

import type { DataObject } from "../soap/soap-value.ts";
import { refTo } from "../soap/soap-value.ts";
import type { ManagerVm } from "../world/inventory.ts";
import { fixedIds, hasTools, wireName } from "../world/inventory.ts";
import type { ManagerContext } from "./context.ts";
import { timestamp } from "./context.ts";
import { deviceObjects, fileNameOf } from "./device-objects.ts";

/** Properties besides those of every entity; `config` is not there while the VM is not reached. */
export function vmProperties(context: ManagerContext, vm: ManagerVm) {
  const { state } = context;
  const isReached = vm.connection === "connected" || vm.connection === "disconnected";
  const files = vm.disks.flatMap((disk) => [disk, ...(disk.bases ?? [])]);
  const datastores = new Set([vm.datastoreId, ...files.map((file) => file.datastoreId)]);
  const snapshots = vm.snapshots.map((each) => refTo("VirtualMachineSnapshot", each.id));
  const config = isReached ? configInfo(context, vm) : undefined;
  const runtime = runtimeInfo(context, vm);
  const guest = isReached ? guestInfo(context, vm) : undefined;
  return {
    capability: capabilityOf(context, vm),
    config,
    layoutEx: isReached ? fileLayout(context, vm) : undefined,
    resourcePool: vm.template
      ? undefined
      : refTo("ResourcePool", fixedIds(state.rules.kind).resourcePool),
    runtime,
    guest,
    summary: summaryOf(context, vm, { runtime, guest }),
    datastore: [...datastores].map((id) => refTo("Datastore", id)),
    network: [],
    snapshot: snapshots.length === 0 ? undefined : snapshotInfo(context, vm),
    rootSnapshot: snapshots.slice(0, 1),
    guestHeartbeatStatus: hasTools(vm, context.nowMs) ? "green" : "gray",
  };
}

function capabilityOf({ state }: ManagerContext, vm: ManagerVm): DataObject {
  const host = state.hosts.find((each) => each.id === vm.hostId);
  const isRecent = vm.hardwareVersion >= 9;
  return {
    is: "VirtualMachineCapability",
    snapshotOperationsSupported: true,
    seSparseDiskSupported: isRecent,
    nestedHVSupported: isRecent && host?.nestedSupported === true,
  };
}

/** Named after the guest system, as far as clients can tell. */
function guestName(vm: ManagerVm): string {
  return vm.guestOs === "otherLinux64Guest" ? "Other Linux (64-bit)" : vm.guestOs;
}

function configInfo(context: ManagerContext, vm: ManagerVm): DataObject {
  const changed = timestamp(context, vm.changedMs);
  return {
    is: "VirtualMachineConfigInfo",
    changeVersion: changeVersion(context, vm),
    modified: changed,
    name: wireName(vm.name),
    guestFullName: guestName(vm),
    version: `vmx-${String(vm.hardwareVersion).padStart(2, "0")}`,
    uuid: vm.uuid,
    instanceUuid: vm.instanceUuid,
    template: vm.template,
    guestId: vm.guestOs,
    annotation: vm.annotation,
    files: {
      is: "VirtualMachineFileInfo",
      vmPathName: vmPathName(context, vm),
      snapshotDirectory: folderName(context, vm),
      suspendDirectory: folderName(context, vm),
      logDirectory: folderName(context, vm),
    },
    hardware: {
      is: "VirtualHardware",
      numCPU: vm.cpus,
      numCoresPerSocket: 1,
      memoryMB: vm.memoryMb,
      device: deviceObjects(context, vm),
    },
    nestedHVEnabled: vm.nested ?? undefined,
  };
}

/** Changes with every reconfiguration; a request may name the one it is based on. */
export function changeVersion(context: ManagerContext, vm: ManagerVm): string {
  return `${timestamp(context, vm.changedMs)}-${vm.changes}`;
}

function folderName({ state }: ManagerContext, vm: ManagerVm): string {
  return `[${state.datastores.get(vm.datastoreId)?.name ?? ""}] ${vm.key}/`;
}

function vmPathName(context: ManagerContext, vm: ManagerVm): string {
  return `${folderName(context, vm)}${vm.key}.vmx`;
}

function runtimeInfo(context: ManagerContext, vm: ManagerVm): DataObject {
  return {
    is: "VirtualMachineRuntimeInfo",
    host: refTo("HostSystem", vm.hostId),
    connectionState: vm.connection,
    powerState: vm.power,
    toolsInstallerMounted: false,
    bootTime: vm.bootMs === null ? undefined : timestamp(context, vm.bootMs),
    numMksConnections: 0,
    consolidationNeeded: false,
  };
}

function guestInfo({ nowMs }: ManagerContext, vm: ManagerVm): DataObject {
  const runs = hasTools(vm, nowMs);
  const isInstalled = vm.tools === "running";
  return {
    is: "GuestInfo",
    toolsStatus: runs ? "toolsOk" : isInstalled ? "toolsNotRunning" : "toolsNotInstalled",
    toolsVersionStatus: isInstalled ? "guestToolsCurrent" : "guestToolsNotInstalled",
    toolsVersionStatus2: isInstalled ? "guestToolsCurrent" : "guestToolsNotInstalled",
    toolsRunningStatus: runs ? "guestToolsRunning" : "guestToolsNotRunning",
    guestId: runs ? vm.guestOs : undefined,
    guestFullName: runs ? guestName(vm) : undefined,
    hostName: runs ? vm.key : undefined,
    guestState: runs ? "running" : "notRunning",
    guestOperationsReady: runs,
  };
}

function summaryOf(
  context: ManagerContext,
  vm: ManagerVm,
  { runtime, guest }: { readonly runtime: DataObject; readonly guest: DataObject | undefined },
): DataObject {
  const committedKb = vm.disks.reduce((sum, disk) => sum + disk.allocatedKb, 0);
  const capacityKb = vm.disks.reduce((sum, disk) => sum + disk.capacityKb, 0);
  return {
    is: "VirtualMachineSummary",
    vm: refTo("VirtualMachine", vm.id),
    runtime,
    guest: guest === undefined ? undefined : { ...guest, is: "VirtualMachineGuestSummary" },
    config: {
      is: "VirtualMachineConfigSummary",
      name: wireName(vm.name),
      template: vm.template,
      vmPathName: vmPathName(context, vm),
      memorySizeMB: vm.memoryMb,
      numCpu: vm.cpus,
      numVirtualDisks: vm.disks.length,
      uuid: vm.uuid,
      instanceUuid: vm.instanceUuid,
      guestId: vm.guestOs,
      guestFullName: guestName(vm),
    },
    storage: {
      is: "VirtualMachineStorageSummary",
      committed: committedKb * 1024,
      uncommitted: (capacityKb - committedKb) * 1024,
      unshared: committedKb * 1024,
      timestamp: timestamp(context, context.nowMs),
    },
    overallStatus: "green",
  };
}

/** One line of snapshots, each the child of the one before. */
function snapshotInfo(context: ManagerContext, vm: ManagerVm): DataObject {
  const tree = vm.snapshots.reduceRight<readonly DataObject[]>(
    (children, snapshot) => [
      {
        is: "VirtualMachineSnapshotTree",
        snapshot: refTo("VirtualMachineSnapshot", snapshot.id),
        vm: refTo("VirtualMachine", vm.id),
        name: wireName(snapshot.name),
        description: snapshot.description,
        id: snapshot.number,
        createTime: timestamp(context, snapshot.createdMs),
        state: "poweredOff",
        quiesced: false,
        childSnapshotList: children,
      },
    ],
    [],
  );
  const last = vm.snapshots.at(-1);
  return {
    is: "VirtualMachineSnapshotInfo",
    currentSnapshot: last === undefined ? undefined : refTo("VirtualMachineSnapshot", last.id),
    rootSnapshotList: tree,
  };
}

/** Two files per disk: its description, and the extent that takes the space. */
function fileLayout(context: ManagerContext, vm: ManagerVm): DataObject {
  const files = vm.disks.flatMap((disk, index) => {
    const name = fileNameOf(context, disk);
    const extent = name.replace(
      /\.vmdk$/,
      disk.format === "sesparse" ? "-sesparse.vmdk" : "-flat.vmdk",
    );
    const bytes = disk.allocatedKb * 1024;
    return [
      fileObject(2 * index, name, "diskDescriptor", 512),
      fileObject(2 * index + 1, extent, "diskExtent", bytes),
    ];
  });
  return {
    is: "VirtualMachineFileLayoutEx",
    file: [...files, fileObject(2 * vm.disks.length, vmPathName(context, vm), "config", 2048)],
    disk: vm.disks.map((disk, index) => ({
      is: "VirtualMachineFileLayoutExDiskLayout",
      key: disk.key,
      chain: [{ is: "VirtualMachineFileLayoutExDiskUnit", fileKey: [2 * index, 2 * index + 1] }],
    })),
    timestamp: timestamp(context, context.nowMs),
  };
}

function fileObject(key: number, name: string, type: string, size: number): DataObject {
  return {
    is: "VirtualMachineFileLayoutExFileInfo",
    key,
    name,
    type,
    size,
    uniqueSize: size,
    accessible: true,
  };
}
