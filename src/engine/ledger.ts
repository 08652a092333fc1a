/**
 * The ledger of a run: recorded state in memory, kept in step with the journal. An entry is durable
 * before it counts here, so nothing in memory is ever ahead of the disk.
 */

import type { OperationSubject } from "../model/operation/operation.ts";
import type { Rules } from "../model/plan/rules.ts";
import type { BeginEntry } from "../model/recorded/begin-entry.ts";
import type { JournalEntry } from "../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../model/recorded/recorded.ts";
import type { Fence, Store } from "../model/recorded/store.ts";
import type { Address } from "../model/value/address.ts";
import type { Value } from "../model/value/value.ts";
import { foldInto } from "../state/fold.ts";
import { fromWorking, objectKeyOf, openKeyOf, toWorking } from "../state/working.ts";

export type Ledger = {
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** The present state as immutable data. O(n). */
  state(): RecordedState;
  object(address: Address): RecordedObject | undefined;
  open(): readonly BeginEntry[];
  /** Handles of remote tasks on an object, of this run and of what it found open. */
  tasksOf(subject: TaskSubject): readonly Value[];
  /** Writes a new snapshot; open begins and restores go with it. */
  compact(): Promise<void>;
  /** At the end of a run: writes one, unless there is so little to fold that it can wait. */
  end(): Promise<void>;
};

type TaskSubject = Pick<OperationSubject, "provider" | "identity">;

/**
 * Entries after which a running apply writes a snapshot, to bound replay. A snapshot costs as much
 * as there are objects, so a large state waits longer: the cost for each entry stays the same.
 */
const compactionEntriesMin = 5_000;
const compactionEntriesPerObject = 2;

/**
 * From so many objects on, a run that has changed little ends without a snapshot: whoever reads
 * folds its entries, until there is one for so many objects. So one change of many objects costs
 * the change, and not the objects.
 */
const waitingObjectsMin = 1_000;
const objectsPerWaitingEntry = 20;

/**
 * A ledger whose entries go to the store. `state` contains every entry of the journal, `tail` of
 * which are not in the snapshot.
 */
export function createLedger(
  store: Store,
  fence: Fence,
  state: RecordedState,
  rules: Rules,
  tail = 0,
): Ledger {
  const working = toWorking(state);
  const tasks = rememberTasks(state.open);
  let sinceCompaction = tail;
  let compaction = Promise.resolve();

  const append = async (entries: readonly JournalEntry[]): Promise<void> => {
    if (entries.length === 0) return;
    await store.append(entries, fence);
    for (const entry of entries) {
      if (entry.kind === "handle") {
        const begin = working.open.get(openKeyOf(entry.planId, entry.id));
        if (begin !== undefined) tasks.add({ ...begin, handle: entry.handle });
      }
      foldInto(working, entry, rules);
    }
    sinceCompaction += entries.length;
    const limit = Math.max(compactionEntriesMin, compactionEntriesPerObject * working.objects.size);
    if (sinceCompaction >= limit) await compact();
  };
  const compact = async (): Promise<void> => {
    sinceCompaction = 0;
    const snapshot = fromWorking(working);
    const kept = rules.carryOpen ? snapshot : { ...snapshot, open: [] };
    compaction = compaction.then(() => store.compact(kept, fence));
    await compaction;
  };
  return {
    append,
    state: () => fromWorking(working),
    object: (address) => working.objects.get(objectKeyOf(address, "current")),
    open: () => [...working.open.values()],
    tasksOf: tasks.of,
    compact,
    end: async () => {
      const objects = working.objects.size;
      const waits = objects >= waitingObjectsMin;
      if (!waits || sinceCompaction * objectsPerWaitingEntry >= objects) await compact();
    },
  };
}

/** Those of operations that have ended are nowhere in recorded state. */
function rememberTasks(open: readonly BeginEntry[]) {
  const handles = new Map<string, Value[]>();
  const keyOf = ({ provider, identity }: TaskSubject): string => `${provider} ${identity}`;
  const add = ({ subject, handle }: Pick<BeginEntry, "subject" | "handle">): void => {
    if (handle === undefined) return;
    const key = keyOf(subject);
    handles.set(key, [...(handles.get(key) ?? []), handle]);
  };
  for (const begin of open) add(begin);
  return { add, of: (subject: TaskSubject): readonly Value[] => handles.get(keyOf(subject)) ?? [] };
}

/** A ledger in memory only, for `plan` and `drift`. */
export function createDryLedger(state: RecordedState, rules: Rules): Ledger {
  const working = toWorking(state);
  return {
    append: (entries) => {
      for (const entry of entries) foldInto(working, entry, rules);
      return Promise.resolve();
    },
    state: () => fromWorking(working),
    object: (address) => working.objects.get(objectKeyOf(address, "current")),
    open: () => [...working.open.values()],
    // Nothing is begun where nothing is written.
    tasksOf: () => [],
    compact: () => Promise.resolve(),
    end: () => Promise.resolve(),
  };
}
