/**
 * Power of daemon VMs: the words of the interface (specification, section B, endpoint 5), and the
 * texts that it answers (wire facts B.3; they are VIX power states).
 */

import {
  changingPower,
  type PowerModel,
  type PowerState,
  type PowerWord,
} from "../../model/operation/power.ts";
import { disrupting } from "../kit/vm/power-words.ts";

const on: PowerWord = { verb: "on", reaches: "on" };
const off: PowerWord = { verb: "off", reaches: "off" };
const suspend: PowerWord = { verb: "suspend", reaches: "suspended" };
const pause: PowerWord = { verb: "pause", reaches: "paused" };
const unpause: PowerWord = { verb: "unpause", reaches: "on" };
/** Graceful, so it needs the guest's tools; clients fall back to `off` when it fails. */
const shutdown: PowerWord = {
  verb: "shutdown",
  reaches: "off",
  needsTools: true,
  graceful: true,
  fallback: off,
};

export const powerWords: ReadonlySet<string> = new Set(
  [on, off, shutdown, suspend, pause, unpause].map((word) => word.verb),
);

const waitToolsVerb = "wait-tools";

export const daemonPower: PowerModel = {
  wanted: "power",
  observed: "power_state",
  initial: "off",
  table: {
    on: {
      off: [disrupting(shutdown)],
      suspended: [disrupting(suspend)],
      paused: [disrupting(pause)],
    },
    off: { on: [on], suspended: [on, suspend], paused: [on, pause] },
    // `on` resumes a suspended VM; there is no way to off that keeps what the guest had in memory.
    suspended: {
      on: [on],
      off: [on, disrupting(shutdown, "discard-state")],
      paused: [on, pause],
    },
    paused: {
      on: [unpause],
      off: [unpause, disrupting(shutdown)],
      // A pause is not kept across a suspend.
      suspended: [unpause, suspend],
    },
  },
  // A VM is deleted only when off or suspended. Consent to destroy covers the hard off.
  beforeDelete: { on: [off], off: [], suspended: [], paused: [off] },
  // No reply tells whether the tools run; an address is reported by them, so it is the best proxy.
  toolsWait: { verb: waitToolsVerb, expect: [{ attribute: "ip_address", present: true }] },
};

export type ObservedPower = PowerState | typeof changingPower;

const states = new Map<string, ObservedPower>([
  ["powered on", "on"],
  ["tools running", "on"],
  ["powered off", "off"],
  ["suspended", "suspended"],
  // The text of a paused VM is recorded nowhere: the VIX name, and what it would become here.
  ["paused", "paused"],
  ["powered paused", "paused"],
  ["powering on", changingPower],
  ["powering off", changingPower],
  ["suspending", changingPower],
  ["pausing", changingPower],
  ["resuming", changingPower],
  // One t, as the daemon writes it.
  ["reseting", changingPower],
  ["resetting", changingPower],
]);

/** Power of an answered text; undefined for an unknown one, which is never taken for off. */
export function powerOfText(text: string): ObservedPower | undefined {
  return states.get(text.trim().toLowerCase().replaceAll("_", " "));
}
