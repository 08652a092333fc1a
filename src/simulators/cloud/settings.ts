/** How the simulated cloud behaves: durations of its tasks, and choices where facts are open. */

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
import type { DialectName } from "./dialect.ts";

const defaultDurations = {
  /** Of every task, before it runs. */
  queued: 0,
  powerOn: 20,
  powerOff: 10,
  shutdown: 30,
  reset: 10,
  reboot: 20,
  suspend: 20,
  discard: 10,
  undeploy: 20,
  relocate: 100,
  createSnapshot: 20,
  removeSnapshots: 10,
  revertSnapshot: 20,
  nested: 10,
  delete: 10,
};

/** Milliseconds, on the simulators' clock. */
export type CloudDurations = { readonly [name in keyof typeof defaultDurations]: number };

const durationNames: { readonly [name in keyof CloudDurations]: string } = {
  queued: "queued",
  powerOn: "power_on",
  powerOff: "power_off",
  shutdown: "shutdown",
  reset: "reset",
  reboot: "reboot",
  suspend: "suspend",
  discard: "discard",
  undeploy: "undeploy",
  relocate: "relocate",
  createSnapshot: "create_snapshot",
  removeSnapshots: "remove_snapshots",
  revertSnapshot: "revert_snapshot",
  nested: "nested",
  delete: "delete",
};

export type CloudRules = {
  readonly dialect: DialectName;
  /** `prefixed`: every element has a prefix, as some servers write. */
  readonly xml: "plain" | "prefixed";
  /** Versions of the API, as texts. Links and attributes of 5.1 appear from 5.1 on. */
  readonly versions: readonly string[];
  /** Idle time after which a session ends, minutes. */
  readonly sessionMinutes: number;
  readonly expiredSession: 401 | 403;
  readonly pageSizeMax: number;
  /** Time from a task's start until it is gone, days. */
  readonly taskDays: number;
  readonly progress: "computed" | "absent" | "zero";
  /** `ignored`: a task goes on when asked to cancel, and only tells that it was asked. */
  readonly cancel: "works" | "ignored";
  /** Power that changing nested virtualization needs. */
  readonly nestedPower: "off" | "any";
  /** The hosts support nested virtualization. */
  readonly nestedSupported: boolean;
  /** What a system administrator gets from the query type `vm`. */
  readonly administratorVmQuery: "all" | "none";
  /** Discarding a suspended state also undeploys. */
  readonly discardUndeploys: boolean;
  readonly ticketSeconds: number;
  /** Host of screen tickets, as written in them. */
  readonly consoleHost: string;
  /** Origin of every href; null for the one the client used. */
  readonly publicUrl: string | null;
  /** Name of the infrastructure manager. */
  readonly managerName: string;
};

/** `durations_ms` of a world file's `cloud`. */
export type CloudDurationsDocument = { readonly [name: string]: number };

/** `rules` of a world file's `cloud`. */
export type CloudRulesDocument = {
  readonly dialect?: DialectName;
  readonly xml?: "plain" | "prefixed";
  readonly versions?: readonly string[];
  readonly session_minutes?: number;
  readonly expired_session?: 401 | 403;
  readonly page_size_max?: number;
  readonly task_days?: number;
  readonly progress?: "computed" | "absent" | "zero";
  readonly cancel?: "works" | "ignored";
  readonly nested_power?: "off" | "any";
  readonly nested_supported?: boolean;
  readonly administrator_vm_query?: "all" | "none";
  readonly discard_undeploys?: boolean;
  readonly ticket_seconds?: number;
  readonly console_host?: string;
  readonly public_url?: string;
  readonly manager_name?: string;
};

export function readCloudDurations(cursor: Cursor): CloudDurations {
  const member = readMembers(cursor, Object.values(durationNames));
  const read = (name: keyof CloudDurations): number =>
    readCount(member(durationNames[name]), 0, defaultDurations[name]);
  return {
    queued: read("queued"),
    powerOn: read("powerOn"),
    powerOff: read("powerOff"),
    shutdown: read("shutdown"),
    reset: read("reset"),
    reboot: read("reboot"),
    suspend: read("suspend"),
    discard: read("discard"),
    undeploy: read("undeploy"),
    relocate: read("relocate"),
    createSnapshot: read("createSnapshot"),
    removeSnapshots: read("removeSnapshots"),
    revertSnapshot: read("revertSnapshot"),
    nested: read("nested"),
    delete: read("delete"),
  };
}

const ruleNames: readonly (keyof CloudRulesDocument)[] = [
  "dialect",
  "xml",
  "versions",
  "session_minutes",
  "expired_session",
  "page_size_max",
  "task_days",
  "progress",
  "cancel",
  "nested_power",
  "nested_supported",
  "administrator_vm_query",
  "discard_undeploys",
  "ticket_seconds",
  "console_host",
  "public_url",
  "manager_name",
];

export function readCloudRules(cursor: Cursor): CloudRules {
  const member = readMembers(cursor, ruleNames);
  const publicUrl = member("public_url");
  return {
    dialect: readChoice(member("dialect"), ["neutral", "vendor"], "neutral"),
    xml: readChoice(member("xml"), ["plain", "prefixed"], "plain"),
    versions: readVersions(member("versions")),
    sessionMinutes: readCount(member("session_minutes"), 1, 30),
    expiredSession: readChoice(member("expired_session"), [401, 403], 401),
    pageSizeMax: readCount(member("page_size_max"), 1, 128),
    taskDays: readCount(member("task_days"), 1, 90),
    progress: readChoice(member("progress"), ["computed", "absent", "zero"], "computed"),
    cancel: readChoice(member("cancel"), ["works", "ignored"], "works"),
    nestedPower: readChoice(member("nested_power"), ["off", "any"], "off"),
    nestedSupported: readFlag(member("nested_supported"), true),
    administratorVmQuery: readChoice(member("administrator_vm_query"), ["all", "none"], "all"),
    discardUndeploys: readFlag(member("discard_undeploys"), false),
    ticketSeconds: readCount(member("ticket_seconds"), 1, 30),
    consoleHost: readText(member("console_host"), "console.example"),
    publicUrl: isAbsent(publicUrl) ? null : readText(publicUrl),
    managerName: readText(member("manager_name"), "manager"),
  };
}

function readVersions(cursor: Cursor): readonly string[] {
  if (isAbsent(cursor)) return ["1.5", "5.1"];
  return readItems(cursor).map((item) => {
    const version = readText(item);
    if (!/^\d+(\.\d+)+$/.test(version)) item.report(item.path, "a version is dotted numbers");
    return version;
  });
}

/** Versions are dotted numbers: 5.10 is later than 5.9. */
export function isAtLeast(version: string, wanted: string): boolean {
  const left = version.split(".").map(Number);
  const right = wanted.split(".").map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
