/** A store in memory that survives the process, with a point around each durable step. */

import type { JournalEntry } from "../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../src/model/recorded/recorded.ts";
import type { Fence, Store } from "../../src/model/recorded/store.ts";
import type { Process } from "./process.ts";

export type Disk = {
  snapshot: RecordedState | undefined;
  /** Every entry with its position. */
  journal: { readonly position: number; readonly entry: JournalEntry }[];
  position: number;
};

export function createDisk(): Disk {
  return { snapshot: undefined, journal: [], position: 0 };
}

export function cloneDisk(disk: Disk): Disk {
  return { ...disk, journal: [...disk.journal] };
}

export function createMemoryStore(disk: Disk, process: Process): Store {
  const fence: Fence = { lockId: "memory" };
  return {
    location: "memory",
    read: async () => {
      const held = disk.snapshot?.journal.position ?? 0;
      const tail = disk.journal.filter((item) => item.position > held);
      return { snapshot: disk.snapshot, journal: tail.map((item) => item.entry) };
    },
    append: async (entries) => {
      await process.point("append");
      for (const entry of entries) {
        disk.position += 1;
        disk.journal.push({ position: disk.position, entry });
      }
      await process.point("appended");
      return disk.position;
    },
    compact: async (state) => {
      await process.point("compact");
      disk.snapshot = state;
      disk.position = Math.max(disk.position, state.journal.position);
      await process.point("compact: snapshot written, journal not cut");
      disk.journal = disk.journal.filter((item) => item.position > state.journal.position);
      await process.point("compacted");
    },
    runs: async () => [],
    runHeads: async () => [],
    saveRuns: async () => {},
    lock: async () => fence,
    unlock: async () => {},
    holder: async () => undefined,
    forceUnlock: async () => {},
    close: async () => {},
  };
}
