/**
 * What journal entries say of a run: its operations, and what else changed of the records. Each
 * entry costs as much as it has attributes, whatever the size of recorded state.
 */

import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type {
  EndEntry,
  JournalEntry,
  NoteEntry,
  ObservedEntry,
} from "../../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { RunChange, RunOperation } from "../../model/recorded/run-record.ts";
import { type Attributes, equalValues } from "../../model/value/value.ts";
import { objectKeyOf, openKeyOf } from "../../state/working.ts";

/** What is recorded of an object, as far as it is compared. */
type Known = Pick<RecordedObject, "attributes" | "unaccepted">;

export type Collected = {
  readonly operations: readonly RunOperation[];
  readonly changes: readonly RunChange[];
  /** When the last entry was that tells a time; undefined when none was. */
  readonly lastMs: number | undefined;
};

export type Collector = {
  readonly add: (entries: readonly JournalEntry[]) => void;
  readonly collected: () => Collected;
};

type Collecting = {
  readonly known: () => Map<string, Known>;
  /** Of this run and of what it found open. */
  readonly begun: Map<string, BeginEntry>;
  readonly foundOpen: () => ReadonlyMap<string, BeginEntry>;
  readonly operations: Map<string, RunOperation>;
  readonly changes: RunChange[];
  /** What was adopted and not read since, by key: where it stands among the changes. */
  readonly adopted: Map<string, number>;
  lastMs: number | undefined;
};

/** `before` is what was recorded before the first entry; it is asked for when it is needed. */
export function createCollector(before: () => RecordedState): Collector {
  let known: Map<string, Known> | undefined;
  let open: Map<string, BeginEntry> | undefined;
  const collecting: Collecting = {
    known: () =>
      (known ??= new Map(
        before().objects.map((one) => [objectKeyOf(one.address, one.objectKey), one]),
      )),
    foundOpen: () =>
      (open ??= new Map(before().open.map((one) => [openKeyOf(one.planId, one.id), one]))),
    begun: new Map(),
    operations: new Map(),
    changes: [],
    adopted: new Map(),
    lastMs: undefined,
  };
  return {
    add: (entries) => {
      for (const entry of entries) collect(collecting, entry);
    },
    collected: () => ({
      operations: [...collecting.operations.values()],
      changes: collecting.changes,
      lastMs: collecting.lastMs,
    }),
  };
}

function collect(collecting: Collecting, entry: JournalEntry): void {
  if ("atMs" in entry) collecting.lastMs = entry.atMs;
  switch (entry.kind) {
    case "begin":
      return collectBegin(collecting, entry);
    case "end":
    case "closed":
      return collectEnd(collecting, entry);
    case "observed":
      return collectObserved(collecting, entry);
    case "note":
      return collectNote(collecting, entry);
    case "run":
    case "handle":
      return;
  }
}

function collectBegin({ begun, operations }: Collecting, entry: BeginEntry): void {
  const key = openKeyOf(entry.planId, entry.id);
  begun.set(key, entry);
  operations.set(key, operationOf(entry));
}

function operationOf({ planId, id, verb, subject, ...begin }: BeginEntry): RunOperation {
  const { atMs: beganMs, serverTimeMs: serverBeganMs } = begin;
  const told = serverBeganMs === undefined ? {} : { serverBeganMs };
  return { planId, id, verb, address: subject.address, beganMs, ...told };
}

function collectEnd(collecting: Collecting, entry: EndEntry): void {
  const key = openKeyOf(entry.planId, entry.id);
  const own = collecting.begun.get(key);
  const begin = own ?? collecting.foundOpen().get(key);
  if (begin === undefined) return;
  collecting.operations.set(key, {
    ...(collecting.operations.get(key) ?? operationOf(begin)),
    endedMs: entry.atMs,
    outcome: entry.outcome,
    ...(entry.message === undefined ? {} : { message: entry.message }),
    ...(own === undefined ? { settled: true } : {}),
    ...changedBy(collecting, begin, entry),
  });
}

function changedBy(
  collecting: Collecting,
  { subject, effect }: BeginEntry,
  { attributes, outcome }: EndEntry,
): Pick<RunOperation, "attributes"> {
  const key = objectKeyOf(subject.address, subject.objectKey);
  const known = collecting.known();
  if (effect.kind === "delete" && outcome === "success") {
    known.delete(key);
    return {};
  }
  if (attributes === undefined) return {};
  const isNew = effect.kind === "create";
  const before = isNew ? undefined : known.get(key);
  const names = different(before?.attributes ?? {}, attributes);
  known.set(key, { ...before, attributes: { ...before?.attributes, ...attributes } });
  return names.length === 0 ? {} : { attributes: names };
}

function collectObserved(collecting: Collecting, entry: ObservedEntry): void {
  const { address, attributes, unaccepted = {} } = entry;
  const what = collecting.begun.size === 0 ? "outside" : "along";
  const key = objectKeyOf(address, entry.objectKey);
  const before = collecting.known().get(key);
  if (entry.existence === "missing") {
    collecting.changes.push({ what: "gone", address });
    return;
  }
  const names = new Set([
    ...different(before?.attributes ?? {}, attributes),
    ...different(before?.unaccepted ?? {}, unaccepted),
  ]);
  collecting.known().set(key, {
    attributes: { ...before?.attributes, ...attributes },
    ...(entry.unaccepted === undefined ? {} : { unaccepted }),
  });
  if (readOfAdopted(collecting, key, names) || names.size === 0) return;
  collecting.changes.push({ what, address, attributes: [...names].toSorted() });
}

/** What is first read of an object belongs to its being adopted: nobody has changed it since. */
function readOfAdopted(
  { adopted, changes }: Collecting,
  key: string,
  names: ReadonlySet<string>,
): boolean {
  const index = adopted.get(key);
  const change = index === undefined ? undefined : changes[index];
  if (index === undefined || change === undefined) return false;
  adopted.delete(key);
  const attributes = [...new Set([...(change.attributes ?? []), ...names])].toSorted();
  changes[index] = { ...change, attributes };
  return true;
}

function collectNote(collecting: Collecting, { note }: NoteEntry): void {
  const { changes } = collecting;
  switch (note.what) {
    case "adopt": {
      const { address, objectKey, attributes } = note.object;
      collecting.known().set(objectKeyOf(address, objectKey), note.object);
      collecting.adopted.set(objectKeyOf(address, objectKey), changes.length);
      changes.push({ what: "adopted", address, attributes: Object.keys(attributes).toSorted() });
      return;
    }
    case "forget":
      collecting.known().delete(objectKeyOf(note.address, note.objectKey));
      changes.push({ what: "forgotten", address: note.address });
      return;
    case "move":
      for (const { from, to } of note.moves) changes.push({ what: "moved", address: to, from });
      return followMoves(collecting, note.moves);
    case "endpoint":
      changes.push({ what: "endpoint", address: note.address });
      return;
    case "clear-restore":
    case "record":
    case "outputs":
  }
}

/** All at once: one may lead to where another comes from. */
function followMoves(
  collecting: Collecting,
  moves: Extract<NoteEntry["note"], { what: "move" }>["moves"],
): void {
  const known = collecting.known();
  const taken = moves.map(({ from, to }) => {
    const one = known.get(objectKeyOf(from, "current"));
    known.delete(objectKeyOf(from, "current"));
    return { to, one };
  });
  for (const { to, one } of taken)
    if (one !== undefined) known.set(objectKeyOf(to, "current"), one);
}

/** Names of the attributes that are otherwise in `after`, sorted; what it leaves out stayed. */
function different(before: Attributes, after: Attributes): readonly string[] {
  return Object.keys(after)
    .filter((name) => {
      const [old, now] = [before[name], after[name]];
      return old === undefined || now === undefined || !equalValues(old, now);
    })
    .toSorted();
}
