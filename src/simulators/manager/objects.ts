/**
 * Managed objects and their properties: everything that can be read, by reference (specification,
 * section D; wire facts D.3 to D.5).
 */

import { uuidOf } from "../uuid.ts";
import { alarmInfo, alarmStates } from "./alarm-objects.ts";
import type { ManagerContext } from "./context.ts";
import { timestamp } from "./context.ts";
import { eventObject } from "./event.ts";
import type { ManagerDatastore, ManagerHost, ManagerVm } from "./inventory.ts";
import { fixedIds, wireName } from "./inventory.ts";
import { collectorObject, filterObject } from "./properties/collectors.ts";
import type { ManagerSession } from "./session.ts";
import type { DataObject, Reference } from "./soap-value.ts";
import { isSameRef, refTo } from "./soap-value.ts";
import { freeKb } from "./space.ts";
import { isObjectThere, recentTasks, taskInfo } from "./task-objects.ts";
import { childrenOf, parentOf } from "./tree.ts";
import { vmProperties } from "./vm-objects.ts";
import { viewObject } from "./views.ts";
import { isKindOf } from "./wsdl.ts";

/** Properties of an object, named after its type; undefined when there is none. */
export function objectOf(context: ManagerContext, ref: Reference): DataObject | undefined {
  return isKindOf(ref.ref, "ManagedEntity")
    ? entityOf(context, ref)
    : (serviceOf(context, ref) ?? dynamicOf(context, ref));
}

function entityOf(context: ManagerContext, ref: Reference): DataObject | undefined {
  const own = entityProperties(context, ref);
  if (own === undefined) return undefined;
  return {
    is: ref.ref,
    parent: parentOf(context.state, ref),
    overallStatus: "green",
    configStatus: "green",
    effectiveRole: [context.session?.user.rights === "read" ? -2 : -1],
    disabledMethod: [],
    recentTask: ref.ref === "VirtualMachine" ? recentTasks(context, ref.id) : [],
    ...alarmStates(context, ref),
    alarmActionsEnabled: true,
    value: [],
    availableField: [],
    customValue: [],
    permission: [],
    tag: [],
    ...own,
  };
}

type Properties = Omit<DataObject, "is">;

function entityProperties(context: ManagerContext, ref: Reference): Properties | undefined {
  const { state } = context;
  const ids = fixedIds(state.rules.kind);
  switch (ref.ref) {
    case "VirtualMachine": {
      const vm = state.vms.get(ref.id);
      return vm && { name: wireName(vm.name), ...vmProperties(context, vm) };
    }
    case "HostSystem": {
      const host = state.hosts.find((each) => each.id === ref.id);
      return host && hostProperties(context, host);
    }
    case "Datastore": {
      const datastore = state.datastores.get(ref.id);
      return datastore && datastoreProperties(context, datastore);
    }
    case "Folder":
      return folderProperties(context, ref);
    case "Datacenter":
      return ref.id === ids.datacenter ? datacenterProperties(context) : undefined;
    case "ComputeResource":
    case "ClusterComputeResource":
      return isSameRef(ref, clusterRef(context)) ? clusterProperties(context) : undefined;
    case "ResourcePool":
      return ref.id === ids.resourcePool
        ? {
            name: "Resources",
            owner: clusterRef(context),
            resourcePool: [],
            vm: vmsWhere(context, (vm) => !vm.template),
          }
        : undefined;
    default:
      return undefined;
  }
}

function clusterRef({ state }: ManagerContext): Reference {
  const { kind } = state.rules;
  const type = kind === "manager" ? "ClusterComputeResource" : "ComputeResource";
  return refTo(type, fixedIds(kind).cluster);
}

function vmsWhere(
  { state }: ManagerContext,
  fits: (vm: ManagerVm) => boolean,
): readonly Reference[] {
  return [...state.vms.values()].filter(fits).map((vm) => refTo("VirtualMachine", vm.id));
}

function folderProperties(context: ManagerContext, ref: Reference): Properties | undefined {
  const { state } = context;
  const ids = fixedIds(state.rules.kind);
  const fixed: ReadonlyMap<string, readonly [string, readonly string[]]> = new Map([
    [ids.rootFolder, ["Datacenters", ["Folder", "Datacenter"]]],
    [ids.vmFolder, ["vm", ["Folder", "VirtualMachine", "VirtualApp"]]],
    [ids.hostFolder, ["host", ["Folder", "ComputeResource"]]],
    [ids.datastoreFolder, ["datastore", ["Folder", "Datastore", "StoragePod"]]],
    [ids.networkFolder, ["network", ["Folder", "Network", "DistributedVirtualSwitch"]]],
  ]);
  const own = state.folders.find((each) => each.id === ref.id);
  const found = fixed.get(ref.id) ?? (own && [own.name, fixed.get(ids.vmFolder)?.[1] ?? []]);
  if (found === undefined) return undefined;
  return {
    name: wireName(found[0]),
    childType: found[1],
    childEntity: childrenOf(state, ref),
  };
}

function datacenterProperties({ state }: ManagerContext): Properties {
  const ids = fixedIds(state.rules.kind);
  return {
    name: wireName(state.rules.datacenter),
    vmFolder: refTo("Folder", ids.vmFolder),
    hostFolder: refTo("Folder", ids.hostFolder),
    datastoreFolder: refTo("Folder", ids.datastoreFolder),
    networkFolder: refTo("Folder", ids.networkFolder),
    datastore: [...state.datastores.keys()].map((id) => refTo("Datastore", id)),
    network: [],
  };
}

function clusterProperties({ state }: ManagerContext): Properties {
  return {
    name: wireName(state.rules.cluster),
    resourcePool: refTo("ResourcePool", fixedIds(state.rules.kind).resourcePool),
    host: state.hosts.map((host) => refTo("HostSystem", host.id)),
    datastore: [...state.datastores.keys()].map((id) => refTo("Datastore", id)),
    network: [],
  };
}

function hostProperties(context: ManagerContext, host: ManagerHost): Properties {
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
      runtime,
      config: {
        is: "HostConfigSummary",
        name: host.name,
        port: 443,
        product,
        vmotionEnabled: true,
      },
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

function datastoreProperties(context: ManagerContext, datastore: ManagerDatastore): Properties {
  const { state } = context;
  const url = `ds:///vmfs/volumes/${uuidOf(state.seed, "datastore-url", datastore.id)}/`;
  return {
    name: wireName(datastore.name),
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

/** Objects of the service itself, with fixed ids. */
function serviceOf(context: ManagerContext, ref: Reference): DataObject | undefined {
  const { state, session } = context;
  const ids = fixedIds(state.rules.kind);
  const newest = state.events.at(-1);
  const fixed: { readonly [type: string]: readonly [string, () => Properties] } = {
    ServiceInstance: [
      "ServiceInstance",
      () => ({
        serverClock: timestamp(context, context.nowMs),
        content: serviceContent(context),
      }),
    ],
    SearchIndex: [ids.searchIndex, () => ({})],
    ViewManager: [
      ids.viewManager,
      () => ({
        viewList: [...(session?.views.values() ?? [])].map(({ kind, id }) => refTo(kind, id)),
      }),
    ],
    SessionManager: [
      ids.sessionManager,
      () => ({
        sessionList: session && [...state.sessions.values()].map((each) => userSession(context, each)),
        currentSession: session && userSession(context, session),
        messageLocaleList: ["en"],
        supportedLocaleList: ["en"],
        defaultLocale: "en",
      }),
    ],
    TaskManager: [ids.taskManager, () => ({ recentTask: recentTasks(context), maxCollector: 32 })],
    EventManager: [
      ids.eventManager,
      () => ({
        latestEvent: newest && eventObject(newest, (ms) => timestamp(context, ms)),
        maxCollector: 32,
      }),
    ],
    ...(state.rules.kind === "manager" ? { AlarmManager: [ids.alarmManager, () => ({})] } : {}),
  };
  const found = Object.hasOwn(fixed, ref.ref) ? fixed[ref.ref] : undefined;
  return found?.[0] === ref.id ? { is: ref.ref, ...found[1]() } : undefined;
}

/** Objects that come and go: tasks, alarms, snapshots, and what belongs to a session. */
function dynamicOf(context: ManagerContext, ref: Reference): DataObject | undefined {
  const { state, session } = context;
  switch (ref.ref) {
    case "Task": {
      const task = state.tasks.get(ref.id);
      const isThere = task !== undefined && isObjectThere(context, task);
      return isThere ? { is: "Task", info: taskInfo(context, task) } : undefined;
    }
    case "Alarm": {
      const alarm = state.alarms.get(ref.id);
      return alarm && { is: "Alarm", info: alarmInfo(context, alarm) };
    }
    case "VirtualMachineSnapshot": {
      for (const vm of state.vms.values()) {
        if (vm.snapshots.some((each) => each.id === ref.id)) {
          return { is: ref.ref, vm: refTo("VirtualMachine", vm.id), childSnapshot: [] };
        }
      }
      return undefined;
    }
    case "ContainerView":
    case "ListView":
    case "InventoryView":
      return viewObject(context, ref);
    case "PropertyCollector":
      return collectorObject(state, session, ref);
    case "PropertyFilter":
      return filterObject(session, ref.id);
    case "TaskHistoryCollector":
      return session?.collectors.has(ref.id) ? { is: ref.ref, latestPage: [] } : undefined;
    default:
      return undefined;
  }
}

/** Needs no login; a host has no alarm manager (wire facts D.3). */
export function serviceContent(context: ManagerContext): DataObject {
  const { kind } = context.state.rules;
  const ids = fixedIds(kind);
  return {
    is: "ServiceContent",
    rootFolder: refTo("Folder", ids.rootFolder),
    propertyCollector: refTo("PropertyCollector", ids.propertyCollector),
    viewManager: refTo("ViewManager", ids.viewManager),
    about: aboutInfo(context, kind),
    sessionManager: refTo("SessionManager", ids.sessionManager),
    alarmManager: kind === "manager" ? refTo("AlarmManager", ids.alarmManager) : undefined,
    eventManager: refTo("EventManager", ids.eventManager),
    taskManager: refTo("TaskManager", ids.taskManager),
    searchIndex: refTo("SearchIndex", ids.searchIndex),
  };
}

function aboutInfo({ state }: ManagerContext, kind: "manager" | "host"): DataObject {
  const name = kind === "manager" ? "VMware vCenter Server" : "VMware ESXi";
  // Of three parts, whatever the version of the interface has: 6.5 is 6.5.0, and 8.0.3.0 is 8.0.3.
  const version = [...state.rules.apiVersion.split("."), "0", "0"].slice(0, 3).join(".");
  return {
    is: "AboutInfo",
    name,
    fullName: `${name} ${version} build-1000001`,
    vendor: "VMware, Inc.",
    version,
    build: "1000001",
    localeVersion: "INTL",
    localeBuild: "000",
    osType: kind === "manager" ? "linux-x64" : "vmnix-x86",
    productLineId: kind === "manager" ? "vpx" : "embeddedEsx",
    apiType: kind === "manager" ? "VirtualCenter" : "HostAgent",
    apiVersion: state.rules.apiVersion,
    instanceUuid: kind === "manager" ? uuidOf(state.seed, "manager-instance", "") : undefined,
  };
}

export function userSession(context: ManagerContext, session: ManagerSession): DataObject {
  return {
    is: "UserSession",
    key: session.key,
    userName: session.userName,
    fullName: session.user.name,
    loginTime: timestamp(context, session.loginMs),
    lastActiveTime: timestamp(context, session.lastMs),
    locale: "en",
    messageLocale: "en",
    extensionSession: false,
    ipAddress: "127.0.0.1",
    userAgent: session.userAgent,
    callCount: session.calls,
  };
}
