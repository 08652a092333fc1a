/** The `cloud` part of a world file: settings and what is there at the start. */

import type { Cursor } from "../decode.ts";
import {
  isAbsent,
  readChoice,
  readCount,
  readEntries,
  readFlag,
  readItems,
  readMembers,
  readText,
} from "../decode.ts";
import type { CloudWorld } from "./cloud-state.ts";
import type { CloudDatastore, CloudUser, CloudVapp, CloudVm } from "./inventory.ts";
import { systemOrg, uuidOf, vmStatus, vmStatusCodes } from "./inventory.ts";
import type { CloudDurationsDocument, CloudRulesDocument } from "./settings.ts";
import { readCloudDurations, readCloudRules } from "./settings.ts";

export type CloudPower = "on" | "off" | "suspended";
export const cloudPowers: readonly CloudPower[] = ["on", "off", "suspended"];

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
  readonly tools?: boolean;
  readonly cpus?: number;
  readonly memory_mb?: number;
  readonly storage_mb?: number;
  readonly guest_os?: string;
  readonly storage_profile?: string;
};

export type CloudDocument = {
  readonly durations_ms?: CloudDurationsDocument;
  readonly rules?: CloudRulesDocument;
  /** `admin`, organization System, password `secret` by default. */
  readonly users?: readonly {
    readonly name: string;
    /** `System` makes a system administrator. */
    readonly org?: string;
    readonly password: string;
  }[];
  /** By key; one named `local` by default. */
  readonly datastores?: {
    readonly [key: string]: {
      readonly name?: string;
      readonly moref?: string;
      readonly capacity_mb?: number;
      readonly used_mb?: number;
      readonly enabled?: boolean;
    };
  };
  /** By key. */
  readonly vapps?: {
    readonly [key: string]: {
      readonly name?: string;
      readonly org?: string;
      readonly owner?: string;
      readonly template?: boolean;
      /** By key, which no VM of another vApp may have. */
      readonly vms?: { readonly [key: string]: CloudVmDocument };
    };
  };
};

export function readCloudDocument(cursor: Cursor, seed: number, nowMs: number): CloudWorld {
  const member = readMembers(cursor, ["durations_ms", "rules", "users", "datastores", "vapps"]);
  const datastores = readDatastores(member("datastores"), seed);
  const vapps: CloudVapp[] = [];
  const vms = new Map<string, CloudVm>();
  for (const [key, written] of readEntries(member("vapps"))) {
    const part = readMembers(nullAsEmpty(written), ["name", "org", "owner", "template", "vms"]);
    const vapp: CloudVapp = {
      key,
      id: uuidOf(seed, "vapp", key),
      name: readText(part("name"), key),
      org: readText(part("org"), "acme"),
      owner: readText(part("owner"), "owner"),
      template: readFlag(part("template"), false),
      createdMs: nowMs,
    };
    vapps.push(vapp);
    for (const [vmKey, vm] of readEntries(part("vms"))) {
      if (vms.has(vmKey)) vm.report(vm.path, "another vApp has a VM with this key");
      const number = 101 + vms.size;
      const context = { seed, nowMs, number, vappId: vapp.id, datastores };
      vms.set(vmKey, readCloudVm(vm, vmKey, context, cloudVmNames));
    }
  }
  return {
    durations: readCloudDurations(member("durations_ms")),
    rules: readCloudRules(member("rules")),
    users: readUsers(member("users"), seed),
    datastores,
    vapps,
    vms: [...vms.values()],
    tasks: [],
    tickets: [],
    nextNumber: 1,
  };
}

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
  "storage_profile",
];

export type CloudVmContext = {
  readonly seed: number;
  readonly nowMs: number;
  /** Makes the reference of the infrastructure manager. */
  readonly number: number;
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
  return {
    key,
    id: uuidOf(context.seed, "vm", key),
    name: readText(member("name"), key),
    description: readText(member("description"), ""),
    vappId: context.vappId,
    status: isAbsent(status) ? vmStatus[power] : readChoice(status, vmStatusCodes),
    deployed: readFlag(member("deployed"), power !== "off"),
    datastoreId: readDatastoreId(member("datastore"), context.datastores),
    hostName: readText(member("host"), "host-1.example"),
    moref: readText(member("moref"), `vm-${context.number}`),
    hardwareVersion: readCount(member("hardware_version"), 1, 9),
    nested: readFlag(member("nested"), false),
    tools: readFlag(member("tools"), true),
    cpus: readCount(member("cpus"), 1, 1),
    memoryMb: readCount(member("memory_mb"), 1, 1024),
    storageMb: readCount(member("storage_mb"), 0, 16_384),
    guestOs: readText(member("guest_os"), "Other Linux (64-bit)"),
    storageProfile: readText(member("storage_profile"), "*"),
    createdMs: context.nowMs,
    snapshot: null,
    denied: false,
  };
}

/** Id of the datastore with a key; of the first one when none is given. */
function readDatastoreId(
  cursor: Cursor,
  datastores: readonly CloudDatastore[] | undefined,
): string {
  if (datastores === undefined) return "";
  const [first] = datastores;
  const key = readText(cursor, first?.key);
  const found = datastores.find((each) => each.key === key);
  if (found === undefined && typeof cursor.value === "string") {
    cursor.report(cursor.path, `there is no datastore ${JSON.stringify(key)}`);
  }
  return found?.id ?? "";
}

function readDatastores(cursor: Cursor, seed: number): readonly CloudDatastore[] {
  const written = isAbsent(cursor) ? { ...cursor, value: { local: {} } } : cursor;
  return readEntries(written).map(([key, each], index) => {
    const names = ["name", "moref", "capacity_mb", "used_mb", "enabled"];
    const member = readMembers(nullAsEmpty(each), names);
    return {
      key,
      id: uuidOf(seed, "datastore", key),
      name: readText(member("name"), key),
      moref: readText(member("moref"), `datastore-${11 + index}`),
      capacityMb: readCount(member("capacity_mb"), 1, 1_048_576),
      usedMb: readCount(member("used_mb"), 0, 0),
      enabled: readFlag(member("enabled"), true),
    };
  });
}

function readUsers(cursor: Cursor, seed: number): readonly CloudUser[] {
  const written = [{ name: "admin", password: "secret" }];
  return readItems(isAbsent(cursor) ? { ...cursor, value: written } : cursor).map((item) => {
    const member = readMembers(item, ["name", "org", "password"]);
    const name = readText(member("name"));
    const org = readText(member("org"), systemOrg);
    const password = readText(member("password"));
    return { id: uuidOf(seed, "user", `${name}@${org}`), name, org, password };
  });
}

function nullAsEmpty(cursor: Cursor): Cursor {
  return cursor.value === null ? { ...cursor, value: {} } : cursor;
}
