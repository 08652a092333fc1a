/** The recorded state of a configuration that was never applied. */

import type { RecordedState } from "../model/recorded/recorded.ts";

/** `lineage` and `journalId` are fresh random ids given by the caller. */
export function initialState(
  lineage: string,
  journalId: string,
  simulated: boolean,
): RecordedState {
  return {
    formatVersion: 1,
    lineage,
    serial: 0,
    journal: { id: journalId, position: 0 },
    simulated,
    objects: [],
    restores: [],
    open: [],
    providers: [],
    outputs: [],
  };
}
