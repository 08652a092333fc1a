/**
 * Managed objects and their properties: everything that can be read, by reference (specification,
 * section D; wire facts D.3 to D.5).
 *
 * The door of `objects`: a file for each kind (`vm-objects.ts`, `device-objects.ts`,
 * `host-objects.ts`, `task-objects.ts`, `view-objects.ts`, `alarm-objects.ts`,
 * `collector-objects.ts`); `tree.ts` says what contains what, `context.ts` whose eyes look,
 * `about.ts` which server it is.
 */

import { type DataObject, isSameRef, type Reference, refTo } from "../soap/soap-value.ts";
import { isKindOf } from "../soap/wsdl.ts";
import { eventObject } from "../world/event.ts";
import { fixedIds, wireName } from "../world/inventory.ts";
import type { ManagerSession } from "../world/session-record.ts";
import { aboutInfo } from "./about.ts";
import { alarmInfo, alarmStates } from "./alarm-objects.ts";
import { collectorObject, filterObject } from "./collector-objects.ts";
import { type ManagerContext, timestamp } from "./context.ts";
import { datastoreProperties, hostProperties, vmsWhere } from "./host-objects.ts";
import { isObjectThere, recentTasks, taskInfo } from "./task-objects.ts";
import { childrenOf, parentOf } from "./tree.ts";
import { viewObject } from "./view-objects.ts";
import { vmProperties } from "./vm-objects.ts";

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
    name: "cluster",
    resourcePool: refTo("ResourcePool", fixedIds(state.rules.kind).resourcePool),
    host: state.hosts.map((host) => refTo("HostSystem", host.id)),
    datastore: [...state.datastores.keys()].map((id) => refTo("Datastore", id)),
    network: [],
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
        sessionList:
          session && [...state.sessions.values()].map((each) => userSession(context, each)),
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
