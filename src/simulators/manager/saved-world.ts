/**
 * Worlds that an earlier version has persisted: what has come since then is filled in, so that they
 * go on as they were.
 */

import type { ManagerDurations } from "./durations.ts";
import { readManagerDurations } from "./durations.ts";
import type { ManagerWorld } from "./manager-state.ts";
import type { ManagerRules } from "./settings.ts";
import { readManagerRules } from "./settings.ts";
import { readManagerDocument } from "./world-document.ts";

export type SavedManagerWorld = Omit<ManagerWorld, "durations" | "rules"> & {
  readonly durations: Partial<ManagerDurations>;
  readonly rules: Partial<ManagerRules>;
};

/** A world of this version is given back as it is; one without a manager gets an empty one. */
export function upgradeManagerWorld(
  saved: SavedManagerWorld | undefined,
  seed: number,
  nowMs: number,
): ManagerWorld {
  const absent = { value: undefined, path: [], report: () => {} };
  if (saved === undefined) return readManagerDocument(absent, seed, nowMs);
  return {
    ...saved,
    durations: { ...readManagerDurations(absent), ...saved.durations },
    rules: { ...readManagerRules(absent), ...saved.rules },
  };
}
