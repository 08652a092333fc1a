/**
 * Sections that every document of a VM or a vApp has, as recorded (wire facts A.3.1, A.3.4):
 * hardware, guest system, connections, customization, leases, startup. Attributes of the API's
 * namespace on a foreign element and the other way round are recorded, too (wire facts A.0.3).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Draft } from "../rest/document.ts";
import { elementIn, elementOf, mediaType } from "../rest/document.ts";
import type { CloudVm } from "../world/inventory.ts";

export const ovfNamespace = "http://schemas.dmtf.org/ovf/envelope/1";
const rasd = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData";
const vssd = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_VirtualSystemSettingData";

/** Children of a section of the API. */
type Parts = readonly (XmlElement | undefined)[];

function ownSection(draft: Draft, local: string, path: string, about: string, parts: Parts) {
  const name = local.charAt(0).toLowerCase() + local.slice(1);
  const href = `${draft.base}${path}/${name}/`;
  const info = elementIn(ovfNamespace, "Info", {}, [about]);
  const section = elementOf(draft, local, { type: mediaType(draft, name), href }, [info, ...parts]);
  const required = { namespace: ovfNamespace, local: "required", value: "false" };
  return { ...section, attributes: [...section.attributes, required] };
}

function flag(draft: Draft, local: string, value: boolean): XmlElement {
  return elementOf(draft, local, {}, [String(value)]);
}

/** No network is simulated, so there is no connection. */
export function networkConnectionSection(draft: Draft, vm: CloudVm): XmlElement {
  const about = "Specifies the available VM network connections";
  return ownSection(draft, "NetworkConnectionSection", vmPath(vm), about, []);
}

/** The password in clear text, as real servers show it. */
export function customizationSection(draft: Draft, vm: CloudVm): XmlElement {
  const password = vm.adminPassword;
  const about = "Specifies Guest OS Customization Settings";
  return ownSection(draft, "GuestCustomizationSection", vmPath(vm), about, [
    flag(draft, "Enabled", false),
    flag(draft, "ChangeSid", false),
    elementOf(draft, "VirtualMachineId", {}, [vm.id]),
    flag(draft, "JoinDomainEnabled", false),
    flag(draft, "UseOrgSettings", false),
    flag(draft, "AdminPasswordEnabled", password !== null),
    flag(draft, "AdminPasswordAuto", false),
    password === null ? undefined : elementOf(draft, "AdminPassword", {}, [password]),
    flag(draft, "ResetPasswordRequired", false),
    elementOf(draft, "ComputerName", {}, [vm.name]),
  ]);
}

/** Zero: the lease never ends. */
export function leaseSection(draft: Draft, path: string): XmlElement {
  return ownSection(draft, "LeaseSettingsSection", path, "Lease settings section", [
    elementOf(draft, "DeploymentLeaseInSeconds", {}, ["0"]),
    elementOf(draft, "StorageLeaseInSeconds", {}, ["0"]),
  ]);
}

/** All VMs of a vApp at once. */
export function startupSection(draft: Draft, path: string, vms: readonly CloudVm[]): XmlElement {
  const items = vms.map((vm) => {
    const values = {
      id: vm.name,
      order: "0",
      startAction: "powerOn",
      startDelay: "0",
      stopAction: "powerOff",
      stopDelay: "0",
    };
    const attributes = Object.entries(values).map(([local, value]) => ({
      namespace: ovfNamespace,
      local,
      value,
    }));
    return { ...elementIn(ovfNamespace, "Item", {}), attributes };
  });
  return foreignSection(draft, "StartupSection", path, "VApp startup section", items);
}

export function operatingSystemSection(draft: Draft, vm: CloudVm): XmlElement {
  const about = "Specifies the operating system installed";
  const description = elementIn(ovfNamespace, "Description", {}, [vm.guestOs]);
  const parts = [description];
  const section = foreignSection(draft, "OperatingSystemSection", vmPath(vm), about, parts);
  const id = { namespace: ovfNamespace, local: "id", value: "36" };
  return { ...section, attributes: [id, ...section.attributes] };
}

export function hardwareSection(draft: Draft, vm: CloudVm): XmlElement {
  const version = `vmx-${String(vm.hardwareVersion).padStart(2, "0")}`;
  const about = "Virtual hardware requirements";
  return foreignSection(draft, "VirtualHardwareSection", vmPath(vm), about, [
    elementIn(ovfNamespace, "System", {}, [
      elementIn(vssd, "ElementName", {}, ["Virtual Hardware Family"]),
      elementIn(vssd, "InstanceID", {}, ["0"]),
      elementIn(vssd, "VirtualSystemIdentifier", {}, [vm.name]),
      elementIn(vssd, "VirtualSystemType", {}, [version]),
    ]),
    diskItem(draft, { number: 1, capacityMb: vm.storageMb }),
    vm.independentDisk
      ? diskItem(draft, { number: 2, capacityMb: 1024, href: `/api/disk/${vm.id}` })
      : undefined,
  ]);
}

type Disk = { readonly number: number; readonly capacityMb: number; readonly href?: string };

/** As recorded: a disk that is an object of its own carries its href. */
function diskItem(draft: Draft, { number, capacityMb, href }: Disk): XmlElement {
  const { namespace } = draft.dialect;
  const value = (local: string, text: string): XmlElement => elementIn(rasd, local, {}, [text]);
  const own = {
    capacity: String(capacityMb),
    busSubType: "lsilogic",
    busType: "6",
    ...(href === undefined ? {} : { disk: `${draft.base}${href}` }),
  };
  const attributes = Object.entries(own).map(([local, text]) => ({
    namespace,
    local,
    value: text,
  }));
  return elementIn(ovfNamespace, "Item", {}, [
    value("AddressOnParent", String(number - 1)),
    value("Description", "Hard disk"),
    value("ElementName", `Hard disk ${number}`),
    { ...elementIn(rasd, "HostResource", {}), attributes },
    value("InstanceID", String(1999 + number)),
    value("Parent", "2"),
    value("ResourceType", "17"),
  ]);
}

function foreignSection(draft: Draft, local: string, path: string, about: string, parts: Parts) {
  const { namespace } = draft.dialect;
  const name = local.charAt(0).toLowerCase() + local.slice(1);
  const info = elementIn(ovfNamespace, "Info", {}, [about]);
  return {
    ...elementIn(ovfNamespace, local, {}, [info, ...parts]),
    attributes: [
      { namespace, local: "href", value: `${draft.base}${path}/${name}/` },
      { namespace, local: "type", value: mediaType(draft, name) },
    ],
  };
}

function vmPath(vm: CloudVm): string {
  return `/api/vApp/vm-${vm.id}`;
}
