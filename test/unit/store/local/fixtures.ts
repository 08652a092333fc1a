/** Stores over the file system in memory, and entries that can be told apart. */

import type { FileSystem } from "../../../../src/lib/files/file-system.ts";
import type { Clock } from "../../../../src/model/clock.ts";
import type { JournalEntry } from "../../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import { type StoredState, StoreError } from "../../../../src/model/recorded/store.ts";
import { foldAll } from "../../../../src/state/fold.ts";
import { initialState } from "../../../../src/state/initial.ts";
import {
  createLocalStore,
  type LocalStore,
  type LocalStoreOptions,
} from "../../../../src/store/local/local-store.ts";
import { plainSeal } from "../../../helpers/seals.ts";

export const path = "/state/web.json";
export const initial: RecordedState = initialState("lineage-1", "journal-1", false);

/** Entry n; folded, it leaves its number in the outputs. */
export function entry(n: number): JournalEntry {
  const text = `${"é".repeat(n)}${n}`;
  return {
    kind: "note",
    note: { what: "outputs", outputs: [{ name: "last", value: [n, text], sensitive: false }] },
  };
}

export const entries = (from: number, to: number): readonly JournalEntry[] =>
  Array.from({ length: to - from + 1 }, (_, index) => entry(from + index));

/** The state after entries 1 to n. */
export function stateAt(n: number): RecordedState {
  return foldAll(initial, entries(1, n));
}

export function foldStored(stored: StoredState): RecordedState | undefined {
  return stored.snapshot === undefined ? undefined : foldAll(stored.snapshot, stored.journal);
}

/** A clock that moves only when somebody sleeps. */
export function createTestClock(startMs = 1_700_000_000_000): Clock & { sleeps: number[] } {
  let nowMs = startMs;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => nowMs,
    sleep: async (ms) => {
      sleeps.push(ms);
      nowMs += ms;
      await Promise.resolve();
    },
  };
}

let lastId = 0;
/** Each store is a process of its own, unless told otherwise. */
let lastPid = 1000;

export function openStore(
  fs: FileSystem,
  options: Partial<LocalStoreOptions> & { readonly pid?: number } = {},
): LocalStore & { readonly pid: number } {
  lastPid += 1;
  const pid = options.pid ?? lastPid;
  const store = createLocalStore({
    path,
    fs,
    seal: plainSeal(path),
    clock: createTestClock(),
    random: () => {
      lastId += 1;
      return `id-${lastId}`;
    },
    host: "host-a",
    user: "ann",
    process: { pid },
    // Every store before the newest belongs to a process that is gone.
    hasEnded: (other) => other.pid !== pid,
    ...options,
  });
  return { ...store, pid };
}

/** The error of a rejected promise, which must be a `StoreError`. */
export async function problemOf(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => new Error("was fulfilled"),
    (reason: unknown) => reason,
  );
  if (error instanceof StoreError) return error;
  throw error;
}
