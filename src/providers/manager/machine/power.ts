/**
 * Power of VMs at a host manager. The guest is asked to shut down by a call that answers at once
 * and is no task; a guest whose tools do not run is turned off hard.
 */

import type { Disruption } from "../../../model/disruption.ts";
import type { PowerModel, PowerState, PowerWord } from "../../../model/power.ts";

const powerOn: PowerWord = { verb: "power-on", summary: "power on", reaches: "on" };
const suspend: PowerWord = { verb: "suspend", summary: "suspend", reaches: "suspended" };
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

/** The same word where somebody may lose what the guest is doing. */
function disrupting(word: PowerWord, disruption: Disruption = "power-off"): PowerWord {
  const { fallback } = word;
  const behind = fallback === undefined ? {} : { fallback: disrupting(fallback, disruption) };
  return { ...word, ...behind, disrupts: [disruption] };
}

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
