/** How the simulated manager behaves: choices where facts are open, and what servers differ in. */

import type { Cursor } from "../decode.ts";
import { readChoice, readCount, readMembers, readText } from "../decode.ts";

export type ManagerRules = {
  /** `host`: a single host without a manager: other ids, no alarm manager. */
  readonly kind: "manager" | "host";
  /** The latest version that is spoken. */
  readonly apiVersion: string;
  /** What becomes of requests in a later version: served in the latest one, or refused. */
  readonly laterVersion: "served" | "refused";
  /** Idle time after which a session ends, minutes. */
  readonly sessionMinutes: number;
  /** Objects in one page of properties, whatever the client allows. */
  readonly objectsMax: number;
  /** Time from a task's end until its object is gone, minutes; histories keep it. */
  readonly taskMinutes: number;
  /** Domain in front of user names, as sessions, tasks and events have them; "" for none. */
  readonly loginDomain: string;
  /** Where what the state forbids is told: in the task, or as the answer. */
  readonly refusals: "task" | "answer";
  /** Power that changing nested virtualization needs. */
  readonly nestedPower: "off" | "any";
  /** What of a relocate takes effect: its task ends with success whatever this is. */
  readonly relocate: "applied" | "format_ignored" | "ignored";
  /** `ignored`: the guest does not shut down when asked. */
  readonly guestShutdown: "works" | "ignored";
  readonly powerOffSuspended: "refused" | "works";
  /** `ignored`: a task goes on when asked to cancel. */
  readonly cancel: "works" | "ignored";
  readonly progress: "computed" | "absent";
  /** `wrapped`: alarms read back with their expression inside an `OrAlarmExpression`. */
  readonly alarmExpression: "bare" | "wrapped";
  /** Shrinking what was not wiped, and wiping or shrinking without a sparse disk. */
  readonly reclaimMisuse: "refused" | "ignored";
  /** The object browser: `absent` answers 404, `unavailable` 503. */
  readonly browser: "enabled" | "absent" | "unavailable";
  /** How its pages hold the nonce. */
  readonly browserNonce: "quoted" | "unquoted" | "absent";
  /** Its pages about faults: with the literal of a result and the fault's type, or without. */
  readonly browserFault: "typed" | "table";
  /** The server's clock against the simulators'. */
  readonly clockSkewMs: number;
  readonly datacenter: string;
  readonly cluster: string;
};

/** `rules` of a world file's `manager`. */
export type ManagerRulesDocument = {
  readonly kind?: "manager" | "host";
  readonly api_version?: string;
  readonly later_version?: "served" | "refused";
  readonly session_minutes?: number;
  readonly objects_max?: number;
  readonly task_minutes?: number;
  readonly login_domain?: string;
  readonly refusals?: "task" | "answer";
  readonly nested_power?: "off" | "any";
  readonly relocate?: "applied" | "format_ignored" | "ignored";
  readonly guest_shutdown?: "works" | "ignored";
  readonly power_off_suspended?: "refused" | "works";
  readonly cancel?: "works" | "ignored";
  readonly progress?: "computed" | "absent";
  readonly alarm_expression?: "bare" | "wrapped";
  readonly reclaim_misuse?: "refused" | "ignored";
  readonly browser?: "enabled" | "absent" | "unavailable";
  readonly browser_nonce?: "quoted" | "unquoted" | "absent";
  readonly browser_fault?: "typed" | "table";
  readonly clock_skew_ms?: number;
  readonly datacenter?: string;
  readonly cluster?: string;
};

const ruleNames: readonly (keyof ManagerRulesDocument)[] = [
  "kind",
  "api_version",
  "later_version",
  "session_minutes",
  "objects_max",
  "task_minutes",
  "login_domain",
  "refusals",
  "nested_power",
  "relocate",
  "guest_shutdown",
  "power_off_suspended",
  "cancel",
  "progress",
  "alarm_expression",
  "reclaim_misuse",
  "browser",
  "browser_nonce",
  "browser_fault",
  "clock_skew_ms",
  "datacenter",
  "cluster",
];

export function readManagerRules(cursor: Cursor): ManagerRules {
  const member = readMembers(cursor, ruleNames);
  return {
    kind: readChoice(member("kind"), ["manager", "host"], "manager"),
    apiVersion: readVersion(member("api_version")),
    laterVersion: readChoice(member("later_version"), ["served", "refused"], "served"),
    sessionMinutes: readCount(member("session_minutes"), 1, 30),
    objectsMax: readCount(member("objects_max"), 1, 100),
    taskMinutes: readCount(member("task_minutes"), 1, 10),
    loginDomain: readText(member("login_domain"), "LAB.LOCAL"),
    refusals: readChoice(member("refusals"), ["task", "answer"], "task"),
    nestedPower: readChoice(member("nested_power"), ["off", "any"], "off"),
    relocate: readChoice(member("relocate"), ["applied", "format_ignored", "ignored"], "applied"),
    guestShutdown: readChoice(member("guest_shutdown"), ["works", "ignored"], "works"),
    powerOffSuspended: readChoice(member("power_off_suspended"), ["refused", "works"], "refused"),
    cancel: readChoice(member("cancel"), ["works", "ignored"], "works"),
    progress: readChoice(member("progress"), ["computed", "absent"], "computed"),
    alarmExpression: readChoice(member("alarm_expression"), ["bare", "wrapped"], "bare"),
    reclaimMisuse: readChoice(member("reclaim_misuse"), ["refused", "ignored"], "refused"),
    browser: readChoice(member("browser"), ["enabled", "absent", "unavailable"], "enabled"),
    browserNonce: readChoice(member("browser_nonce"), ["quoted", "unquoted", "absent"], "quoted"),
    browserFault: readChoice(member("browser_fault"), ["typed", "table"], "typed"),
    clockSkewMs: readCount(member("clock_skew_ms"), -86_400_000, 0),
    datacenter: readText(member("datacenter"), "dc"),
    cluster: readText(member("cluster"), "cluster"),
  };
}

function readVersion(cursor: Cursor): string {
  const version = readText(cursor, "6.5");
  if (!/^\d+(\.\d+){1,3}$/.test(version)) {
    cursor.report(cursor.path, "a version is like 6.5, 6.7.3 or 8.0.3.0, as text");
  }
  return version;
}
