/** How long the tasks of the simulated cloud take. */

import type { Cursor } from "../decode.ts";
import { readCount, readMembers } from "../decode.ts";

const defaultDurations = {
  /** Of every task, before it runs. */
  queued: 0,
  /** Of every task, from there until it runs. */
  preRunning: 0,
  /** From a request to cancel until the task ends by it. */
  cancel: 10,
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
  /** Renaming and other reconfiguring. */
  update: 10,
  delete: 10,
};

/** Milliseconds, on the simulators' clock. */
export type CloudDurations = { readonly [name in keyof typeof defaultDurations]: number };

const durationNames: { readonly [name in keyof CloudDurations]: string } = {
  queued: "queued",
  preRunning: "pre_running",
  cancel: "cancel",
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
  update: "update",
  delete: "delete",
};

/** `durations_ms` of a world file's `cloud`. */
export type CloudDurationsDocument = { readonly [name: string]: number };

export function readCloudDurations(cursor: Cursor): CloudDurations {
  const member = readMembers(cursor, Object.values(durationNames));
  const read = (name: keyof CloudDurations): number =>
    readCount(member(durationNames[name]), 0, defaultDurations[name]);
  return {
    queued: read("queued"),
    preRunning: read("preRunning"),
    cancel: read("cancel"),
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
    update: read("update"),
    delete: read("delete"),
  };
}
