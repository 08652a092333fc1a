/** VMs, hosts and places of a scripted host manager, and what is wanted of them. */

import type {
  PreparedOperation,
  RequestPreview,
} from "../../../../src/model/operation/operation.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import type { Wanted } from "../../../../src/model/provider/observation.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import {
  type ManagerScript,
  ref,
  refs,
  type ScriptedManager,
  startManager,
  type TestObject,
  taskAnswer,
  text,
} from "./scripted-manager.ts";

export type TestVm = {
  readonly id: string;
  readonly name?: string;
  readonly parent?: string;
  readonly power?: string;
  readonly nested?: boolean;
  readonly version?: string | null;
  readonly host?: string;
  readonly tools?: string;
  readonly toolsStatus?: string;
  readonly home?: string;
  /** Ids of datastores; none are shown unless some are given. */
  readonly datastores?: readonly string[];
  readonly template?: boolean;
  readonly connection?: string;
  readonly uuid?: string;
  readonly devices?: readonly string[];
  readonly tasks?: readonly string[];
  readonly snapshot?: string;
  readonly refused?: TestObject["refused"];
};

export function vmObject(vm: TestVm): TestObject {
  const values: { [path: string]: string } = {
    name: text(vm.name ?? vm.id),
    "config.instanceUuid": text(vm.uuid ?? `5000-${vm.id}`),
    "config.template": text(String(vm.template ?? false), "xsd:boolean"),
    "config.files.vmPathName": text(vm.home ?? `[ssd-01] ${vm.id}/${vm.id}.vmx`),
    "config.hardware.device": devicesXml(vm.devices ?? []),
    "runtime.powerState": text(vm.power ?? "poweredOff", "VirtualMachinePowerState"),
    "runtime.connectionState": text(vm.connection ?? "connected"),
    "runtime.host": ref("HostSystem", vm.host ?? "host-10"),
    "guest.toolsRunningStatus": text(vm.tools ?? "guestToolsNotRunning"),
    "guest.toolsStatus": text(vm.toolsStatus ?? "toolsNotRunning"),
    recentTask: refs("Task", vm.tasks ?? []),
  };
  if (vm.parent !== "none") values.parent = ref("Folder", vm.parent ?? "group-v3");
  if (vm.datastores !== undefined) values.datastore = refs("Datastore", vm.datastores);
  if (vm.version !== null) values["config.version"] = text(vm.version ?? "vmx-09");
  if (vm.snapshot !== undefined) values.snapshot = vm.snapshot;
  if (vm.nested !== undefined) {
    values["config.nestedHVEnabled"] = text(String(vm.nested), "xsd:boolean");
  }
  const { refused } = vm;
  return {
    type: "VirtualMachine",
    id: vm.id,
    values,
    ...(refused === undefined ? {} : { refused }),
  };
}

export function devicesXml(devices: readonly string[]): string {
  const controller =
    '<VirtualDevice xsi:type="ParaVirtualSCSIController"><key>1000</key><busNumber>0</busNumber></VirtualDevice>';
  return `<val xsi:type="ArrayOfVirtualDevice">${controller}${devices.join("\n")}</val>`;
}

export type TestDisk = {
  readonly key?: number;
  readonly label?: string;
  readonly kb?: number | bigint;
  /** Undefined: as a server of before 5.5 shows it. */
  readonly bytes?: bigint;
  readonly backing?: string;
  /** Elements within the backing, behind the mode. */
  readonly more?: string;
};

export const gbKb = 1024 * 1024;

/** A disk as servers print it, indented and with elements that nobody here knows. */
export function disk({ key = 2000, label, kb = 10 * gbKb, bytes, ...rest }: TestDisk = {}): string {
  const { backing = "VirtualDiskFlatVer2BackingInfo", more = "" } = rest;
  const size = bytes === undefined ? "" : `<capacityInBytes>${bytes}</capacityInBytes>`;
  return (
    `<VirtualDevice xsi:type="VirtualDisk">
    <key>${key}</key>
    <deviceInfo><label>${label ?? `Hard disk ${key - 1999}`}</label><summary>10,485,760 KB</summary></deviceInfo>
    <backing xsi:type="${backing}"><fileName>[ssd-01] web/web_${key}.vmdk</fileName>` +
    `<datastore type="Datastore">datastore-1</datastore><diskMode>persistent</diskMode>${more}` +
    `<uuid>6000C29</uuid></backing>
    <controllerKey>1000</controllerKey><unitNumber>${key - 2000}</unitNumber>
    <capacityInKB>${kb}</capacityInKB>${size}
    <shares><shares>1000</shares><level>normal</level></shares>
    <later xsi:type="xsd:int">7</later>
  </VirtualDevice>`
  );
}

export const host: TestObject = {
  type: "HostSystem",
  id: "host-10",
  values: { name: text("esx1.example.com"), "capability.nestedHVSupported": text("true") },
};

/** `Lab/vm/team`, beside the root folder that no view shows. */
export const places: readonly TestObject[] = [
  host,
  {
    type: "Datacenter",
    id: "datacenter-2",
    values: { name: text("Lab"), parent: ref("Folder", "group-d1") },
  },
  {
    type: "Folder",
    id: "group-v3",
    values: { name: text("vm"), parent: ref("Datacenter", "datacenter-2") },
  },
  {
    type: "Folder",
    id: "group-v4",
    values: { name: text("team"), parent: ref("Folder", "group-v3") },
  },
  {
    type: "Folder",
    id: "group-s5",
    values: { name: text("datastore"), parent: ref("Datacenter", "datacenter-2") },
  },
  datastore("datastore-1", "ssd-01"),
  datastore("datastore-2", "ssd-02"),
];

function datastore(id: string, name: string, parent = "group-s5"): TestObject {
  return { type: "Datastore", id, values: { name: text(name), parent: ref("Folder", parent) } };
}

export type TestTask = {
  readonly id: string;
  readonly state?: string;
  readonly description?: string;
  readonly entity?: string;
  readonly user?: string;
  readonly queued?: string;
  /** Elements of the info besides. */
  readonly more?: string;
  readonly reason?: string;
};

export function taskObject(task: TestTask): TestObject {
  const { id, state = "running", description = "VirtualMachine.reconfigure" } = task;
  const reason =
    task.reason ??
    `<reason xsi:type="TaskReasonUser"><userName>${task.user ?? "domain\\ADMIN"}</userName></reason>`;
  const info =
    `<val xsi:type="TaskInfo"><key>${id}</key><task type="Task">${id}</task>` +
    `<descriptionId>${description}</descriptionId>` +
    `<entity type="VirtualMachine">${task.entity ?? "vm-1"}</entity><entityName>web</entityName>` +
    `<state>${state}</state>${task.more ?? ""}${reason}` +
    `<queueTime>${task.queued ?? "2026-01-02T03:04:06.5Z"}</queueTime></val>`;
  return { type: "Task", id, values: { info } };
}

export function wanted(type: string, changes: Partial<Wanted> = {}): Wanted {
  return { address: `${type}.x` as Address, type, identity: "", attributes: [], ...changes };
}

export function lookedUp(type: string, lookup: Attributes, attributes: string[] = []): Wanted {
  return wanted(type, { lookup, attributes });
}

export function operation(
  type: string,
  verb: string,
  identity: string,
  inputs: Attributes = {},
): PreparedOperation {
  return {
    id: `${type}.x#${verb}.1`,
    subject: {
      address: `${type}.x` as Address,
      type,
      provider: "manager",
      objectKey: "current",
      identity,
    },
    verb,
    effect: { kind: "update" },
    summary: "",
    request: { inputs, repeat: "safe" },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    order: { after: [], locks: [], pools: [], long: false },
    disrupts: [],
    proof: { expect: [], unobservable: false, lagging: false, limitMs: 60_000, readBack: [] },
  };
}

/** Text of a request; empty while it is not known. */
export function bodyOf(request: RequestPreview | undefined): string {
  return typeof request?.body === "string" ? request.body : "";
}

export type World = {
  /** Of the one VM, `vm-1`, named `web`. */
  readonly vm?: Partial<TestVm>;
  readonly tasks?: readonly TestTask[];
  /** Ids in the list of the server. */
  readonly listed?: readonly string[];
};

/** A host manager with one VM, which answers every change with `task-7`. */
export function startWorld(world: World, script: ManagerScript = {}): Promise<ScriptedManager> {
  const { tasks = [], listed = [] } = world;
  const list = {
    type: "TaskManager",
    id: "TaskManager",
    values: { recentTask: refs("Task", listed) },
  };
  const vm = vmObject({ id: "vm-1", name: "web", ...world.vm });
  return startManager({
    objects: [vm, list, ...tasks.map(taskObject), ...places],
    handle: ({ method }) => (method.endsWith("_Task") ? taskAnswer(method) : undefined),
    ...script,
  });
}

export async function failure(work: Promise<unknown> | undefined): Promise<RemoteError> {
  const error = await work?.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RemoteError) return error;
  throw new Error(`no RemoteError but ${String(error)}`);
}
