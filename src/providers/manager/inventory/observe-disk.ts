/** Observing a disk: by its VM and the key of its device, or by its label. */

import type { Observation } from "../../../model/provider/observation.ts";
import type { Attributes } from "../../../model/value/value.ts";
import { failed, missing } from "../../kit/reading.ts";
import { describeFault } from "../client/fault.ts";
import { vmIdOf } from "../client/moref.ts";
import type { Disk } from "../machine/disk-device.ts";
import { diskIdentity, diskParts } from "../machine/disk-identity.ts";
import { devicesPath, type VmProperties } from "../machine/vm-properties.ts";
import { type Asked, absent, lookupText, type Pass } from "./pass.ts";

const gbBytes = 1024n ** 3n;

/** Id of the VM that the disk is in, recorded or looked up. */
export function wantedDiskVm(object: Asked): string | undefined {
  if (object.identity !== "") return diskParts(object.identity)?.vm;
  return vmIdOf(lookupText(object, "vm") ?? "");
}

export async function observeDisk(pass: Pass, object: Asked): Promise<Observation> {
  const id = wantedDiskVm(object);
  if (id === undefined) return failed("nothing says in which VM the disk is");
  const machine = await pass.machines.byId(id);
  if (machine.status !== "found") return absent(machine);
  const { vm } = machine;
  if (vm.lost !== undefined) return failed(`VM ${vm.name} is ${vm.lost}`);
  if (vm.disks === undefined) {
    const fault = vm.refused.get(devicesPath);
    const why = fault === undefined ? "" : `: ${describeFault(fault)}`;
    return failed(`the host manager does not show the devices of VM ${vm.name}${why}`);
  }
  return pick(object, vm, vm.disks);
}

function pick(object: Asked, vm: VmProperties, disks: readonly Disk[]): Observation {
  const key = diskParts(object.identity)?.disk ?? lookupText(object, "disk_id");
  const label = object.identity === "" ? lookupText(object, "label") : undefined;
  if (key === undefined && label === undefined) {
    return failed("neither disk_id nor label says which disk is meant");
  }
  const matches = disks.filter(
    (disk) =>
      (key === undefined || disk.id === key) && (label === undefined || disk.label === label),
  );
  const [match, ...more] = matches;
  const wanted = [
    ...(key === undefined ? [] : [`disk_id ${key}`]),
    ...(label === undefined ? [] : [`label ${JSON.stringify(label)}`]),
  ].join(" and ");
  if (match === undefined) {
    const all = disks.map((disk) => describe(disk)).join("; ");
    const has = all === "" ? "none" : all;
    return missing(`VM ${vm.name} has no disk with ${wanted}; it has ${has}`);
  }
  if (more.length > 0) {
    return {
      status: "unreadable",
      rule: "failed",
      reason: `${matches.length} disks of VM ${vm.name} have ${wanted}; set disk_id`,
      matches: matches.map((disk) => describe(disk)),
    };
  }
  return {
    status: "found",
    identity: diskIdentity(vm.id, match.id),
    attributes: { vm: vm.id, ...diskAttributes(match), ...identifiersOf(vm, match) },
    unreadable: {},
  };
}

function identifiersOf({ instanceUuid }: VmProperties, { uuid }: Disk): Attributes {
  return {
    ...(instanceUuid === undefined ? {} : { vm_instance_uuid: instanceUuid }),
    ...(uuid === undefined ? {} : { disk_uuid: uuid }),
  };
}

/** Sizes are told twice: exactly, and in the unit that people write. */
export function diskAttributes(disk: Disk): Attributes {
  const { id, label, capacityBytes, format, fileName = null, datastore = null } = disk;
  return {
    disk_id: id,
    label,
    size_gb: gbOf(capacityBytes),
    capacity_bytes:
      capacityBytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(capacityBytes) : capacityBytes,
    format,
    file_name: fileName,
    datastore,
  };
}

/** Exact to some bytes. */
function gbOf(bytes: bigint): number {
  return Number(bytes / gbBytes) + Number(bytes % gbBytes) / Number(gbBytes);
}

function describe({ id, label, capacityBytes }: Disk): string {
  return `${id} ${JSON.stringify(label)} of ${gbOf(capacityBytes)} GB`;
}
