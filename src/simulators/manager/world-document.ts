/** The `manager` part of a world file: settings and what is there at the start. */

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
import type { ManagerAlarm } from "./alarm.ts";
import { loginExpression } from "./alarm.ts";
import type { ManagerDurationsDocument } from "./durations.ts";
import { readManagerDurations } from "./durations.ts";
import type { ManagerEvent } from "./event.ts";
import type { ManagerDatastore, ManagerFolder, ManagerHost, ManagerUser } from "./inventory.ts";
import { fixedIds } from "./inventory.ts";
import type { ManagerWorld } from "./manager-state.ts";
import type { ManagerRules, ManagerRulesDocument } from "./settings.ts";
import { readManagerRules } from "./settings.ts";
import type { DataObject } from "./soap-value.ts";
import { refTo } from "./soap-value.ts";
import type { ManagerVmDocument, VmContext } from "./vm-document.ts";
import { nullAsEmpty, readFolderPath, readManagerVm } from "./vm-document.ts";

export type ManagerDocument = {
  readonly durations_ms?: ManagerDurationsDocument;
  readonly rules?: ManagerRulesDocument;
  /** `admin` with the password `secret` by default. */
  readonly users?: readonly {
    readonly name: string;
    readonly password: string;
    readonly rights?: "all" | "read";
  }[];
  /** By key; one named `esx-01` by default. */
  readonly hosts?: {
    readonly [key: string]: {
      readonly name?: string;
      readonly moref?: string;
      readonly nested_supported?: boolean;
    };
  };
  /** By key; one named `local` by default. */
  readonly datastores?: {
    readonly [key: string]: {
      readonly name?: string;
      readonly moref?: string;
      readonly capacity_gb?: number;
      readonly used_gb?: number;
      readonly accessible?: boolean;
      /** Keys of the hosts that have it; all by default. */
      readonly hosts?: readonly string[];
    };
  };
  /** By key. */
  readonly vms?: { readonly [key: string]: ManagerVmDocument };
  /** Login alarms by name, on the root folder. */
  readonly alarms?: {
    readonly [name: string]: {
      readonly user: string;
      readonly enabled?: boolean;
      readonly description?: string;
    };
  };
  /** Logins before the start, oldest first. */
  readonly logins?: readonly {
    readonly user: string;
    readonly ip_address?: string;
    readonly seconds_ago?: number;
  }[];
};

const memberNames = [
  "durations_ms",
  "rules",
  "users",
  "hosts",
  "datastores",
  "vms",
  "alarms",
  "logins",
] satisfies (keyof ManagerDocument)[];

const gibibyteKb = 1024 * 1024;

export function readManagerDocument(cursor: Cursor, seed: number, nowMs: number): ManagerWorld {
  const member = readMembers(cursor, memberNames);
  const rules = readManagerRules(member("rules"));
  const hosts = readHosts(member("hosts"), rules);
  const datastores = readDatastores(member("datastores"), { seed, rules, hosts });
  const folders: ManagerFolder[] = [];
  const context = {
    seed,
    nowMs,
    rules,
    hosts,
    datastores,
    folderAt: (path: string) => readFolderPath(folders, path, rules.kind),
  };
  const vms = readVms(member("vms"), context);
  const events = readLogins(member("logins"), rules, nowMs);
  const alarms = readAlarms(member("alarms"), { rules, nowMs, first: events.length + 1 });
  return {
    durations: readManagerDurations(member("durations_ms")),
    rules,
    users: readUsers(member("users")),
    folders,
    hosts,
    datastores,
    vms,
    alarms,
    tasks: [],
    events,
    load: { wipesPerHost: {}, shrinksPerDatastore: {} },
    nextNumber: events.length + alarms.length + 1,
  };
}

function readUsers(cursor: Cursor): readonly ManagerUser[] {
  const written = [{ name: "admin", password: "secret" }];
  return readItems(isAbsent(cursor) ? { ...cursor, value: written } : cursor).map((item) => {
    const member = readMembers(item, ["name", "password", "rights"]);
    return {
      name: readText(member("name")),
      password: readText(member("password")),
      rights: readChoice(member("rights"), ["all", "read"], "all"),
    };
  });
}

function readHosts(cursor: Cursor, rules: ManagerRules): readonly ManagerHost[] {
  const written = isAbsent(cursor) ? { ...cursor, value: { "esx-01": {} } } : cursor;
  const entries = readEntries(written);
  if (rules.kind === "host" && entries.length !== 1) {
    cursor.report(cursor.path, "a single host is exactly one host");
  }
  return entries.map(([key, each], index) => {
    const member = readMembers(nullAsEmpty(each), ["name", "moref", "nested_supported"]);
    const id = rules.kind === "host" ? "ha-host" : `host-${21 + index}`;
    return {
      key,
      id: readText(member("moref"), id),
      name: readText(member("name"), `${key}.example`),
      nestedSupported: readFlag(member("nested_supported"), true),
    };
  });
}

function readDatastores(
  cursor: Cursor,
  common: {
    readonly seed: number;
    readonly rules: ManagerRules;
    readonly hosts: readonly ManagerHost[];
  },
): readonly ManagerDatastore[] {
  const { seed, rules, hosts } = common;
  const written = isAbsent(cursor) ? { ...cursor, value: { local: {} } } : cursor;
  return readEntries(written).map(([key, each], index) => {
    const names = ["name", "moref", "capacity_gb", "used_gb", "accessible", "hosts"];
    const member = readMembers(nullAsEmpty(each), names);
    const id =
      rules.kind === "host" ? uuidOf(seed, "manager-datastore", key) : `datastore-${11 + index}`;
    const keys = isAbsent(member("hosts"))
      ? hosts.map((host) => host.key)
      : readItems(member("hosts")).map((item) => readText(item));
    const unknown = keys.find((name) => !hosts.some((host) => host.key === name));
    if (unknown !== undefined) {
      each.report(member("hosts").path, `there is no host ${JSON.stringify(unknown)}`);
    }
    return {
      key,
      id: readText(member("moref"), id),
      name: readText(member("name"), key),
      capacityKb: readCount(member("capacity_gb"), 1, 4096) * gibibyteKb,
      usedKb: readCount(member("used_gb"), 0, 0) * gibibyteKb,
      accessible: readFlag(member("accessible"), true),
      hostIds: hosts.filter((host) => keys.includes(host.key)).map((host) => host.id),
    };
  });
}

function readVms(cursor: Cursor, context: VmContext) {
  const references = new Set<string>();
  return readEntries(cursor).map(([key, each], index) => {
    const number = context.rules.kind === "host" ? String(index + 1) : `vm-${101 + index}`;
    const vm = readManagerVm(each, key, number, context);
    if (references.has(vm.id)) each.report(each.path, `another VM has the moref ${vm.id}`);
    references.add(vm.id);
    return vm;
  });
}

function readLogins(cursor: Cursor, rules: ManagerRules, nowMs: number): readonly ManagerEvent[] {
  return readItems(cursor).map((item, index) => {
    const member = readMembers(item, ["user", "ip_address", "seconds_ago"]);
    const user = readText(member("user"));
    return {
      key: index + 1,
      kind: "login",
      createdMs: nowMs - readCount(member("seconds_ago"), 0, 0) * 1000,
      user: user.includes("\\") ? user : `${rules.loginDomain}\\${user}`,
      ipAddress: readText(member("ip_address"), "192.0.2.10"),
      userAgent: "browser",
      sessionId: `key-${index + 1}`,
      loginMs: null,
    };
  });
}

/** A manager has alarms of its own, whose expressions are of other kinds; a host has none. */
function readAlarms(
  cursor: Cursor,
  common: { readonly rules: ManagerRules; readonly nowMs: number; readonly first: number },
): readonly ManagerAlarm[] {
  const { rules, nowMs, first } = common;
  if (rules.kind === "host") {
    if (!isAbsent(cursor)) cursor.report(cursor.path, "a single host has no alarms");
    return [];
  }
  const own = readEntries(cursor).map(([name, each]): DataObject => {
    const member = readMembers(each, ["user", "enabled", "description"]);
    return {
      is: "AlarmSpec",
      name,
      description: readText(member("description"), ""),
      enabled: readFlag(member("enabled"), true),
      expression: loginExpression(readText(member("user"))),
    };
  });
  return [hostAlarm, ...own].map((spec, index) => ({
    id: `alarm-${first + index}`,
    entity: refTo("Folder", fixedIds("manager").rootFolder),
    spec,
    modifiedMs: nowMs,
    modifiedBy: "",
    eventKey: first + index,
    triggered: null,
  }));
}

const hostAlarm: DataObject = {
  is: "AlarmSpec",
  name: "Host connection and power state",
  systemName: "alarm.HostConnectionStateAlarm",
  description: "Default alarm to monitor the connection and power state of hosts",
  enabled: true,
  expression: {
    is: "OrAlarmExpression",
    expression: [
      {
        is: "StateAlarmExpression",
        operator: "isEqual",
        type: "HostSystem",
        statePath: "runtime.connectionState",
        red: "notResponding",
      },
    ],
  },
  actionFrequency: 0,
  setting: { is: "AlarmSetting", toleranceRange: 0, reportingFrequency: 300 },
};
