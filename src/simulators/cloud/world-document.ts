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
import { uuidOf } from "../uuid.ts";
import type { CloudWorld } from "./cloud-state.ts";
import type { CloudDurationsDocument } from "./durations.ts";
import { readCloudDurations } from "./durations.ts";
import type {
  CloudDatastore,
  CloudManager,
  CloudRight,
  CloudRole,
  CloudUser,
  CloudVapp,
  CloudVm,
} from "./inventory.ts";
import { cloudRights, cloudRoles, defaultRole, systemOrg } from "./inventory.ts";
import type { CloudRulesDocument } from "./settings.ts";
import { readCloudRules } from "./settings.ts";
import type { CloudVmDocument } from "./vm-document.ts";
import { cloudVmNames, nullAsEmpty, readCloudVm } from "./vm-document.ts";

export type CloudDocument = {
  readonly durations_ms?: CloudDurationsDocument;
  readonly rules?: CloudRulesDocument;
  /** `admin`, organization System, password `secret` by default. */
  readonly users?: readonly {
    readonly name: string;
    readonly org?: string;
    readonly password: string;
    /** By default a member of System is its administrator, others those of their organization. */
    readonly role?: CloudRole;
    /** Rights that the role has and this user has not. */
    readonly withheld?: readonly CloudRight[];
  }[];
  /** Infrastructure managers by key; one by default. */
  readonly managers?: { readonly [key: string]: { readonly name?: string } };
  /** By key; one named `local` by default. */
  readonly datastores?: {
    readonly [key: string]: {
      readonly name?: string;
      /** Key of a manager; the first one by default. */
      readonly manager?: string;
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

const memberNames = [
  "durations_ms",
  "rules",
  "users",
  "managers",
  "datastores",
  "vapps",
] satisfies (keyof CloudDocument)[];

export function readCloudDocument(cursor: Cursor, seed: number, nowMs: number): CloudWorld {
  const member = readMembers(cursor, memberNames);
  const rules = readCloudRules(member("rules"));
  const managers = readManagers(member("managers"), seed, rules.managerName);
  const datastores = readDatastores(member("datastores"), seed, managers);
  return {
    durations: readCloudDurations(member("durations_ms")),
    rules,
    users: readUsers(member("users"), seed),
    managers,
    datastores,
    ...readVapps(member("vapps"), { seed, nowMs, datastores }),
    tasks: [],
    nextNumber: 1,
  };
}

function readVapps(
  cursor: Cursor,
  common: {
    readonly seed: number;
    readonly nowMs: number;
    readonly datastores: readonly CloudDatastore[];
  },
): Pick<CloudWorld, "vapps" | "vms"> {
  const { seed, nowMs, datastores } = common;
  const vapps: CloudVapp[] = [];
  const vms = new Map<string, CloudVm>();
  /** References given out so far, by manager. */
  const counts = new Map<string, number>();
  const references = new Set<string>();
  for (const [key, written] of readEntries(cursor)) {
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
      const numberOf = (managerId: string): number => {
        const count = counts.get(managerId) ?? 0;
        counts.set(managerId, count + 1);
        return 101 + count;
      };
      const context = { seed, nowMs, numberOf, vappId: vapp.id, datastores };
      const made = readCloudVm(vm, vmKey, context, cloudVmNames);
      const manager = datastores.find((each) => each.id === made.datastoreId)?.managerId ?? "";
      const reference = `${manager} ${made.moref}`;
      if (references.has(reference)) {
        vm.report(vm.path, `another VM of the same manager has the moref ${made.moref}`);
      }
      references.add(reference);
      vms.set(vmKey, made);
    }
  }
  return { vapps, vms: [...vms.values()] };
}

function readManagers(cursor: Cursor, seed: number, name: string): readonly CloudManager[] {
  const written = isAbsent(cursor) ? { ...cursor, value: { [name]: {} } } : cursor;
  return readEntries(written).map(([key, each]) => {
    const member = readMembers(nullAsEmpty(each), ["name"]);
    return { key, id: uuidOf(seed, "manager", key), name: readText(member("name"), key) };
  });
}

function readDatastores(
  cursor: Cursor,
  seed: number,
  managers: readonly CloudManager[],
): readonly CloudDatastore[] {
  const written = isAbsent(cursor) ? { ...cursor, value: { local: {} } } : cursor;
  const counts = new Map<string, number>();
  return readEntries(written).map(([key, each]) => {
    const names = ["name", "manager", "moref", "capacity_mb", "used_mb", "enabled"];
    const member = readMembers(nullAsEmpty(each), names);
    const managerId = readManagerId(member("manager"), managers);
    const count = counts.get(managerId) ?? 0;
    counts.set(managerId, count + 1);
    return {
      key,
      id: uuidOf(seed, "datastore", key),
      managerId,
      name: readText(member("name"), key),
      moref: readText(member("moref"), `datastore-${11 + count}`),
      capacityMb: readCount(member("capacity_mb"), 1, 1_048_576),
      usedMb: readCount(member("used_mb"), 0, 0),
      enabled: readFlag(member("enabled"), true),
    };
  });
}

function readManagerId(cursor: Cursor, managers: readonly CloudManager[]): string {
  const key = readText(cursor, managers[0]?.key);
  const found = managers.find((each) => each.key === key);
  if (found === undefined && typeof cursor.value === "string") {
    cursor.report(cursor.path, `there is no manager ${JSON.stringify(key)}`);
  }
  return found?.id ?? "";
}

function readUsers(cursor: Cursor, seed: number): readonly CloudUser[] {
  const written = [{ name: "admin", password: "secret" }];
  return readItems(isAbsent(cursor) ? { ...cursor, value: written } : cursor).map((item) => {
    const member = readMembers(item, ["name", "org", "password", "role", "withheld"]);
    const name = readText(member("name"));
    const org = readText(member("org"), systemOrg);
    return {
      id: uuidOf(seed, "user", `${name}@${org}`),
      name,
      org,
      password: readText(member("password")),
      role: readChoice(member("role"), cloudRoles, defaultRole(org)),
      withheld: isAbsent(member("withheld"))
        ? []
        : readItems(member("withheld")).map((right) => readChoice(right, cloudRights)),
    };
  });
}
