/** How long work takes in a twin: as in earlier runs where they tell it, else as simulators do. */

import { type Durations, usualMs } from "../../model/plan/durations.ts";
import type { World } from "../../simulators/world.ts";

type Interface = "daemon" | "cloud" | "manager" | "appliance";

/** Names of world files for the work of a type and verb. */
const works: { readonly [interfaceName in Interface]: { readonly [kind: string]: string } } = {
  cloud: {
    "cloud_vm power-on": "power_on",
    "cloud_vm deploy": "power_on",
    "cloud_vm power-off": "power_off",
    "cloud_vm shutdown": "shutdown",
    "cloud_vm suspend": "suspend",
    "cloud_vm discard": "discard",
    "cloud_vm undeploy": "undeploy",
    "cloud_vm undeploy-shutdown": "undeploy",
    "cloud_vm relocate": "relocate",
    "cloud_vm enable-nested": "nested",
    "cloud_vm disable-nested": "nested",
    "cloud_snapshot create": "create_snapshot",
    "cloud_snapshot remove": "remove_snapshots",
  },
  manager: {
    "manager_vm power-on": "power_on",
    "manager_vm power-off": "power_off",
    "manager_vm suspend": "suspend",
    "manager_vm shutdown": "guest_shutdown",
    "manager_vm wait-tools": "tools",
    "manager_vm relocate": "relocate",
    "manager_vm add-deltas": "relocate",
    "manager_vm nested": "reconfigure",
    "manager_disk grow": "reconfigure",
    "manager_disk_reclaim wipe": "wipe",
    "manager_disk_reclaim shrink": "shrink",
  },
  daemon: {
    "daemon_vm create": "create",
    "daemon_vm clone": "clone",
    "daemon_vm on": "power_on",
    "daemon_vm off": "power_off",
    "daemon_vm shutdown": "shutdown",
    "daemon_vm suspend": "suspend",
    "daemon_vm pause": "pause",
    "daemon_vm unpause": "unpause",
    "daemon_vm wait-tools": "tools",
    "daemon_vm delete": "delete",
  },
  appliance: { "appliance_storage resize": "resize" },
};

/** What earlier runs tell, as `durations_ms` of a part of a world. */
export function durationsFor(
  provider: string,
  name: Interface,
  earlier: Durations,
): { readonly [work: string]: number } {
  const found: { [work: string]: number } = {};
  for (const [kind, work] of Object.entries(works[name])) {
    const known = earlier.get(`${provider} ${kind}`);
    // One name stands for several kinds: the longest of them.
    if (known !== undefined) found[work] = Math.max(found[work] ?? 0, Math.round(usualMs(known)));
  }
  return found;
}

/** Milliseconds; undefined of work that takes no time of its own there. */
export function paceOf(kind: string, name: Interface, world: World): number | undefined {
  const work = works[name][kind.slice(kind.indexOf(" ") + 1)];
  const durations: { readonly [work: string]: number } = { ...world[name].durations };
  return work === undefined ? undefined : durations[work];
}
