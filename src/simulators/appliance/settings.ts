/** How the simulated appliance behaves: its release, and choices where facts are open. */

import type { ApplianceRelease } from "../appliance-layout.ts";
import { applianceReleases } from "../appliance-layout.ts";
import type { Cursor } from "../decode.ts";
import { readChoice, readCount, readMembers } from "../decode.ts";

export type ApplianceRules = {
  readonly release: ApplianceRelease;
  /** Idle time after which a session ends, minutes. */
  readonly sessionMinutes: number;
  /** Credentials with a call, instead of a session. */
  readonly basic: "accepted" | "refused";
  /** What the list of disks and partitions holds. */
  readonly storageList: "full" | "empty";
  /** `sparse`: half of the samples are missing; `empty`: all are. */
  readonly monitoring: "full" | "sparse" | "empty";
  /** `resize`: of all calls only the one that the specification has, below no prefix. */
  readonly offers: "all" | "resize";
};

/** `rules` of a world file's `appliance`. */
export type ApplianceRulesDocument = {
  readonly release?: ApplianceRelease;
  readonly session_minutes?: number;
  readonly basic?: "accepted" | "refused";
  readonly storage_list?: "full" | "empty";
  readonly monitoring?: "full" | "sparse" | "empty";
  readonly offers?: "all" | "resize";
};

const ruleNames = [
  "release",
  "session_minutes",
  "basic",
  "storage_list",
  "monitoring",
  "offers",
] satisfies (keyof ApplianceRulesDocument)[];

export function readApplianceRules(cursor: Cursor): ApplianceRules {
  const member = readMembers(cursor, ruleNames);
  return {
    release: readChoice(member("release"), applianceReleases, "6.5"),
    sessionMinutes: readCount(member("session_minutes"), 1, 5),
    basic: readChoice(member("basic"), ["accepted", "refused"], "accepted"),
    storageList: readChoice(member("storage_list"), ["full", "empty"], "full"),
    monitoring: readChoice(member("monitoring"), ["full", "sparse", "empty"], "full"),
    offers: readChoice(member("offers"), ["all", "resize"], "all"),
  };
}
