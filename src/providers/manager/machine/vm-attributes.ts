/** Attributes of a VM as its properties show them, and why some of them are not there. */

import type { Observation, UnreadableReason } from "../../../model/provider/observation.ts";
import type { Value } from "../../../model/value/value.ts";
import { describeFault } from "../client/fault.ts";
import { datastoreOfPath } from "../client/moref.ts";
import { isSince } from "../client/service-content.ts";
import type { ManagerPorts } from "../part.ts";
import { type Disk, defaultDeltaFormat } from "./disk-device.ts";
import { toolsAttribute } from "./power.ts";
import { devicesPath, type VmProperties } from "./vm-properties.ts";

/** Nested virtualization came with it (specification, versioning). */
export const nestedSince = "5.1";

/** Between the names of datastores, where a VM is on several. */
const datastoreJoint = " + ";

type Found = Extract<Observation, { status: "found" }>;

export type VmQuestion = {
  /** Names of attributes that somebody needs. */
  readonly attributes: readonly string[];
  /** Of the tools, `null` is told only where it is news: they may be about to start. */
  readonly tellsTools: boolean;
};

/** A VM that has no power that can be told is no observation: see `unknownPower`. */
export function vmObservation(
  ports: ManagerPorts,
  vm: VmProperties,
  { attributes: asked, tellsTools }: VmQuestion,
): Found | undefined {
  if (vm.power === undefined) return undefined;
  const attributes: { [name: string]: Value } = {
    moref: vm.id,
    name: vm.name,
    power_state: vm.power,
  };
  const unreadable: { [attribute: string]: UnreadableReason } = {};
  const reasons: { [attribute: string]: string } = {};
  const put = (name: string, value: Value | undefined, path?: string): void => {
    if (value !== undefined) attributes[name] = value;
    else if (path !== undefined) {
      unreadable[name] = "failed";
      reasons[name] = reasonOf(vm, path);
    }
  };
  put("host", vm.host === undefined ? undefined : ports.hostNames.get(vm.host));
  put("instance_uuid", vm.instanceUuid);
  put("bios_uuid", vm.biosUuid);
  put("hardware_version", vm.hardwareVersion, "config.version");
  const isSpread = vm.datastores.length > 1 && vm.homePath !== undefined;
  put("datastore", datastoreOf(ports, vm), isSpread ? devicesPath : "config.files.vmPathName");
  if (vm.nestedUnknown || !isSince(ports.client.content.apiVersion, nestedSince)) {
    if (asked.includes("nested_hv_enabled")) {
      unreadable.nested_hv_enabled = "by rule";
      const { apiVersion } = ports.client.content;
      reasons.nested_hv_enabled = isSince(apiVersion, nestedSince)
        ? "the host manager does not tell it"
        : `API ${apiVersion} does not tell it; it came with ${nestedSince}`;
    }
  } else put("nested_hv_enabled", vm.nested, "config.nestedHVEnabled");
  if (asked.includes("delta_disk_format")) {
    const format = vm.disks === undefined ? undefined : deltaFormatOf(vm.disks);
    put("delta_disk_format", format, devicesPath);
  }
  if (vm.tools !== undefined) attributes[toolsAttribute] = vm.tools;
  else if (tellsTools) attributes[toolsAttribute] = null;
  return { status: "found", identity: vm.id, attributes, unreadable, reasons };
}

/**
 * The one that holds the VM and its disks; where disks are elsewhere, all of them, that of the VM's
 * own file first. A VM that uses one datastore alone has its disks there; of any other only the
 * devices tell, since an image in a drive counts as well.
 */
function datastoreOf({ datastoreNames }: ManagerPorts, vm: VmProperties): string | undefined {
  const [only, ...more] = vm.datastores;
  const isOne = only !== undefined && more.length === 0;
  const home = (isOne ? datastoreNames.get(only) : undefined) ?? datastoreOfPath(vm.homePath);
  if (home === undefined || more.length === 0) return home;
  const others = vm.disks?.flatMap(({ datastore }) => datastore ?? []);
  return others === undefined ? undefined : [...new Set([home, ...others])].join(datastoreJoint);
}

/** Why what the server shows of a VM is no answer; undefined where it is one. */
export function vmTrouble(vm: VmProperties): string | undefined {
  if (vm.isTemplate) return `${vm.name} (${vm.id}) is a template, which cannot be run`;
  if (vm.lost !== undefined) {
    const way = "what the host manager shows of it is what it was";
    return `VM ${vm.name} is ${vm.lost}: ${way}`;
  }
  if (vm.power !== undefined) return undefined;
  const fault = vm.refused.get("runtime.powerState");
  if (fault !== undefined)
    return `the power of VM ${vm.name} may not be read: ${describeFault(fault)}`;
  const word = vm.powerWord === "" ? "no power state" : `the power state ${vm.powerWord}`;
  return `VM ${vm.name} has ${word}, which says nothing of its power`;
}

/** The one that all deltas have, `mixed` where they differ, null for a VM without any. */
function deltaFormatOf(disks: readonly Disk[]): string | null {
  const deltas = disks.filter(({ isDelta }) => isDelta);
  const formats = new Set(deltas.map(({ deltaFormat = defaultDeltaFormat }) => deltaFormat));
  const [format = null] = formats;
  return formats.size > 1 ? "mixed" : format;
}

function reasonOf({ refused }: VmProperties, path: string): string {
  const fault = refused.get(path);
  return fault === undefined ? `the host manager does not show ${path}` : describeFault(fault);
}
