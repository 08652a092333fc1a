/** The `cloud` part of a world file: settings and what is there at the start. */

import type { Report, Written } from "../../kit/document.ts";
import type { CloudPart, CloudUserEntry, CloudVmEntry } from "../../kit/generated/documents.ts";
import { referencesOf } from "../../kit/references.ts";
import { uuidOf } from "../../kit/uuid.ts";
import type { CloudWorld } from "./cloud-state.ts";
import type { CloudDatastore, CloudManager, CloudUser, CloudVapp, CloudVm } from "./inventory.ts";
import { defaultRole, toolsRun, vmStatus } from "./inventory.ts";

/** As it is written; everything may be left out. */
export type CloudDocument = Written<CloudPart>;

type Start = { readonly seed: number; readonly nowMs: number; readonly report: Report };

export function cloudWorldOf(part: CloudPart, start: Start): CloudWorld {
  const { seed } = start;
  const managers = Object.entries(part.managers).map(([key, { id, name = key }]): CloudManager => {
    return { key, id: id ?? uuidOf(seed, "manager", key), name };
  });
  const datastores = datastoresOf(part, managers, start);
  return {
    durations: part.durations_ms,
    rules: part.rules,
    users: part.users.map((user) => userOf(user, seed)),
    managers,
    datastores,
    ...vappsOf(part, datastores, start),
    tasks: [],
    nextNumber: 1,
  };
}

function userOf({ name, org, password, role, withheld }: CloudUserEntry, seed: number): CloudUser {
  const id = uuidOf(seed, "user", `${name}@${org}`);
  return { id, name, org, password, role: role ?? defaultRole(org), withheld };
}

function datastoresOf(
  part: CloudPart,
  managers: readonly CloudManager[],
  { seed, report }: Start,
): readonly CloudDatastore[] {
  const entries = Object.entries(part.datastores).map(([key, entry]) => {
    const managerKey = entry.manager ?? managers[0]?.key;
    const managerId = managers.find((each) => each.key === managerKey)?.id ?? "";
    if (managerId === "" && entry.manager !== undefined) {
      const path = ["cloud", "datastores", key, "manager"];
      report(path, `there is no manager ${JSON.stringify(entry.manager)}`);
    }
    return { key, entry, scope: managerId, moref: entry.moref };
  });
  const morefs = referencesOf(
    entries,
    (place) => `datastore-${11 + place}`,
    (index, moref) => {
      const path = ["cloud", "datastores", entries[index]?.key ?? ""];
      report(path, `another datastore of the same manager has the moref ${moref}`);
    },
  );
  return entries.map(({ key, entry, scope }, index) => ({
    key,
    id: entry.id ?? uuidOf(seed, "datastore", key),
    managerId: scope,
    name: entry.name ?? key,
    moref: morefs[index] ?? "",
    capacityMb: entry.capacity_mb,
    usedMb: entry.used_mb,
    enabled: entry.enabled,
  }));
}

function vappsOf(
  part: CloudPart,
  datastores: readonly CloudDatastore[],
  { seed, nowMs, report }: Start,
): Pick<CloudWorld, "vapps" | "vms"> {
  const vapps = Object.entries(part.vapps).map(
    ([key, { id = uuidOf(seed, "vapp", key), name = key, org, owner, template }]): CloudVapp => {
      return { key, id, name, org, owner, template, createdMs: nowMs };
    },
  );
  const placed = vapps.flatMap((vapp) =>
    Object.entries(part.vapps[vapp.key]?.vms ?? {}).map(([key, entry]) => {
      const path = ["cloud", "vapps", vapp.key, "vms", key];
      const datastore = datastoreOf(entry, datastores, (problem) =>
        report([...path, "datastore"], problem),
      );
      const { moref } = entry;
      return { key, entry, vapp, path, datastore, scope: datastore?.managerId ?? "", moref };
    }),
  );
  const morefs = referencesOf(
    placed,
    (place) => `vm-${101 + place}`,
    (index, moref) => {
      const path = placed[index]?.path ?? [];
      report(path, `another VM of the same manager has the moref ${moref}`);
    },
  );
  const vms = new Map<string, CloudVm>();
  for (const [index, { key, entry, vapp, path, datastore }] of placed.entries()) {
    if (vms.has(key)) report(path, "another vApp has a VM with this key");
    if (Number.isNaN(Date.parse(entry.snapshot?.created ?? "2026-01-01"))) {
      report([...path, "snapshot", "created"], "this is no time");
    }
    if (entry.vm !== undefined) report([...path, "vm"], "the key is that of the VM");
    if (entry.vapp !== undefined) report([...path, "vapp"], "a VM is in the vApp it stands in");
    const place = { vappId: vapp.id, datastoreId: datastore?.id ?? "", moref: morefs[index] ?? "" };
    vms.set(key, cloudVmOf(key, entry, { seed, nowMs, ...place }));
  }
  return { vapps, vms: [...vms.values()] };
}

function datastoreOf(
  { datastore: key }: CloudVmEntry,
  datastores: readonly CloudDatastore[],
  report: (problem: string) => void,
): CloudDatastore | undefined {
  if (key === undefined) return datastores[0];
  const named = datastores.find((each) => each.key === key);
  if (named === undefined) report(`there is no datastore ${JSON.stringify(key)}`);
  return named;
}

/** A VM as a world file or a change describes it. */
export function cloudVmOf(
  key: string,
  entry: CloudVmEntry,
  place: Pick<CloudVm, "vappId" | "datastoreId" | "moref"> & {
    readonly seed: number;
    readonly nowMs: number;
  },
): CloudVm {
  const { power } = entry;
  const { seed, nowMs, ...where } = place;
  return {
    key,
    id: entry.id ?? uuidOf(seed, "vm", key),
    name: entry.name ?? key,
    description: entry.description,
    status: entry.status ?? vmStatus[power],
    deployed: entry.deployed ?? power !== "off",
    hostName: entry.host,
    hardwareVersion: entry.hardware_version,
    nested: entry.nested,
    tools: toolsRun(entry.tools),
    cpus: entry.cpus,
    memoryMb: entry.memory_mb,
    storageMb: entry.storage_mb,
    guestOs: entry.guest_os,
    adminPassword: entry.admin_password ?? null,
    storageProfile: entry.storage_profile,
    independentDisk: entry.independent_disk,
    createdMs: nowMs,
    snapshot: snapshotOf(entry, nowMs),
    withheld: entry.withheld,
    denied: false,
    deniedUserIds: [],
    ...where,
  };
}

function snapshotOf({ snapshot }: CloudVmEntry, nowMs: number): CloudVm["snapshot"] {
  if (snapshot === undefined) return null;
  const { created, powered_on: poweredOn, size_bytes: sizeBytes } = snapshot;
  const createdMs = created === undefined ? nowMs : Date.parse(created);
  return { createdMs, poweredOn, sizeBytes, name: "" };
}
