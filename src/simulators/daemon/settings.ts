/** How the simulated daemon behaves: durations of its work, and choices where facts are open. */

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

/** Milliseconds, on the simulators' clock. */
export type DaemonDurations = {
  /** A VM made from the default template; the request lasts as long. */
  readonly create: number;
  /** The full copy of a VM; the request lasts as long. */
  readonly clone: number;
  /** `powering on`, until the guest has started to boot. */
  readonly powerOn: number;
  /** From there until the guest's tools run. */
  readonly tools: number;
  /** From there (not from the tools) until the guest has its address; never before the tools. */
  readonly address: number;
  /** From running tools until the guest can be shut down; error 3009 meanwhile. */
  readonly shutdownReady: number;
  readonly powerOff: number;
  readonly shutdown: number;
  readonly suspend: number;
  readonly resume: number;
  readonly pause: number;
  readonly unpause: number;
  readonly delete: number;
};

export type DaemonRules = {
  /** Answer to `on` for a VM that is on. */
  readonly onWhenOn: 200 | 500;
  readonly cloneOfRunningParent: "refused" | "allowed";
  /** Status of an address request for a running guest without an address. */
  readonly addressMissing: 408 | 500;
  /** Folder calls need sharing to be enabled first. */
  readonly sharingRequired: boolean;
  /** Power text of a VM whose tools run; before that it is always `powered on`. */
  readonly runningText: "powered on" | "tools_running";
  readonly pausedText: string;
  /** Folders that exist on the host; null when every path does. */
  readonly hostPaths: readonly string[] | null;
};

const defaultDurations: DaemonDurations = {
  create: 20,
  clone: 50,
  powerOn: 10,
  tools: 10,
  address: 20,
  shutdownReady: 0,
  powerOff: 5,
  shutdown: 20,
  suspend: 10,
  resume: 10,
  pause: 0,
  unpause: 0,
  delete: 5,
};

const durationNames: { readonly [name in keyof DaemonDurations]: string } = {
  create: "create",
  clone: "clone",
  powerOn: "power_on",
  tools: "tools",
  address: "address",
  shutdownReady: "shutdown_ready",
  powerOff: "power_off",
  shutdown: "shutdown",
  suspend: "suspend",
  resume: "resume",
  pause: "pause",
  unpause: "unpause",
  delete: "delete",
};

/** `durations_ms` of a world file. */
export type DurationsDocument = { readonly [name: string]: number };

/** `rules` of a world file. */
export type RulesDocument = {
  readonly on_when_on?: 200 | 500;
  readonly clone_of_running_parent?: "refused" | "allowed";
  readonly address_missing?: 408 | 500;
  readonly sharing_required?: boolean;
  readonly running_text?: "powered on" | "tools_running";
  readonly paused_text?: string;
  readonly host_paths?: readonly string[];
};

export function readDurations(cursor: Cursor): DaemonDurations {
  const member = readMembers(cursor, Object.values(durationNames));
  const read = (name: keyof DaemonDurations): number =>
    readCount(member(durationNames[name]), 0, defaultDurations[name]);
  return {
    create: read("create"),
    clone: read("clone"),
    powerOn: read("powerOn"),
    tools: read("tools"),
    address: read("address"),
    shutdownReady: read("shutdownReady"),
    powerOff: read("powerOff"),
    shutdown: read("shutdown"),
    suspend: read("suspend"),
    resume: read("resume"),
    pause: read("pause"),
    unpause: read("unpause"),
    delete: read("delete"),
  };
}

export function readRules(cursor: Cursor): DaemonRules {
  const member = readMembers(cursor, [
    "on_when_on",
    "clone_of_running_parent",
    "address_missing",
    "sharing_required",
    "running_text",
    "paused_text",
    "host_paths",
  ]);
  const hostPaths = member("host_paths");
  return {
    onWhenOn: readChoice(member("on_when_on"), [200, 500], 500),
    cloneOfRunningParent: readChoice(
      member("clone_of_running_parent"),
      ["refused", "allowed"],
      "refused",
    ),
    addressMissing: readChoice(member("address_missing"), [408, 500], 500),
    sharingRequired: readFlag(member("sharing_required"), true),
    runningText: readChoice(member("running_text"), ["powered on", "tools_running"], "powered on"),
    pausedText: readText(member("paused_text"), "paused"),
    hostPaths: isAbsent(hostPaths) ? null : readItems(hostPaths).map((item) => readText(item)),
  };
}
