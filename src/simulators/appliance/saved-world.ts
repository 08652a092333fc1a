/** Appliances that an earlier version has persisted: what has come since then is filled in. */

import type { ApplianceMachine } from "../appliance-machine.ts";
import type { ApplianceWorld } from "./appliance-state.ts";
import type { ApplianceRules } from "./settings.ts";
import { readApplianceRules } from "./settings.ts";
import { readApplianceDocument } from "./world-document.ts";

export type SavedApplianceWorld = Omit<ApplianceWorld, "rules"> & {
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
  return { ...saved, rules: { ...readApplianceRules(absent), ...saved.rules } };
}
