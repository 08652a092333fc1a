/** A VM as written in a world file, and in the outside change that adds one. */

import type { Cursor } from "../decode.ts";
import { isAbsent, readChoice, readCount, readFlag, readMembers, readText } from "../decode.ts";
import { uuidOf } from "../uuid.ts";
import type { CloudDatastore, CloudVm } from "./inventory.ts";
import { vmStatus, vmStatusCodes } from "./inventory.ts";

export type CloudPower = "on" | "off" | "suspended";
export const cloudPowers: readonly CloudPower[] = ["on", "off", "suspended"];

export type CloudTools = boolean | "running" | "absent";

export type CloudVmDocument = {
  /** The key by default; need not be unique. */
  readonly name?: string;
  readonly description?: string;
  /** Off by default. */
  readonly power?: CloudPower;
  /** By default unless off: off and deployed is "partially powered off". */
  readonly deployed?: boolean;
  /** A status code instead of that of `power`, such as 0 for UNRESOLVED. */
  readonly status?: number;
  /** Key of a datastore; the first one by default. */
  readonly datastore?: string;
  readonly host?: string;
  readonly moref?: string;
  readonly hardware_version?: number;
  readonly nested?: boolean;
  /** `running` whenever the VM is on (the default, or true), or `absent` (false). */
  readonly tools?: CloudTools;
  readonly cpus?: number;
  readonly memory_mb?: number;
  readonly storage_mb?: number;
  readonly guest_os?: string;
  readonly admin_password?: string;
  readonly storage_profile?: string;
  readonly independent_disk?: boolean;
};

export const cloudVmNames: readonly string[] = [
  "name",
  "description",
  "power",
  "deployed",
  "status",
  "datastore",
  "host",
  "moref",
  "hardware_version",
  "nested",
  "tools",
  "cpus",
  "memory_mb",
  "storage_mb",
  "guest_os",
  "admin_password",
  "storage_profile",
  "independent_disk",
];

export type CloudVmContext = {
  readonly seed: number;
  readonly nowMs: number;
  /** Number of the next reference of an infrastructure manager. */
  readonly numberOf: (managerId: string) => number;
  readonly vappId: string;
  /** Undefined when they are not known yet: the key is looked up later. */
  readonly datastores: readonly CloudDatastore[] | undefined;
};

/** `known` are the names that may stand beside a VM's own. */
export function readCloudVm(
  cursor: Cursor,
  key: string,
  context: CloudVmContext,
  known: readonly string[],
): CloudVm {
  const member = readMembers(nullAsEmpty(cursor), known);
  const power = readChoice(member("power"), cloudPowers, "off");
  const status = member("status");
  const password = member("admin_password");
  const datastore = readDatastore(member("datastore"), context.datastores);
  const number = context.numberOf(datastore.managerId);
  return {
    key,
    id: uuidOf(context.seed, "vm", key),
    name: readText(member("name"), key),
    description: readText(member("description"), ""),
    vappId: context.vappId,
    status: isAbsent(status) ? vmStatus[power] : readChoice(status, vmStatusCodes),
    deployed: readFlag(member("deployed"), power !== "off"),
    datastoreId: datastore.id,
    hostName: readText(member("host"), "host-1.example"),
    moref: readText(member("moref"), `vm-${number}`),
    hardwareVersion: readCount(member("hardware_version"), 1, 9),
    nested: readFlag(member("nested"), false),
    tools: readTools(member("tools")),
    cpus: readCount(member("cpus"), 1, 1),
    memoryMb: readCount(member("memory_mb"), 1, 1024),
    storageMb: readCount(member("storage_mb"), 0, 16_384),
    guestOs: readText(member("guest_os"), "Other Linux (64-bit)"),
    adminPassword: isAbsent(password) ? null : readText(password),
    storageProfile: readText(member("storage_profile"), "*"),
    independentDisk: readFlag(member("independent_disk"), false),
    createdMs: context.nowMs,
    snapshot: null,
    denied: false,
    deniedUserIds: [],
  };
}

/** The datastore with a key; the first one when none is given. */
function readDatastore(
  cursor: Cursor,
  datastores: readonly CloudDatastore[] | undefined,
): Pick<CloudDatastore, "id" | "managerId"> {
  const unknown = { id: "", managerId: "" };
  if (datastores === undefined) return unknown;
  const [first] = datastores;
  const key = readText(cursor, first?.key);
  const found = datastores.find((each) => each.key === key);
  if (found === undefined && typeof cursor.value === "string") {
    cursor.report(cursor.path, `there is no datastore ${JSON.stringify(key)}`);
  }
  return found ?? unknown;
}

/** True when the tools run. */
export function readTools(cursor: Cursor): boolean {
  if (cursor.value === "running" || cursor.value === "absent") return cursor.value === "running";
  return readFlag(cursor, true);
}

/** `key:` without a value is an empty map. */
export function nullAsEmpty(cursor: Cursor): Cursor {
  return cursor.value === null ? { ...cursor, value: {} } : cursor;
}
