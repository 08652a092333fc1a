/** Recorded state in memory, for tests of configurations: nothing of it is ever written. */

import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { RunRecord } from "../../model/recorded/run-record.ts";
import type { Fence, Store } from "../../model/recorded/store.ts";
import { withRuns } from "../../state/form/run-lines.ts";

type Kept = { readonly position: number; readonly entry: JournalEntry };

/** One run at a time: there is nobody else to be locked out. */
export function createMemoryStore(location: string): Store {
  const fence: Fence = { lockId: "memory" };
  let snapshot: RecordedState | undefined;
  let journal: Kept[] = [];
  let last = 0;
  let runs: readonly RunRecord[] = [];
  return {
    location,
    read: async () => {
      const contained = snapshot?.journal.position ?? 0;
      const later = journal.filter(({ position }) => position > contained);
      return { snapshot, journal: later.map(({ entry }) => entry) };
    },
    append: async (entries) => {
      for (const entry of entries) {
        last += 1;
        journal.push({ position: last, entry });
      }
      return last;
    },
    compact: async (state) => {
      snapshot = state;
      last = Math.max(last, state.journal.position);
      journal = journal.filter(({ position }) => position > state.journal.position);
    },
    runs: async () => runs,
    runHeads: async () => runs,
    saveRuns: async (records, { drop }) => {
      runs = withRuns(runs, records, drop);
    },
    lock: async () => fence,
    unlock: async () => {},
    holder: async () => undefined,
    forceUnlock: async () => {},
    close: async () => {},
  };
}
