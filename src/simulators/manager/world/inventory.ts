/** What the simulated manager holds besides tasks, alarms and events. Records are immutable. */

import type {
  ManagerDiskEntry,
  ManagerUserEntry,
  ManagerVmEntry,
} from "../../kit/generated/documents.ts";

/** As the specification names them; `unknown` is a flat disk that does not tell its format. */
export type DiskFormat = ManagerDiskEntry["format"];

/** By the word of a world file. */
export const powerStateOf = {
  on: "poweredOn",
  off: "poweredOff",
  suspended: "suspended",
} as const;
export type PowerState = (typeof powerStateOf)[keyof typeof powerStateOf];

/** A file that the delta of a linked clone stands on, and only reads. */
export type DiskBase = {
  readonly datastoreId: string;
  readonly path: string;
  readonly format: DiskFormat;
};

export type ManagerDisk = {
  /** Device key, which `diskId` means everywhere. */
  readonly key: number;
  /** Such as `Hard disk 1`. */
  readonly label: string;
  readonly controllerKey: number;
  readonly unitNumber: number;
  readonly capacityKb: number;
  readonly format: DiskFormat;
  /** Reference of a datastore. */
  readonly datastoreId: string;
  /** Within the datastore, such as `web/web_1.vmdk`. */
  readonly path: string;
  readonly uuid: string;
  /** The disk is the delta of a linked clone. */
  readonly linked: boolean;
  /** Files below the delta, the nearest first; what a world file calls linked has one unnamed. */
  readonly bases?: readonly DiskBase[];
  readonly deltaDiskFormat: string | null;
  readonly deltaGrainSize: number | null;
  readonly grainSizeKb: number;
  /** Space that the disk takes on its datastore. */
  readonly allocatedKb: number;
  /** Part of it that the guest does not use any more; a wipe finds it. */
  readonly staleKb: number;
  /** What the last completed wipe has found and no shrink has given back; null without a wipe. */
  readonly shrinkableKb: number | null;
  /** Given back by all shrinks so far. */
  readonly reclaimedKb: number;
};

export type ManagerSnapshot = {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  readonly description: string;
  readonly createdMs: number;
};

export type ManagerVm = {
  /** The world file's name for it; not on the wire. */
  readonly key: string;
  /** Reference, such as `vm-101`. */
  readonly id: string;
  readonly name: string;
  readonly folderId: string;
  readonly hostId: string;
  /** Home of the VM; its disks may be elsewhere. */
  readonly datastoreId: string;
  readonly uuid: string;
  readonly instanceUuid: string;
  readonly hardwareVersion: number;
  /** Null until it was set for the first time. */
  readonly nested: boolean | null;
  readonly power: PowerState;
  readonly tools: "running" | "absent";
  /** When the guest's tools run, or began to; null while the VM is not on. */
  readonly toolsMs: number | null;
  /** When the guest will have shut down; null when nobody asked it to. */
  readonly shutdownMs: number | null;
  readonly bootMs: number | null;
  readonly connection: ManagerVmEntry["connection"];
  /** Property paths that nobody may read. */
  readonly unreadable: readonly string[];
  readonly snapshots: readonly ManagerSnapshot[];
  readonly disks: readonly ManagerDisk[];
  readonly cpus: number;
  readonly memoryMb: number;
  readonly guestOs: string;
  readonly template: boolean;
  readonly annotation: string;
  /** Count of changes of the configuration, and the time of the last one. */
  readonly changes: number;
  readonly changedMs: number;
};

export type ManagerHost = {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly nestedSupported: boolean;
};

export type ManagerDatastore = {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly capacityKb: number;
  /** Taken by what is not simulated. */
  readonly usedKb: number;
  readonly accessible: boolean;
  /** References of the hosts that have it. */
  readonly hostIds: readonly string[];
};

/** A folder of VMs below the datacenter's. */
export type ManagerFolder = {
  readonly id: string;
  readonly name: string;
  readonly parentId: string;
};

/** The name is without domain. */
export type ManagerUser = Readonly<ManagerUserEntry>;

/** Fixed ids, which differ between a manager and a host (wire facts D.3). */
export function fixedIds(kind: "manager" | "host") {
  return kind === "manager" ? managerIds : hostIds;
}

const managerIds = {
  rootFolder: "group-d1",
  datacenter: "datacenter-2",
  vmFolder: "group-v3",
  hostFolder: "group-h4",
  datastoreFolder: "group-s5",
  networkFolder: "group-n6",
  cluster: "domain-c7",
  resourcePool: "resgroup-8",
  propertyCollector: "propertyCollector",
  viewManager: "ViewManager",
  sessionManager: "SessionManager",
  alarmManager: "AlarmManager",
  eventManager: "EventManager",
  taskManager: "TaskManager",
  searchIndex: "SearchIndex",
};

const hostIds: typeof managerIds = {
  rootFolder: "ha-folder-root",
  datacenter: "ha-datacenter",
  vmFolder: "ha-folder-vm",
  hostFolder: "ha-folder-host",
  datastoreFolder: "ha-folder-datastore",
  networkFolder: "ha-folder-network",
  cluster: "ha-compute-res",
  resourcePool: "ha-root-pool",
  propertyCollector: "ha-property-collector",
  viewManager: "ViewManager",
  sessionManager: "ha-sessionmgr",
  alarmManager: "",
  eventManager: "ha-eventmgr",
  taskManager: "ha-taskmgr",
  searchIndex: "ha-searchindex",
};

export function isSparse(disk: ManagerDisk): boolean {
  return disk.format === "sesparse";
}

/** Space that a disk of this size and format takes, unless it is known. */
export function spaceOf(format: DiskFormat, capacityKb: number, writtenKb: number): number {
  return format === "thin" || format === "sesparse" ? Math.min(writtenKb, capacityKb) : capacityKb;
}

/** The guest's tools answer. */
export function hasTools(vm: ManagerVm, nowMs: number): boolean {
  return vm.power === "poweredOn" && vm.toolsMs !== null && vm.toolsMs <= nowMs;
}

/** Names hold no slash, backslash or percent sign on the wire. */
export function wireName(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2f").replaceAll("\\", "%5c");
}

/** Gives the VM another power: tools and boot follow. */
export function withPower(
  vm: ManagerVm,
  power: PowerState,
  atMs: number,
  toolsMs: number,
): ManagerVm {
  const isOn = power === "poweredOn";
  const boots = isOn && vm.power !== "suspended";
  return {
    ...vm,
    power,
    shutdownMs: null,
    bootMs: boots ? atMs : power === "poweredOff" ? null : vm.bootMs,
    toolsMs: isOn && vm.tools === "running" ? atMs + (boots ? toolsMs : 0) : null,
  };
}

/** Space on a datastore that nothing takes, KB. */
export function freeKb(
  { vms }: { readonly vms: ReadonlyMap<string, ManagerVm> },
  datastore: ManagerDatastore,
): number {
  let free = datastore.capacityKb - datastore.usedKb;
  for (const vm of vms.values()) {
    for (const disk of vm.disks) if (disk.datastoreId === datastore.id) free -= disk.allocatedKb;
  }
  return Math.max(0, free);
}

const firstScsiController = 1000;

const firstDisk = 2000;

/** Disks on one controller: unit 7 is the controller's own. */
const disksPerController = 15;

/** Place of a disk with a key: servers give keys out by controller and unit. */
export function placeOfKey(key: number) {
  const bus = Math.floor((key - firstDisk) / 16);
  return { key, controllerKey: firstScsiController + bus, unitNumber: (key - firstDisk) % 16 };
}

/** Keys and place of the disk at an index, as servers give them out. */
export function diskPlace(index: number) {
  const bus = Math.floor(index / disksPerController);
  const position = index % disksPerController;
  const unitNumber = position < 7 ? position : position + 1;
  return {
    key: firstDisk + 16 * bus + unitNumber,
    controllerKey: firstScsiController + bus,
    unitNumber,
  };
}
