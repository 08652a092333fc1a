/** The `cloud` part of a world file: settings and what is there at the start. */

import type { Report, Written } from "../../kit/document.ts";
import type { CloudPart, CloudUserEntry, CloudVmEntry } from "../../kit/generated/documents.ts";
import { uuidOf } from "../../kit/uuid.ts";
import type { CloudWorld } from "./cloud-state.ts";
import type { CloudDatastore, CloudManager, CloudUser, CloudVapp, CloudVm } from "./inventory.ts";
import { defaultRole, toolsRun, vmStatus } from "./inventory.ts";

/** As it is written; everything may be left out. */
export type CloudDocument = Written<CloudPart>;

type Start = { readonly seed: number; readonly nowMs: number; readonly report: Report };

export function cloudWorldOf(part: CloudPart, start: Start): CloudWorld {
  const { seed } = start;
  const managers = Object.entries(part.managers).map(([key, { name = key }]): CloudManager => {
    return { key, id: uuidOf(seed, "manager", key), name };
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
  const numbers = counter(11);
  return Object.entries(part.datastores).map(([key, entry]) => {
    const managerKey = entry.manager ?? managers[0]?.key;
    const managerId = managers.find((each) => each.key === managerKey)?.id ?? "";
    if (managerId === "" && entry.manager !== undefined) {
      const path = ["cloud", "datastores", key, "manager"];
      report(path, `there is no manager ${JSON.stringify(entry.manager)}`);
    }
    const number = numbers(managerId);
    return {
      key,
      id: uuidOf(seed, "datastore", key),
      managerId,
      name: entry.name ?? key,
      moref: entry.moref ?? `datastore-${number}`,
      capacityMb: entry.capacity_mb,
      usedMb: entry.used_mb,
      enabled: entry.enabled,
    };
  });
}

function vappsOf(
  part: CloudPart,
  datastores: readonly CloudDatastore[],
  { seed, nowMs, report }: Start,
): Pick<CloudWorld, "vapps" | "vms"> {
  const vapps: CloudVapp[] = [];
  const vms = new Map<string, CloudVm>();
  const numbers = counter(101);
  const references = new Set<string>();
  for (const [key, { name = key, org, owner, template, vms: entries }] of Object.entries(
    part.vapps,
  )) {
    const id = uuidOf(seed, "vapp", key);
    vapps.push({ key, id, name, org, owner, template, createdMs: nowMs });
    for (const [vmKey, entry] of Object.entries(entries)) {
      const path = ["cloud", "vapps", key, "vms", vmKey];
      if (vms.has(vmKey)) report(path, "another vApp has a VM with this key");
      if (entry.vm !== undefined) report([...path, "vm"], "the key is that of the VM");
      if (entry.vapp !== undefined) report([...path, "vapp"], "a VM is in the vApp it stands in");
      const [first] = datastores;
      const datastore =
        entry.datastore === undefined
          ? first
          : datastores.find((each) => each.key === entry.datastore);
      if (datastore === undefined && entry.datastore !== undefined) {
        const unknown = JSON.stringify(entry.datastore);
        report([...path, "datastore"], `there is no datastore ${unknown}`);
      }
      const managerId = datastore?.managerId ?? "";
      const number = numbers(managerId);
      const moref = entry.moref ?? `vm-${number}`;
      if (references.has(`${managerId} ${moref}`)) {
        report(path, `another VM of the same manager has the moref ${moref}`);
      }
      references.add(`${managerId} ${moref}`);
      const place = { vappId: id, datastoreId: datastore?.id ?? "", moref };
      vms.set(vmKey, cloudVmOf(vmKey, entry, { seed, nowMs, ...place }));
    }
  }
  return { vapps, vms: [...vms.values()] };
}

/** Numbers that are given out one after the other, for each manager by itself. */
function counter(first: number): (managerId: string) => number {
  const counts = new Map<string, number>();
  return (managerId) => {
    const count = counts.get(managerId) ?? 0;
    counts.set(managerId, count + 1);
    return first + count;
  };
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
    id: uuidOf(seed, "vm", key),
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
    snapshot: null,
    denied: false,
    deniedUserIds: [],
    ...where,
  };
}
