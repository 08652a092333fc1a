/** VMs and disks of a world file's `manager`. */

import { applianceDisks } from "../appliance-layout.ts";
import type { Cursor } from "../decode.ts";
import {
  isAbsent,
  readChoice,
  readCount,
  readFlag,
  readItems,
  readMembers,
  readText,
} from "../decode.ts";
import { uuidOf } from "../uuid.ts";
import { diskPlace } from "./device-objects.ts";
import type {
  DiskFormat,
  ManagerDatastore,
  ManagerDisk,
  ManagerFolder,
  ManagerHost,
  ManagerSnapshot,
  ManagerVm,
} from "./inventory.ts";
import { diskFormats, fixedIds, spaceOf } from "./inventory.ts";
import type { ManagerRules } from "./settings.ts";

export type ManagerDiskDocument = {
  readonly size_gb?: number;
  /** Instead of `size_gb`. */
  readonly size_mb?: number;
  readonly format?: DiskFormat;
  readonly label?: string;
  /** Key of a datastore; that of the VM by default. */
  readonly datastore?: string;
  /** Space that a thin or sparse disk takes; half of its size by default. */
  readonly used_gb?: number;
  /** Part of it that the guest does not use any more. */
  readonly stale_gb?: number;
  readonly linked?: boolean;
  readonly delta_disk_format?: string;
  readonly grain_size_kb?: number;
};

export type ManagerVmDocument = {
  readonly name?: string;
  readonly moref?: string;
  /** Path of names below the datacenter's folder of VMs. */
  readonly folder?: string;
  readonly host?: string;
  readonly datastore?: string;
  readonly power?: "on" | "off" | "suspended";
  readonly hardware_version?: number;
  readonly nested?: boolean;
  readonly tools?: "running" | "absent";
  readonly connection?: ManagerVm["connection"];
  readonly unreadable?: readonly string[];
  readonly snapshots?: readonly { readonly name: string; readonly description?: string }[];
  /** A list, or the disks of an appliance: `appliance`, `appliance-6.7`, `appliance-7.0`. */
  readonly disks?: readonly ManagerDiskDocument[] | "appliance" | "appliance-6.7" | "appliance-7.0";
  readonly uuid?: string;
  readonly instance_uuid?: string;
  readonly cpus?: number;
  readonly memory_mb?: number;
  readonly guest_os?: string;
  readonly template?: boolean;
};

const vmNames = [
  "name",
  "moref",
  "folder",
  "host",
  "datastore",
  "power",
  "hardware_version",
  "nested",
  "tools",
  "connection",
  "unreadable",
  "snapshots",
  "disks",
  "uuid",
  "instance_uuid",
  "cpus",
  "memory_mb",
  "guest_os",
  "template",
] satisfies (keyof ManagerVmDocument)[];

const diskNames = [
  "size_gb",
  "size_mb",
  "format",
  "label",
  "datastore",
  "used_gb",
  "stale_gb",
  "linked",
  "delta_disk_format",
  "grain_size_kb",
] satisfies (keyof ManagerDiskDocument)[];

export type VmContext = {
  readonly seed: number;
  readonly nowMs: number;
  readonly rules: ManagerRules;
  readonly hosts: readonly ManagerHost[];
  readonly datastores: readonly ManagerDatastore[];
  /** Reference of the folder at a path, made if it is not there. */
  readonly folderAt: (path: string) => string;
};

const gibibyteKb = 1024 * 1024;

/** An entry without a value has everything by default. */
export function nullAsEmpty(cursor: Cursor): Cursor {
  return cursor.value === null ? { ...cursor, value: {} } : cursor;
}

export function readManagerVm(
  cursor: Cursor,
  key: string,
  id: string,
  context: VmContext,
): ManagerVm {
  const { seed, nowMs, rules } = context;
  const member = readMembers(nullAsEmpty(cursor), vmNames);
  const power = readChoice(member("power"), ["on", "off", "suspended"], "off");
  const tools = readChoice(member("tools"), ["running", "absent"], "running");
  const isOn = power === "on";
  const datastoreId = readKeyed(member("datastore"), context.datastores, "datastore");
  return {
    key,
    id: readText(member("moref"), id),
    name: readText(member("name"), key),
    folderId: isAbsent(member("folder"))
      ? fixedIds(rules.kind).vmFolder
      : context.folderAt(readText(member("folder"))),
    hostId: readKeyed(member("host"), context.hosts, "host"),
    datastoreId,
    uuid: readText(member("uuid"), uuidOf(seed, "manager-vm-bios", key)).toLowerCase(),
    instanceUuid: readText(member("instance_uuid"), uuidOf(seed, "manager-vm", key)).toLowerCase(),
    hardwareVersion: readCount(member("hardware_version"), 4, 9),
    nested: isAbsent(member("nested")) ? null : readFlag(member("nested")),
    power: isOn ? "poweredOn" : power === "off" ? "poweredOff" : "suspended",
    tools,
    toolsMs: isOn && tools === "running" ? nowMs : null,
    shutdownMs: null,
    bootMs: isOn ? nowMs : null,
    connection: readChoice(
      member("connection"),
      ["connected", "disconnected", "inaccessible", "orphaned"],
      "connected",
    ),
    unreadable: readItems(member("unreadable")).map((item) => readText(item)),
    snapshots: readSnapshots(member("snapshots"), key, nowMs),
    disks: readDisks(member("disks"), { key, datastoreId, context }),
    cpus: readCount(member("cpus"), 1, 1),
    memoryMb: readCount(member("memory_mb"), 4, 1024),
    guestOs: readText(member("guest_os"), "otherLinux64Guest"),
    template: readFlag(member("template"), false),
    annotation: "",
    changes: 0,
    changedMs: nowMs,
  };
}

/** A reference by the world file's key; the first one by default. */
function readKeyed(
  cursor: Cursor,
  items: readonly { readonly key: string; readonly id: string }[],
  what: string,
): string {
  const key = readText(cursor, items[0]?.key);
  const found = items.find((each) => each.key === key);
  if (found === undefined && typeof cursor.value === "string") {
    cursor.report(cursor.path, `there is no ${what} ${JSON.stringify(key)}`);
  }
  return found?.id ?? "";
}

function readSnapshots(cursor: Cursor, key: string, nowMs: number): readonly ManagerSnapshot[] {
  return readItems(cursor).map((item, index) => {
    const member = readMembers(item, ["name", "description"]);
    return {
      id: `snapshot-${key}-${index + 1}`,
      number: index + 1,
      name: readText(member("name")),
      description: readText(member("description"), ""),
      createdMs: nowMs,
    };
  });
}

type DiskContext = {
  readonly key: string;
  readonly datastoreId: string;
  readonly context: VmContext;
};

/** One disk of 16 GB by default; the layout of an appliance by its name. */
function readDisks(cursor: Cursor, common: DiskContext): readonly ManagerDisk[] {
  if (typeof cursor.value === "string") {
    const word = readChoice(cursor, ["appliance", "appliance-6.7", "appliance-7.0"]);
    const release = word === "appliance-6.7" ? "6.7" : word === "appliance-7.0" ? "7.0" : "6.5";
    return applianceDisks(release).map(({ sizeKb, number }) =>
      newDisk(common, number - 1, { capacityKb: sizeKb }),
    );
  }
  const written = isAbsent(cursor) ? { ...cursor, value: [{}] } : cursor;
  return readItems(written).map((item, index) => readDisk(item, index, common));
}

function readDisk(cursor: Cursor, index: number, common: DiskContext): ManagerDisk {
  const { context, datastoreId } = common;
  const member = readMembers(nullAsEmpty(cursor), diskNames);
  if (!isAbsent(member("size_gb")) && !isAbsent(member("size_mb"))) {
    cursor.report(cursor.path, "only one of size_gb, size_mb may be given");
  }
  const capacityKb = isAbsent(member("size_mb"))
    ? readCount(member("size_gb"), 1, 16) * gibibyteKb
    : readCount(member("size_mb"), 1) * 1024;
  const format = readChoice(member("format"), diskFormats, "zeroedthick");
  const writtenKb = isAbsent(member("used_gb"))
    ? Math.floor(capacityKb / 2)
    : readCount(member("used_gb"), 0) * gibibyteKb;
  const allocatedKb = spaceOf(format, capacityKb, writtenKb);
  const staleKb = readCount(member("stale_gb"), 0, 0) * gibibyteKb;
  if (staleKb > allocatedKb) cursor.report(cursor.path, "stale_gb is more than the disk takes");
  const delta = member("delta_disk_format");
  return newDisk(common, index, {
    capacityKb,
    format,
    label: readText(member("label"), `Hard disk ${index + 1}`),
    datastoreId: isAbsent(member("datastore"))
      ? datastoreId
      : readKeyed(member("datastore"), context.datastores, "datastore"),
    allocatedKb,
    staleKb,
    linked: readFlag(member("linked"), false),
    deltaDiskFormat: isAbsent(delta) ? null : readText(delta),
    grainSizeKb: readCount(member("grain_size_kb"), 1, 4),
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
export function readFolderPath(
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
