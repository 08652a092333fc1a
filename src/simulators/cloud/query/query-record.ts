/**
 * Records of the query service: per type the attributes in order, each with its kind (wire facts
 * A.2.5). Only attributes of the 1.5 and 5.1 schemas, and recorded extras of what is simulated.
 */

import { isAtLeast } from "../../kit/version.ts";
import type { UserCall } from "../rest/call.ts";
import { timestamp } from "../rest/document.ts";
import { vdcIdOf, vdcName } from "../session/organizations.ts";
import { orgIdOf } from "../session/sessions.ts";
import { managerOf, runningIn, usedMb, vmsOf } from "../world/cloud-state.ts";
import type { CloudDatastore, CloudVapp, CloudVm } from "../world/inventory.ts";
import {
  isAdministrator,
  isDenied,
  maySee,
  statusName,
  vappStatus,
  vmStatus,
} from "../world/inventory.ts";
import { taskStatus } from "../world/task.ts";

/** A reference: its path for records, its kind and id for idrecords. */
export type Reference = { readonly path: string; readonly kind: string; readonly id: string };

export type FieldKind = "text" | "integer" | "boolean" | "date" | "reference";

export type FieldValue = string | number | boolean | Reference;

/** Names of a type's fields, in the order of records, with their kinds; `href` is always there. */
export type QuerySchema = { readonly [field: string]: FieldKind };

export type QueryRecord = {
  readonly self: Reference;
  readonly name: string;
  /** By field; what a record does not have is undefined. */
  readonly values: { readonly [field: string]: FieldValue | undefined };
};

export type QueryTypeName = "vm" | "adminVM" | "datastore" | "vApp" | "adminVApp";

export type QueryType = {
  readonly name: QueryTypeName;
  readonly element: string;
  /** Of the references format: root element without its plural, and media type. */
  readonly reference: string;
  readonly media: string;
  readonly isAdmin: boolean;
  readonly schema: QuerySchema;
  readonly records: (call: UserCall) => readonly QueryRecord[];
};

/** Of both records of a VM. */
const vmFields = {
  name: "text",
  containerName: "text",
  container: "reference",
  status: "text",
  vdc: "reference",
  isVAppTemplate: "boolean",
  isDeleted: "boolean",
  guestOs: "text",
  numberOfCpus: "integer",
  memoryMB: "integer",
  isDeployed: "boolean",
  isPublished: "boolean",
  catalogName: "text",
  hardwareVersion: "text",
  isVdcEnabled: "boolean",
  storageProfileName: "text",
} satisfies QuerySchema;

/** Undocumented extras of recorded records: the task begun last. */
const taskFields = {
  taskStatus: "text",
  task: "reference",
  taskDetails: "text",
  taskStatusName: "text",
} satisfies QuerySchema;

const vmSchema: QuerySchema = {
  ...vmFields,
  isBusy: "boolean",
  isInMaintenanceMode: "boolean",
  ...taskFields,
};

/** Without `isBusy`. */
const adminVmSchema: QuerySchema = {
  ...vmFields,
  hostName: "text",
  vmToolsVersion: "integer",
  datastoreName: "text",
  vc: "reference",
  moref: "text",
  org: "reference",
};

const datastoreSchema: QuerySchema = {
  name: "text",
  datastoreType: "text",
  isEnabled: "boolean",
  isDeleted: "boolean",
  storageUsedMB: "integer",
  storageMB: "integer",
  provisionedStorageMB: "integer",
  requestedStorageMB: "integer",
  vc: "reference",
  vcName: "text",
  moref: "text",
  numberOfProviderVdcs: "integer",
};

const vappFields = {
  name: "text",
  creationDate: "date",
  isBusy: "boolean",
  isDeployed: "boolean",
  isEnabled: "boolean",
  isExpired: "boolean",
  isInMaintenanceMode: "boolean",
  ownerName: "text",
  status: "text",
  vdc: "reference",
  vdcName: "text",
  numberOfVMs: "integer",
} satisfies QuerySchema;

const vappSchema: QuerySchema = { ...vappFields, isPublic: "boolean", ...taskFields };
const adminVappSchema: QuerySchema = {
  ...vappFields,
  isVdcEnabled: "boolean",
  org: "reference",
};

export const queryTypes: readonly QueryType[] = [
  {
    name: "vm",
    element: "VMRecord",
    reference: "VMReference",
    media: "vm",
    isAdmin: false,
    schema: vmSchema,
    records: (call) =>
      isAdministrator(call.user) && call.state.rules.administrator_vm_query === "none"
        ? []
        : visibleVms(call).map((vm) => vmRecord(call, vm)),
  },
  {
    name: "adminVM",
    element: "AdminVMRecord",
    reference: "VMReference",
    media: "vm",
    isAdmin: true,
    schema: adminVmSchema,
    records: (call) => visibleVms(call).map((vm) => adminVmRecord(call, vm)),
  },
  {
    name: "datastore",
    element: "DatastoreRecord",
    reference: "DatastoreReference",
    media: "datastore",
    isAdmin: true,
    schema: datastoreSchema,
    records: (call) =>
      [...call.state.datastores.values()].map((each) => datastoreRecord(call, each)),
  },
  {
    name: "vApp",
    element: "VAppRecord",
    reference: "VAppReference",
    media: "vApp",
    isAdmin: false,
    schema: vappSchema,
    records: (call) => visibleVapps(call).map((vapp) => vappRecord(call, vapp, false)),
  },
  {
    name: "adminVApp",
    element: "AdminVAppRecord",
    reference: "VAppReference",
    media: "vApp",
    isAdmin: true,
    schema: adminVappSchema,
    records: (call) => visibleVapps(call).map((vapp) => vappRecord(call, vapp, true)),
  },
];

function referenceOf(prefix: string, kind: string, id: string): Reference {
  return { path: `${prefix}${id}`, kind, id };
}

function visibleVms(call: UserCall): readonly CloudVm[] {
  return [...call.state.vms.values()].filter((vm) => {
    const vapp = call.state.vapps.get(vm.vappId);
    if (vapp === undefined || !maySee(call.user, vapp)) return false;
    // Queries of an administrator list what he has lost his rights on as well.
    return isAdministrator(call.user) || !isDenied(call.user, vm);
  });
}

function visibleVapps(call: UserCall): readonly CloudVapp[] {
  return [...call.state.vapps.values()].filter((vapp) => !vapp.template && maySee(call.user, vapp));
}

/** What both records of a VM say, and the template or vApp that holds it. */
function vmParts(call: UserCall, vm: CloudVm) {
  const { state } = call;
  const vapp = state.vapps.get(vm.vappId);
  if (vapp === undefined) throw new RangeError(`VM ${vm.key} is in no vApp`);
  const folder = vapp.template ? "/api/vAppTemplate/" : "/api/vApp/";
  const container = vapp.template
    ? referenceOf(`${folder}vappTemplate-`, "vapptemplate", vapp.id)
    : referenceOf(`${folder}vapp-`, "vapp", vapp.id);
  const self = referenceOf(`${folder}vm-`, "vm", vm.id);
  const vdc = referenceOf("/api/vdc/", "vdc", vdcIdOf(state, vapp.org));
  const common = {
    name: vm.name,
    containerName: vapp.name,
    container,
    status: statusName(vm.status),
    vdc,
    isVAppTemplate: vapp.template,
    isDeleted: false,
    guestOs: vm.guestOs,
    numberOfCpus: vm.cpus,
    memoryMB: vm.memoryMb,
    isDeployed: vm.deployed,
    isPublished: false,
    catalogName: vapp.template ? "Catalog" : undefined,
    hardwareVersion: String(vm.hardwareVersion),
    isVdcEnabled: true,
    storageProfileName: isAtLeast(call.draft.version, "5.1") ? vm.storageProfile : undefined,
  };
  return { vapp, self, common };
}

function vmRecord(call: UserCall, vm: CloudVm): QueryRecord {
  const { vapp, self, common } = vmParts(call, vm);
  const isBusy = runningIn(call.state, vapp.id).some(
    (task) => task.owner.kind === "vApp" || task.owner.id === vm.id,
  );
  const values = {
    ...common,
    isBusy,
    isInMaintenanceMode: false,
    ...(vapp.template ? {} : taskValues(call, vm.id)),
  };
  return { self, name: vm.name, values };
}

function taskValues({ state, nowMs }: UserCall, ownerId: string): QueryRecord["values"] {
  const task = [...state.tasks.values()].findLast((each) => each.owner.id === ownerId);
  if (task === undefined) return {};
  return {
    taskStatus: taskStatus(task, nowMs),
    task: referenceOf("/api/task/", "task", task.id),
    // Nothing to say is a space, not an empty text.
    taskDetails: task.ended?.error?.message ?? " ",
    taskStatusName: task.operationName,
  };
}

function adminVmRecord(call: UserCall, vm: CloudVm): QueryRecord {
  const { state } = call;
  const { vapp, self, common } = vmParts(call, vm);
  const values = {
    ...common,
    // What is not known is a space, not an empty text: a VM that is undeployed has no host.
    hostName: vm.deployed ? vm.hostName : " ",
    vmToolsVersion: vm.status === vmStatus.on && vm.tools ? 9217 : 0,
    datastoreName: state.datastores.get(vm.datastoreId)?.name ?? "",
    vc: managerReference(call, vm.datastoreId),
    moref: vm.moref,
    org: referenceOf("/api/org/", "org", orgIdOf(state, vapp.org)),
  };
  return { self, name: vm.name, values };
}

function managerReference({ state }: UserCall, datastoreId: string): Reference {
  const { id } = managerOf(state, datastoreId);
  return referenceOf("/api/admin/extension/vimServer/", "vimserver", id);
}

function datastoreRecord(call: UserCall, datastore: CloudDatastore): QueryRecord {
  const used = usedMb(call.state, datastore);
  return {
    self: referenceOf("/api/admin/extension/datastore/", "datastore", datastore.id),
    name: datastore.name,
    values: {
      name: datastore.name,
      datastoreType: "VMFS",
      isEnabled: datastore.enabled,
      isDeleted: false,
      storageUsedMB: used,
      storageMB: datastore.capacityMb,
      provisionedStorageMB: used,
      requestedStorageMB: used,
      vc: managerReference(call, datastore.id),
      vcName: managerOf(call.state, datastore.id).name,
      moref: datastore.moref,
      numberOfProviderVdcs: 1,
    },
  };
}

function vappRecord(call: UserCall, vapp: CloudVapp, isAdmin: boolean): QueryRecord {
  const { state } = call;
  const vms = vmsOf(state, vapp.id);
  return {
    self: referenceOf("/api/vApp/vapp-", "vapp", vapp.id),
    name: vapp.name,
    values: {
      name: vapp.name,
      creationDate: timestamp(vapp.createdMs),
      isBusy: runningIn(state, vapp.id).length > 0,
      isDeployed: vms.some((vm) => vm.deployed),
      isEnabled: true,
      isExpired: false,
      isInMaintenanceMode: false,
      ownerName: vapp.owner,
      status: statusName(vappStatus(vms)),
      vdc: referenceOf("/api/vdc/", "vdc", vdcIdOf(state, vapp.org)),
      vdcName: vdcName(vapp.org),
      numberOfVMs: vms.length,
      ...(isAdmin
        ? {
            isVdcEnabled: true,
            org: referenceOf("/api/org/", "org", orgIdOf(state, vapp.org)),
          }
        : { isPublic: false, ...taskValues(call, vapp.id) }),
    },
  };
}
