/** Words of power that interfaces have in common. */

import type { Disruption } from "../../../model/operation/disruption.ts";
import type { PowerWord } from "../../../model/operation/power.ts";

export const powerOn: PowerWord = { verb: "power-on", summary: "power on", reaches: "on" };
export const suspend: PowerWord = { verb: "suspend", summary: "suspend", reaches: "suspended" };

/** The same word where somebody may lose what the guest is doing. */
export function disrupting(word: PowerWord, disruption: Disruption = "power-off"): PowerWord {
  const { fallback } = word;
  const behind = fallback === undefined ? {} : { fallback: disrupting(fallback, disruption) };
  return { ...word, ...behind, disrupts: [disruption] };
}
