/** VMs and disks of a world file's `manager`. */

import { applianceDisks, applianceReleases } from "../../kit/appliance-layout.ts";
import type { Report } from "../../kit/document.ts";
import type {
  ManagerDiskEntry,
  ManagerRules,
  ManagerVmEntry,
} from "../../kit/generated/documents.ts";
import { uuidOf } from "../../kit/uuid.ts";
import {
  diskPlace,
  fixedIds,
  type ManagerDatastore,
  type ManagerDisk,
  type ManagerFolder,
  type ManagerHost,
  type ManagerVm,
  placeOfKey,
  powerStateOf,
  spaceOf,
} from "./inventory.ts";

export type VmContext = {
  readonly seed: number;
  readonly nowMs: number;
  readonly report: Report;
  readonly rules: ManagerRules;
  readonly hosts: readonly ManagerHost[];
  readonly datastores: readonly ManagerDatastore[];
  /** Reference of the folder at a path, made if it is not there. */
  readonly folderAt: (path: string) => string;
};

const gibibyteKb = 1024 * 1024;

/** `id` is its reference. */
export function managerVmOf(
  key: string,
  id: string,
  entry: ManagerVmEntry,
  context: VmContext,
): ManagerVm {
  const { seed, nowMs, rules } = context;
  const { power, tools, folder, nested } = entry;
  const isOn = power === "on";
  const path = ["manager", "vms", key];
  const datastoreId = keyed(context.datastores, entry, "datastore", { path, context });
  return {
    key,
    id,
    name: entry.name ?? key,
    folderId: folder === undefined ? fixedIds(rules.kind).vmFolder : context.folderAt(folder),
    hostId: keyed(context.hosts, entry, "host", { path, context }),
    datastoreId,
    uuid: (entry.uuid ?? uuidOf(seed, "manager-vm-bios", key)).toLowerCase(),
    instanceUuid: (entry.instance_uuid ?? uuidOf(seed, "manager-vm", key)).toLowerCase(),
    hardwareVersion: entry.hardware_version,
    nested: nested ?? null,
    power: powerStateOf[power],
    tools,
    toolsMs: isOn && tools === "running" ? nowMs : null,
    shutdownMs: null,
    bootMs: isOn ? nowMs : null,
    connection: entry.connection,
    unreadable: entry.unreadable,
    snapshots: entry.snapshots.map(({ name, description }, index) => ({
      id: `snapshot-${key}-${index + 1}`,
      number: index + 1,
      name,
      description,
      createdMs: nowMs,
    })),
    disks: disksOf(entry, { key, datastoreId, context }),
    cpus: entry.cpus,
    memoryMb: entry.memory_mb,
    guestOs: entry.guest_os,
    template: entry.template,
    annotation: "",
    changes: 0,
    changedMs: nowMs,
  };
}

/** A reference by the world file's key; the first one by default. */
function keyed<Name extends "host" | "datastore">(
  items: readonly { readonly key: string; readonly id: string }[],
  entry: { readonly [name in Name]?: string },
  name: Name,
  { path, context }: { readonly path: readonly string[]; readonly context: VmContext },
): string {
  const key = entry[name];
  const found = key === undefined ? items[0] : items.find((each) => each.key === key);
  if (found === undefined && key !== undefined) {
    context.report([...path, name], `there is no ${name} ${JSON.stringify(key)}`);
  }
  return found?.id ?? "";
}

type DiskContext = {
  readonly key: string;
  readonly datastoreId: string;
  readonly context: VmContext;
};

/** Those of a list, or of an appliance by the name of its layout. */
function disksOf({ disks }: ManagerVmEntry, common: DiskContext): readonly ManagerDisk[] {
  if (typeof disks !== "string") {
    return disks.map((entry, index) => diskOf(entry, index, common));
  }
  const release = applianceReleases.find((each) => disks.endsWith(each)) ?? "6.5";
  return applianceDisks(release).map(({ sizeKb, number }) =>
    newDisk(common, number - 1, { capacityKb: sizeKb }),
  );
}

function diskOf(entry: ManagerDiskEntry, index: number, common: DiskContext): ManagerDisk {
  const { key, context } = common;
  const path = ["manager", "vms", key, "disks", index];
  const { size_gb: sizeGb, size_mb: sizeMb, used_gb: usedGb, format } = entry;
  if (sizeGb !== undefined && sizeMb !== undefined) {
    context.report(path, "only one of size_gb, size_mb may be given");
  }
  const capacityKb = sizeMb === undefined ? (sizeGb ?? 16) * gibibyteKb : sizeMb * 1024;
  const usedKb = entry.used_mb === undefined ? undefined : entry.used_mb * 1024;
  const halfKb = Math.floor(capacityKb / 2);
  const writtenKb = usedKb ?? (usedGb === undefined ? halfKb : usedGb * gibibyteKb);
  const allocatedKb = spaceOf(format, capacityKb, writtenKb);
  const staleKb = entry.stale_gb * gibibyteKb;
  if (staleKb > allocatedKb) context.report(path, "stale_gb is more than the disk takes");
  return newDisk(common, index, {
    capacityKb,
    format,
    label: entry.label ?? `Hard disk ${index + 1}`,
    ...(entry.key === undefined ? {} : placeOfKey(entry.key)),
    ...(entry.path === undefined ? {} : { path: entry.path }),
    ...(entry.uuid === undefined ? {} : { uuid: entry.uuid.toLowerCase() }),
    datastoreId:
      entry.datastore === undefined
        ? common.datastoreId
        : keyed(context.datastores, entry, "datastore", { path: path.map(String), context }),
    allocatedKb,
    staleKb,
    linked: entry.linked,
    deltaDiskFormat: entry.delta_disk_format ?? null,
    grainSizeKb: entry.grain_size_kb,
  });
}

function newDisk(
  { key, datastoreId, context }: DiskContext,
  index: number,
  part: Partial<ManagerDisk> & Pick<ManagerDisk, "capacityKb">,
): ManagerDisk {
  const suffix = index === 0 ? "" : `_${index}`;
  return {
    ...diskPlace(index),
    label: `Hard disk ${index + 1}`,
    format: "zeroedthick",
    datastoreId,
    path: `${key}/${key}${suffix}.vmdk`,
    uuid: uuidOf(context.seed, "manager-disk", `${key} ${index}`),
    linked: false,
    deltaDiskFormat: null,
    deltaGrainSize: null,
    grainSizeKb: 4,
    allocatedKb: part.capacityKb,
    staleKb: 0,
    shrinkableKb: null,
    reclaimedKb: 0,
    ...part,
  };
}

/** Reference of the folder at a path of names; folders that are missing are made. */
export function folderIdAt(
  folders: ManagerFolder[],
  path: string,
  kind: "manager" | "host",
): string {
  let parentId = fixedIds(kind).vmFolder;
  for (const name of path.split("/").filter((part) => part !== "")) {
    let folder = folders.find((each) => each.parentId === parentId && each.name === name);
    if (folder === undefined) {
      folder = { id: `group-v${201 + folders.length}`, name, parentId };
      folders.push(folder);
    }
    parentId = folder.id;
  }
  return parentId;
}
