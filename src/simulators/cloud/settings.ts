/** How the simulated cloud behaves: choices where facts are open, and what servers differ in. */

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
  /** Whether a VM or vApp shows its tasks of the last hour that ended with success. */
  readonly recentSuccessTasks: "listed" | "absent";
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
  /** Name of the infrastructure manager where the world file lists none. */
  readonly managerName: string;
};

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
  readonly recent_success_tasks?: "listed" | "absent";
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

const ruleNames: readonly (keyof CloudRulesDocument)[] = [
  "dialect",
  "xml",
  "versions",
  "session_minutes",
  "expired_session",
  "page_size_max",
  "task_days",
  "progress",
  "recent_success_tasks",
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
    recentSuccessTasks: readChoice(member("recent_success_tasks"), ["listed", "absent"], "absent"),
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
