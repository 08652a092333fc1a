/** The `manager` part of a world file: settings and what is there at the start. */

import type { Report, Written } from "../../kit/document.ts";
import type { ManagerPart, ManagerRules } from "../../kit/generated/documents.ts";
import { referencesOf } from "../../kit/references.ts";
import { uuidOf } from "../../kit/uuid.ts";
import type { DataObject } from "../soap/soap-value.ts";
import { refTo } from "../soap/soap-value.ts";
import type { ManagerAlarm } from "./alarm.ts";
import { loginExpression } from "./alarm.ts";
import type { ManagerEvent } from "./event.ts";
import type { ManagerDatastore, ManagerFolder, ManagerHost, ManagerVm } from "./inventory.ts";
import { fixedIds } from "./inventory.ts";
import type { ManagerWorld } from "./manager-state.ts";
import type { VmContext } from "./vm-document.ts";
import { folderIdAt, managerVmOf } from "./vm-document.ts";

/** As it is written; everything may be left out. */
export type ManagerDocument = Written<ManagerPart>;

type Start = { readonly seed: number; readonly nowMs: number; readonly report: Report };

const gibibyteKb = 1024 * 1024;
const mebibyteKb = 1024;

export function managerWorldOf(part: ManagerPart, start: Start): ManagerWorld {
  const { durations_ms: durations, rules, users } = part;
  const hosts = hostsOf(part, start.report);
  const datastores = datastoresOf(part, hosts, start);
  const folders: ManagerFolder[] = [];
  const folderAt = (path: string): string => folderIdAt(folders, path, rules.kind);
  const vms = vmsOf(part, { ...start, rules, hosts, datastores, folderAt });
  const events = part.logins.map((login, index) => eventOf(login, index + 1, { rules, start }));
  const alarms = alarmsOf(part, events.length + 1, start);
  return {
    durations,
    rules,
    users,
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

function hostsOf({ rules, hosts }: ManagerPart, report: Report): readonly ManagerHost[] {
  const entries = Object.entries(hosts);
  if (rules.kind === "host" && entries.length !== 1) {
    report(["manager", "hosts"], "a single host is exactly one host");
  }
  const ids = referencesIn("hosts", entries, report, (place) =>
    rules.kind === "host" && place === 0 ? "ha-host" : `host-${21 + place}`,
  );
  return entries.map(([key, { name, nested_supported: nestedSupported }], index) => {
    return { key, id: ids[index] ?? "", name: name ?? `${key}.example`, nestedSupported };
  });
}

function datastoresOf(
  { rules, datastores }: ManagerPart,
  hosts: readonly ManagerHost[],
  { seed, report }: Start,
): readonly ManagerDatastore[] {
  const entries = Object.entries(datastores);
  const ids = referencesIn("datastores", entries, report, (place) =>
    rules.kind === "host"
      ? uuidOf(seed, "manager-datastore", entries[place]?.[0] ?? String(place))
      : `datastore-${11 + place}`,
  );
  return entries.map(([key, entry], index) => {
    const keys = entry.hosts ?? hosts.map((host) => host.key);
    const unknown = keys.find((name) => !hosts.some((host) => host.key === name));
    if (unknown !== undefined) {
      const path = ["manager", "datastores", key, "hosts"];
      report(path, `there is no host ${JSON.stringify(unknown)}`);
    }
    return {
      key,
      id: ids[index] ?? "",
      name: entry.name ?? key,
      capacityKb:
        entry.capacity_mb === undefined
          ? entry.capacity_gb * gibibyteKb
          : entry.capacity_mb * mebibyteKb,
      usedKb: entry.used_mb === undefined ? entry.used_gb * gibibyteKb : entry.used_mb * mebibyteKb,
      accessible: entry.accessible,
      hostIds: hosts.filter((host) => keys.includes(host.key)).map((host) => host.id),
    };
  });
}

function vmsOf({ vms }: ManagerPart, context: VmContext): readonly ManagerVm[] {
  const entries = Object.entries(vms);
  const ids = referencesIn("vms", entries, context.report, (place) =>
    context.rules.kind === "host" ? String(place + 1) : `vm-${101 + place}`,
  );
  return entries.map(([key, entry], index) => managerVmOf(key, ids[index] ?? "", entry, context));
}

const words = { hosts: "host", datastores: "datastore", vms: "VM" } as const;

function referencesIn(
  part: keyof typeof words,
  entries: readonly (readonly [key: string, entry: { readonly moref?: string }])[],
  report: Report,
  numbered: (place: number) => string,
): readonly string[] {
  const all = entries.map(([, { moref }]) => ({ moref }));
  return referencesOf(all, numbered, (index, reference) => {
    const path = ["manager", part, entries[index]?.[0] ?? ""];
    report(path, `another ${words[part]} has the moref ${reference}`);
  });
}

function eventOf(
  { user, ip_address: ipAddress, seconds_ago: secondsAgo }: ManagerPart["logins"][number],
  key: number,
  { rules, start }: { readonly rules: ManagerRules; readonly start: Start },
): ManagerEvent {
  return {
    key,
    kind: "login",
    createdMs: start.nowMs - secondsAgo * 1000,
    user: user.includes("\\") ? user : `${rules.login_domain}\\${user}`,
    ipAddress,
    userAgent: "browser",
    sessionId: `key-${key}`,
    loginMs: null,
  };
}

/** A manager has alarms of its own, whose expressions are of other kinds; a host has none. */
function alarmsOf(
  { rules, alarms }: ManagerPart,
  first: number,
  { nowMs, report }: Start,
): readonly ManagerAlarm[] {
  const entries = Object.entries(alarms);
  if (rules.kind === "host") {
    if (entries.length > 0) report(["manager", "alarms"], "a single host has no alarms");
    return [];
  }
  const own = entries.map(([name, { user, description, enabled }]): DataObject => {
    return { is: "AlarmSpec", name, description, enabled, expression: loginExpression(user) };
  });
  const ids = referencesOf(
    [{ moref: undefined }, ...entries.map(([, { moref }]) => ({ moref }))],
    (place) => `alarm-${first + place}`,
    (index, reference) => {
      const path = ["manager", "alarms", entries[index - 1]?.[0] ?? ""];
      report(path, `another alarm has the moref ${reference}`);
    },
  );
  return [hostAlarm, ...own].map((spec, index) => ({
    id: ids[index] ?? "",
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
