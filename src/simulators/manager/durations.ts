/** How long the work of the simulated manager takes. */

import type { Cursor } from "../decode.ts";
import { readCount, readMembers } from "../decode.ts";

const defaultDurations = {
  /** Of every task, before it runs. */
  queued: 0,
  /** From a request to cancel until the task ends by it. */
  cancel: 10,
  powerOn: 20,
  powerOff: 10,
  suspend: 20,
  reset: 10,
  /** From the answer to `ShutdownGuest` until the VM is off. */
  guestShutdown: 30,
  /** From powered on until the guest's tools run. */
  tools: 10,
  reconfigure: 10,
  relocate: 100,
  wipe: 200,
  shrink: 100,
};

/** Milliseconds, on the simulators' clock. */
export type ManagerDurations = { readonly [name in keyof typeof defaultDurations]: number };

const durationNames: { readonly [name in keyof ManagerDurations]: string } = {
  queued: "queued",
  cancel: "cancel",
  powerOn: "power_on",
  powerOff: "power_off",
  suspend: "suspend",
  reset: "reset",
  guestShutdown: "guest_shutdown",
  tools: "tools",
  reconfigure: "reconfigure",
  relocate: "relocate",
  wipe: "wipe",
  shrink: "shrink",
};

/** `durations_ms` of a world file's `manager`. */
export type ManagerDurationsDocument = { readonly [name: string]: number };

export function readManagerDurations(cursor: Cursor): ManagerDurations {
  const member = readMembers(cursor, Object.values(durationNames));
  const read = (name: keyof ManagerDurations): number =>
    readCount(member(durationNames[name]), 0, defaultDurations[name]);
  return {
    queued: read("queued"),
    cancel: read("cancel"),
    powerOn: read("powerOn"),
    powerOff: read("powerOff"),
    suspend: read("suspend"),
    reset: read("reset"),
    guestShutdown: read("guestShutdown"),
    tools: read("tools"),
    reconfigure: read("reconfigure"),
    relocate: read("relocate"),
    wipe: read("wipe"),
    shrink: read("shrink"),
  };
}
