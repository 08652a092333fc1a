/**
 * Power of VMs at a host manager. The guest is asked to shut down by a call that answers at once
 * and is no task; a guest whose tools do not run is turned off hard.
 */

import type { PowerModel, PowerState, PowerWord } from "../../../model/operation/power.ts";
import { disrupting, powerOn, suspend } from "../../kit/vm/power-words.ts";

const powerOff: PowerWord = { verb: "power-off", summary: "power off", reaches: "off" };
const shutdown: PowerWord = {
  verb: "shutdown",
  summary: "shut the guest down",
  reaches: "off",
  needsTools: true,
  graceful: true,
  taskless: true,
  fallback: powerOff,
};

/**
 * `running`, or `absent` in a guest that has none: both end a wait, and before work that needs the
 * tools there is none. Null is what may change by itself.
 */
export const toolsAttribute = "tools_status";

export const managerPower: PowerModel = {
  wanted: "power",
  observed: "power_state",
  initial: "off",
  table: {
    on: { off: [disrupting(shutdown)], suspended: [disrupting(suspend)] },
    off: { on: [powerOn], suspended: [powerOn, suspend] },
    // There is no way to off that keeps what the guest had in memory.
    suspended: { on: [powerOn], off: [powerOn, disrupting(shutdown, "discard-state")] },
  },
  // A VM is attached: it is never deleted.
  beforeDelete: {},
  toolsWait: { verb: "wait-tools", expect: [{ attribute: toolsAttribute, present: true }] },
};

/** Of `runtime.powerState`; undefined for every other word, which is never taken for off. */
export function powerOf(word: string | undefined): PowerState | undefined {
  switch (word) {
    case "poweredOn":
      return "on";
    case "poweredOff":
      return "off";
    case "suspended":
      return "suspended";
    default:
      return undefined;
  }
}
