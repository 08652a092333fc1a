/**
 * What the simulated cloud holds besides tasks: VMs in vApps, datastores, organizations, users.
 * Records are immutable.
 */

import type { CloudTools, CloudUserEntry } from "../../kit/generated/documents.ts";
import { uuidOf } from "../../kit/uuid.ts";

/**
 * Codes of the attribute `status` and their names in query records (wire facts A.3.2). `deployed`
 * is a second axis: off and deployed is "partially powered off".
 */
const statusNames: ReadonlyMap<number, string> = new Map([
  [-1, "FAILED_CREATION"],
  [0, "UNRESOLVED"],
  [1, "RESOLVED"],
  [3, "SUSPENDED"],
  [4, "POWERED_ON"],
  [5, "WAITING_FOR_INPUT"],
  [6, "UNKNOWN"],
  [7, "UNRECOGNIZED"],
  [8, "POWERED_OFF"],
  [9, "INCONSISTENT_STATE"],
  [10, "MIXED"],
  [20, "PARTIALLY_POWERED_OFF"],
  [21, "PARTIALLY_SUSPENDED"],
]);

export const vmStatus = { suspended: 3, on: 4, off: 8 } as const;

/** True when the guest's tools run whenever the VM is on. */
export function toolsRun(written: CloudTools): boolean {
  return written === true || written === "running";
}

export function statusName(code: number): string {
  return statusNames.get(code) ?? "UNKNOWN";
}

export type CloudSnapshot = {
  readonly createdMs: number;
  /** The memory of a running VM is part of it. */
  readonly poweredOn: boolean;
  readonly sizeBytes: number;
  /** Sent by the client; no document of the API shows it (wire facts A.3.1). */
  readonly name: string;
};

export type CloudVm = {
  /** The world file's name for it; not on the wire. */
  readonly key: string;
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly vappId: string;
  readonly status: number;
  readonly deployed: boolean;
  readonly datastoreId: string;
  readonly hostName: string;
  /** Reference of the infrastructure manager, such as `vm-101`. */
  readonly moref: string;
  readonly hardwareVersion: number;
  readonly nested: boolean;
  /** The guest's tools run whenever the VM is on. */
  readonly tools: boolean;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly storageMb: number;
  readonly guestOs: string;
  /** Shown in clear text, as real servers do: a client must keep it to itself. */
  readonly adminPassword: string | null;
  readonly storageProfile: string;
  /** A disk is attached that is an object of its own: there are no snapshots then. */
  readonly independentDisk: boolean;
  readonly createdMs: number;
  /** At most one per VM (wire facts A.4). */
  readonly snapshot: CloudSnapshot | null;
  /** Rights on it that nobody has; absent in worlds of before. */
  readonly withheld?: readonly CloudRight[];
  /** Nobody has rights on it any more; only administrators' queries list it. */
  readonly denied: boolean;
  /** Ids of users who have no rights on it any more. */
  readonly deniedUserIds: readonly string[];
};

export type CloudVapp = {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly org: string;
  readonly owner: string;
  /** A template in a catalog: queries of type `vm` list its VMs as well. */
  readonly template: boolean;
  readonly createdMs: number;
};

/** An infrastructure manager; its references, such as `vm-101`, are unique only within it. */
export type CloudManager = {
  readonly key: string;
  readonly id: string;
  readonly name: string;
};

export type CloudDatastore = {
  readonly key: string;
  readonly id: string;
  /** The VMs on it are this manager's too. */
  readonly managerId: string;
  readonly name: string;
  readonly moref: string;
  readonly capacityMb: number;
  /** Taken by what is not simulated. */
  readonly usedMb: number;
  readonly enabled: boolean;
};

/**
 * A system administrator sees everything, an organization's administrator all of the organization,
 * and a user the vApps of his own.
 */
type CloudRole = Required<CloudUserEntry>["role"];

export type CloudUser = {
  readonly id: string;
  readonly name: string;
  readonly org: string;
  readonly password: string;
  readonly role: CloudRole;
  /** Rights that the role has and this user has not. */
  readonly withheld: readonly CloudRight[];
};

/** What rights are about: a user without one is offered no link to it, and is refused. */
export type CloudRight = CloudUserEntry["withheld"][number];

/** The right that an action needs, by the path behind its target; undefined: everybody's. */
export function rightOf(path: string): CloudRight | undefined {
  if (path.endsWith("NestedHypervisor")) return "nested";
  if (/(createSnapshot|removeAllSnapshots|revertToCurrentSnapshot)$/.test(path)) return "snapshot";
  if (path.endsWith("relocate")) return "relocate";
  return /power\/action\/|action\/(un)?deploy$|discardSuspendedState$/.test(path)
    ? "power"
    : undefined;
}

/** Members of this organization are system administrators by default; compared without case. */
const systemOrg = "System";

export function defaultRole(org: string): CloudRole {
  return isSameOrg(org, systemOrg) ? "system_administrator" : "organization_administrator";
}

export function isAdministrator(user: Pick<CloudUser, "role">): boolean {
  return user.role === "system_administrator";
}

/** Whose vApps a user may see at all. */
export function maySee(user: CloudUser, vapp: Pick<CloudVapp, "org" | "owner">): boolean {
  if (isAdministrator(user)) return true;
  if (!isSameOrg(user.org, vapp.org)) return false;
  return user.role === "organization_administrator" || user.name === vapp.owner;
}

/** The user's rights on this one VM were taken away. */
export function isDenied(user: CloudUser, vm: CloudVm): boolean {
  return vm.denied || vm.deniedUserIds.includes(user.id);
}

export function isSameOrg(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** Path of a user, who need not be one that can log in. */
export function userPath(seed: number, name: string, org: string): string {
  return `/api/admin/user/${uuidOf(seed, "user", `${name}@${org}`)}`;
}

/** Status of a vApp: its VMs' where they agree, MIXED where not, RESOLVED without any. */
export function vappStatus(vms: readonly CloudVm[]): number {
  const [first, ...others] = new Set(vms.map((vm) => vm.status));
  if (first === undefined) return 1;
  return others.length === 0 ? first : 10;
}

export type Target =
  | { readonly kind: "vm"; readonly vm: CloudVm; readonly vapp: CloudVapp }
  | { readonly kind: "vApp"; readonly vapp: CloudVapp; readonly vms: readonly CloudVm[] };
