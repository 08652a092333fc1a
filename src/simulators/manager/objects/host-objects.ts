/** Properties of hosts and of their datastores (wire facts D.4). */

import { uuidOf } from "../../kit/uuid.ts";
import { type DataObject, type Reference, refTo } from "../soap/soap-value.ts";
import {
  freeKb,
  type ManagerDatastore,
  type ManagerHost,
  type ManagerVm,
  wireName,
} from "../world/inventory.ts";
import { aboutInfo } from "./about.ts";
import { type ManagerContext, timestamp } from "./context.ts";

type Properties = Omit<DataObject, "is">;

export function hostProperties(context: ManagerContext, host: ManagerHost): Properties {
  const { state } = context;
  const ref = refTo("HostSystem", host.id);
  const runtime = {
    is: "HostRuntimeInfo",
    connectionState: "connected",
    powerState: "poweredOn",
    inMaintenanceMode: false,
  };
  const product = aboutInfo(context, "host");
  return {
    name: wireName(host.name),
    runtime,
    summary: {
      is: "HostListSummary",
      host: ref,
      hardware: hardwareOf(context, host),
      runtime,
      config: {
        is: "HostConfigSummary",
        name: host.name,
        port: 443,
        product,
        vmotionEnabled: true,
      },
      quickStats: { is: "HostListSummaryQuickStats" },
      overallStatus: "green",
      rebootRequired: false,
    },
    capability: {
      is: "HostCapability",
      vmotionSupported: true,
      storageVMotionSupported: true,
      supportedVmfsMajorVersion: [3, 5],
      nestedHVSupported: host.nestedSupported,
    },
    config: { is: "HostConfigInfo", host: ref, product },
    vm: vmsWhere(context, (vm) => vm.hostId === host.id),
    datastore: [...state.datastores.values()]
      .filter((each) => each.hostIds.includes(host.id))
      .map((each) => refTo("Datastore", each.id)),
    network: [],
  };
}

export function datastoreProperties(
  context: ManagerContext,
  datastore: ManagerDatastore,
): Properties {
  const { state } = context;
  const url = `ds:///vmfs/volumes/${uuidOf(state.seed, "datastore-url", datastore.id)}/`;
  return {
    name: wireName(datastore.name),
    info: {
      is: "VmfsDatastoreInfo",
      name: datastore.name,
      url,
      freeSpace: freeKb(state, datastore) * 1024,
      maxFileSize: 62 * 2 ** 40,
      timestamp: timestamp(context, context.nowMs),
    },
    summary: {
      is: "DatastoreSummary",
      datastore: refTo("Datastore", datastore.id),
      name: datastore.name,
      url,
      capacity: datastore.capacityKb * 1024,
      freeSpace: freeKb(state, datastore) * 1024,
      accessible: datastore.accessible,
      multipleHostAccess: datastore.hostIds.length > 1,
      type: "VMFS",
      maintenanceMode: "normal",
    },
    host: datastore.hostIds.map((id) => ({
      is: "DatastoreHostMount",
      key: refTo("HostSystem", id),
      mountInfo: {
        is: "HostMountInfo",
        path: `/vmfs/volumes/${datastore.name}`,
        accessMode: "readWrite",
        mounted: true,
        accessible: datastore.accessible,
      },
    })),
    vm: vmsWhere(
      context,
      (vm) =>
        vm.datastoreId === datastore.id ||
        vm.disks.some((disk) => disk.datastoreId === datastore.id),
    ),
    capability: {
      is: "DatastoreCapability",
      directoryHierarchySupported: true,
      rawDiskMappingsSupported: true,
      perFileThinProvisioningSupported: true,
      seSparseSupported: true,
    },
  };
}

/** What it is made of is the same everywhere; the specification says nothing about it. */
function hardwareOf({ state }: ManagerContext, host: ManagerHost): DataObject {
  return {
    is: "HostHardwareSummary",
    vendor: "Simulated",
    model: "Host",
    uuid: uuidOf(state.seed, "host", host.id),
    memorySize: 64 * 2 ** 30,
    cpuModel: "Simulated CPU",
    cpuMhz: 2400,
    numCpuPkgs: 2,
    numCpuCores: 16,
    numCpuThreads: 32,
    numNics: 0,
    numHBAs: 0,
  };
}

export function vmsWhere(
  { state }: ManagerContext,
  fits: (vm: ManagerVm) => boolean,
): readonly Reference[] {
  return [...state.vms.values()].filter(fits).map((vm) => refTo("VirtualMachine", vm.id));
}
