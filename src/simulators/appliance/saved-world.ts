/** Appliances that an earlier version has persisted: what has come since then is filled in. */

import type { ApplianceMachine } from "../appliance-machine.ts";
import type { ApplianceDurations, ApplianceWorld } from "./appliance-state.ts";
import type { ApplianceRules } from "./settings.ts";
import { readApplianceRules } from "./settings.ts";
import { readApplianceDocument, readApplianceDurations } from "./world-document.ts";

export type SavedApplianceWorld = Omit<ApplianceWorld, "durations" | "rules"> & {
  readonly durations: Partial<ApplianceDurations>;
  readonly rules: Partial<ApplianceRules>;
};

/** A world of this version is given back as it is; one without an appliance gets an empty one. */
export function upgradeApplianceWorld(
  saved: SavedApplianceWorld | undefined,
  nowMs: number,
  machineAt: (key: string) => ApplianceMachine | undefined,
): ApplianceWorld {
  const absent = { value: undefined, path: [], report: () => {} };
  if (saved === undefined) return readApplianceDocument(absent, nowMs, machineAt);
  return {
    ...saved,
    durations: { ...readApplianceDurations(absent), ...saved.durations },
    rules: { ...readApplianceRules(absent), ...saved.rules },
  };
}
