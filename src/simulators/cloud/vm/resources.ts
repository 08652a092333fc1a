/**
 * VMs, vApps and templates as documents (wire facts A.3.1, A.3.4). What is not simulated, such as
 * networks and leases, is shown as a cloud without any shows it.
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Answer } from "../../kit/answer.ts";
import { uuidOf } from "../../kit/uuid.ts";
import { isAtLeast } from "../../kit/version.ts";
import type { UserCall } from "../rest/call.ts";
import { checkUuid, findTarget, refuse, segmentOf, show } from "../rest/call.ts";
import type { Draft } from "../rest/document.ts";
import { adminType, elementIn, elementOf, linkTo, mediaType, timestamp } from "../rest/document.ts";
import type { CloudRefusal } from "../rest/refusal.ts";
import { isRefusal, noAccess } from "../rest/refusal.ts";
import { vdcIdOf } from "../session/organizations.ts";
import { managerOf, runningIn, vmsOf } from "../world/cloud-state.ts";
import type { CloudVapp, CloudVm } from "../world/inventory.ts";
import {
  isAdministrator,
  isDenied,
  maySee,
  userPath,
  vappStatus,
  vmStatus,
} from "../world/inventory.ts";
import type { OfferedLink } from "./link-set.ts";
import { powerLinks, snapshotLinks, vmLinks } from "./link-set.ts";
import {
  customizationSection,
  hardwareSection,
  leaseSection,
  networkConnectionSection,
  operatingSystemSection,
  ovfNamespace,
  startupSection,
} from "./sections.ts";
import { taskElement } from "./tasks.ts";

/** GET of a VM or a vApp. */
export function getResource(call: UserCall): Answer {
  const target = findTarget(call);
  if (isRefusal(target)) return refuse(call, target);
  return target.kind === "vm"
    ? show(call, "vm", vmElement(call, target.vm))
    : show(call, "vApp", vappElement(call, target.vapp, target.vms));
}

export function getSnapshotSection(call: UserCall): Answer {
  const target = findTarget(call);
  if (isRefusal(target)) return refuse(call, target);
  const [vm] = target.kind === "vm" ? [target.vm] : target.vms;
  return show(call, "snapshotSection", snapshotSection(call.draft, vm));
}

/** GET of a template, or of a VM in one: neither can do anything here. */
export function getTemplate(call: UserCall): Answer {
  const found = findTemplate(call);
  if (isRefusal(found)) return refuse(call, found);
  const { draft } = call;
  const { vapp, vm } = found;
  if (vm !== undefined) return show(call, "vm", templateVm(draft, vm));
  const attributes = {
    ovfDescriptorUploaded: true,
    status: vmStatus.off,
    name: vapp.name,
    id: `${draft.dialect.urnPrefix}vapptemplate:${vapp.id}`,
    type: mediaType(draft, "vAppTemplate"),
    href: `${draft.base}/api/vAppTemplate/vappTemplate-${vapp.id}`,
  };
  const children = vmsOf(call.state, vapp.id).map((each) => templateVm(draft, each));
  const parts = [elementOf(draft, "Description", {}), elementOf(draft, "Children", {}, children)];
  return show(call, "vAppTemplate", elementOf(draft, "VAppTemplate", attributes, parts));
}

function findTemplate(
  call: UserCall,
): { readonly vapp: CloudVapp; readonly vm: CloudVm | undefined } | CloudRefusal {
  const [, kind, id = ""] = /^(vappTemplate|vm)-(.*)$/.exec(segmentOf(call, 0)) ?? [];
  const bad = checkUuid(id);
  if (bad !== undefined) return bad;
  const vm = kind === "vm" ? call.state.vms.get(id) : undefined;
  const vapp = call.state.vapps.get(kind === "vm" ? (vm?.vappId ?? "") : id);
  if (vapp?.template === true && maySee(call.user, vapp)) return { vapp, vm };
  return noAccess(call.draft, kind === "vm" ? "vm" : "vapptemplate", id);
}

function templateVm(draft: Draft, vm: CloudVm): XmlElement {
  const attributes = {
    status: vm.status,
    name: vm.name,
    id: `${draft.dialect.urnPrefix}vm:${vm.id}`,
    type: mediaType(draft, "vm"),
    href: `${draft.base}/api/vAppTemplate/vm-${vm.id}`,
  };
  return elementOf(draft, "Vm", attributes, [
    elementOf(draft, "Description", {}, [vm.description]),
    hardwareSection(draft, vm),
  ]);
}

function vmElement(call: UserCall, vm: CloudVm): XmlElement {
  const { draft, state, user, nowMs } = call;
  const path = `/api/vApp/vm-${vm.id}`;
  const isLater = isAtLeast(draft.version, "5.1");
  const running = runningIn(state, vm.vappId);
  const busy = running.some((task) => task.owner.kind === "vApp" || task.owner.id === vm.id);
  const administrator = isAdministrator(user);
  const profileId = uuidOf(state.seed, "profile", vm.storageProfile);
  const withheld = [...user.withheld, ...(vm.withheld ?? [])];
  const links = vmLinks(
    vm,
    { version: draft.version, busy, administrator, withheld },
    state.rules.nested_power,
  );
  return elementOf(
    draft,
    "Vm",
    {
      // Absent in 1.5, and on a VM that is being made: absent is not false (wire facts A.3.1).
      nestedHypervisorEnabled: isLater && vm.status !== 0 ? vm.nested : undefined,
      needsCustomization: false,
      deployed: vm.deployed,
      status: vm.status,
      name: vm.name,
      id: `${draft.dialect.urnPrefix}vm:${vm.id}`,
      type: mediaType(draft, "vm"),
      href: `${draft.base}${path}`,
    },
    [
      administrator ? extensionElement(call, vm) : undefined,
      ...links.map((link) => offered(draft, path, link)),
      linkTo(draft, "up", `/api/vApp/vapp-${vm.vappId}`, mediaType(draft, "vApp")),
      elementOf(draft, "Description", {}, [vm.description]),
      tasksOf(call, vm.id, nowMs),
      hardwareSection(draft, vm),
      operatingSystemSection(draft, vm),
      networkConnectionSection(draft, vm),
      customizationSection(draft, vm),
      elementOf(draft, "RuntimeInfoSection", {}, [
        elementIn(ovfNamespace, "Info", {}, ["Specifies Runtime info"]),
        vm.status === vmStatus.on && vm.tools
          ? elementOf(draft, "VMWareTools", { version: 9217 })
          : undefined,
      ]),
      isLater ? snapshotSection(draft, vm) : undefined,
      isLater ? elementOf(draft, "DateCreated", {}, [timestamp(vm.createdMs)]) : undefined,
      elementOf(draft, "VAppScopedLocalId", {}, [uuidOf(state.seed, "local", vm.id)]),
      isLater
        ? elementOf(draft, "StorageProfile", {
            type: mediaType(draft, "vdcStorageProfile"),
            name: vm.storageProfile,
            href: `${draft.base}/api/vdcStorageProfile/${profileId}`,
          })
        : undefined,
    ],
  );
}

function vappElement(call: UserCall, vapp: CloudVapp, vms: readonly CloudVm[]): XmlElement {
  const { draft, state, nowMs } = call;
  const path = `/api/vApp/vapp-${vapp.id}`;
  const status = vappStatus(vms);
  const deployed = vms.some((vm) => vm.deployed);
  const isBusy = runningIn(state, vapp.id).length > 0;
  const seen = vms.filter((vm) => !isDenied(call.user, vm));
  const hasSnapshot = vms.some((vm) => vm.snapshot !== null);
  const isLater = isAtLeast(draft.version, "5.1");
  const links = isBusy
    ? []
    : [
        ...mixedPowerLinks(vms, status, deployed),
        ...(isLater && vms.length > 0 ? snapshotLinks(hasSnapshot) : []),
      ];
  const attributes = {
    ovfDescriptorUploaded: true,
    deployed,
    status,
    name: vapp.name,
    id: `${draft.dialect.urnPrefix}vapp:${vapp.id}`,
    type: mediaType(draft, "vApp"),
    href: `${draft.base}${path}`,
  };
  return elementOf(draft, "VApp", attributes, [
    ...links.map((link) => offered(draft, path, link)),
    linkTo(draft, "up", `/api/vdc/${vdcIdOf(state, vapp.org)}`, mediaType(draft, "vdc")),
    elementOf(draft, "Description", {}),
    tasksOf(call, vapp.id, nowMs),
    leaseSection(draft, path),
    startupSection(draft, path, seen),
    isLater
      ? snapshotSection(
          draft,
          vms.find((vm) => vm.snapshot !== null),
        )
      : undefined,
    isLater ? elementOf(draft, "DateCreated", {}, [timestamp(vapp.createdMs)]) : undefined,
    elementOf(draft, "Owner", { type: mediaType(draft, "owner") }, [
      elementOf(draft, "User", {
        type: adminType(draft, "user"),
        name: vapp.owner,
        href: `${draft.base}${userPath(state.seed, vapp.owner, vapp.org)}`,
      }),
    ]),
    elementOf(draft, "InMaintenanceMode", {}, ["false"]),
    elementOf(
      draft,
      "Children",
      {},
      seen.map((vm) => vmElement(call, vm)),
    ),
  ]);
}

/** A vApp offers what at least one of its VMs can do. */
function mixedPowerLinks(
  vms: readonly CloudVm[],
  status: number,
  deployed: boolean,
): readonly OfferedLink[] {
  if (vms.length === 0) return powerLinks({ status: vmStatus.off, deployed: false });
  if (status !== 10) return powerLinks({ status, deployed });
  const byRel = new Map<string, OfferedLink>();
  for (const vm of vms) for (const link of powerLinks(vm)) byRel.set(link.rel, link);
  byRel.delete("remove");
  return [...byRel.values()];
}

function offered(draft: Draft, path: string, link: OfferedLink): XmlElement {
  const type = link.type === undefined ? undefined : mediaType(draft, link.type);
  return linkTo(draft, link.rel, `${path}${link.suffix}`, type, link.name);
}

/** How long a VM shows a task of its own that has ended. */
const recentMs = 3_600_000;

/**
 * Queued, running and recently failed tasks; whether recent successes are shown too is not known
 * for sure (wire facts A.3.1).
 */
function tasksOf(call: UserCall, ownerId: string, nowMs: number): XmlElement | undefined {
  const { recent_success_tasks: recentSuccessTasks } = call.state.rules;
  const shown = [...call.state.tasks.values()].filter((task) => {
    if (task.owner.id !== ownerId) return false;
    if (task.ended === null) return true;
    if (task.ended.status === "success" && recentSuccessTasks === "absent") return false;
    return nowMs - task.ended.atMs < recentMs;
  });
  if (shown.length === 0) return undefined;
  const elements = shown.map((task) => taskElement(call, task));
  return elementOf(call.draft, "Tasks", {}, elements);
}

/** Without a name or a description: neither is readable in 5.1 (wire facts A.3.1). */
function snapshotSection(draft: Draft, vm: CloudVm | undefined): XmlElement {
  const snapshot = vm?.snapshot ?? null;
  return elementOf(draft, "SnapshotSection", {}, [
    elementIn(ovfNamespace, "Info", {}, ["Snapshot information section"]),
    snapshot === null
      ? undefined
      : elementOf(draft, "Snapshot", {
          size: snapshot.sizeBytes,
          poweredOn: snapshot.poweredOn,
          created: timestamp(snapshot.createdMs),
        }),
  ]);
}

/** For system administrators only: where the VM is, as the infrastructure manager calls it. */
function extensionElement(call: UserCall, vm: CloudVm): XmlElement {
  const { draft, state } = call;
  const namespace = draft.dialect.extensionNamespace;
  const datastore = state.datastores.get(vm.datastoreId);
  const manager = managerOf(state, vm.datastoreId);
  const reference = (name: string, moref: string, type: string): XmlElement =>
    elementIn(namespace, name, {}, [
      elementIn(namespace, "VimServerRef", {
        type: adminType(draft, "vmwvirtualcenter"),
        name: manager.name,
        href: `${draft.base}/api/admin/extension/vimServer/${manager.id}`,
      }),
      elementIn(namespace, "MoRef", {}, [moref]),
      elementIn(namespace, "VimObjectType", {}, [type]),
    ]);
  return elementOf(draft, "VCloudExtension", { required: false }, [
    elementIn(namespace, "VmVimInfo", {}, [
      reference("VmVimObjectRef", vm.moref, "VIRTUAL_MACHINE"),
      reference("DatastoreVimObjectRef", datastore?.moref ?? "", "DATASTORE"),
      reference("HostVimObjectRef", "host-19", "HOST"),
      elementIn(namespace, "VirtualDisksMaxChainLength", {}, ["1"]),
    ]),
  ]);
}
