/**
 * A store on a server, with a mirror on this machine: what is read and written there is kept here
 * as well, and what was applied from the mirror is merged before anything else is done under the
 * lock.
 *
 *  - `mirrored-store.ts` the store as every command uses it
 *  - `mirror-store.ts` the mirror as a store, where the other is out of reach
 *  - `keeper.ts` keeping it, `merge.ts` what fits
 *  - `files.ts`, `head.ts` what is on disk
 */

import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { RunRecord } from "../../model/recorded/run-record.ts";
import {
  type Fence,
  type Store,
  type StoredState,
  StoreError,
} from "../../model/recorded/store.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { foldAll } from "../../state/fold.ts";
import { readRuns } from "../local/run-file.ts";
import { loadMirror, type MirrorPlace, nameOfPlace, readHead } from "./files.ts";
import type { Fork } from "./head.ts";
import { createKeeper, type Keeper, type KeeperOptions } from "./keeper.ts";
import { type Applied, type Merge, mergeOf } from "./merge.ts";
import { fromMirrorOperation } from "./mirror-store.ts";
import {
  atWorkHere,
  merged,
  type Refused,
  unmergeable,
  unmergeableTold,
  unusableMirror,
  withMirrorNamed,
  yetToMerge,
} from "./problems.ts";

type Emergency = {
  writeEmergencyCopy(state: RecordedState, cause: unknown): Promise<StoreError>;
};

export type MirroredOptions = KeeperOptions & {
  /** Places of all mirrors in the same folder. */
  readonly others: () => Promise<readonly MirrorPlace[]>;
};

type Mirrored = {
  readonly inner: Store;
  readonly options: MirroredOptions;
  readonly place: MirrorPlace;
  readonly keeper: Keeper;
  /** To be told with what is read next. */
  remarks: Diagnostic[];
};

export function mirrored<S extends Store & Emergency>(inner: S, options: MirroredOptions): S {
  const keeper = createKeeper(options);
  const own: Mirrored = { inner, options, place: options.place, keeper, remarks: [] };
  return {
    ...inner,
    read: () => read(own),
    append: (entries: readonly JournalEntry[], fence: Fence) => append(own, entries, fence),
    compact: async (state: RecordedState, fence: Fence) => {
      await inner.compact(state, fence);
      await keeper.compact(state);
    },
    lock: (operation: string, timeoutMs: number) => lock(own, operation, timeoutMs),
    unlock: async (fence: Fence) => {
      try {
        await inner.unlock(fence);
      } finally {
        await keeper.release();
      }
    },
    close: async () => {
      try {
        await inner.close();
      } finally {
        await keeper.release();
      }
    },
  };
}

/** Not `async`, to keep the order of calls. */
function append(
  { inner, keeper }: Mirrored,
  entries: readonly JournalEntry[],
  fence: Fence,
): Promise<number> {
  return inner
    .append(entries, fence)
    .then((position) => keeper.append(entries, position).then(() => position));
}

async function read(own: Mirrored): Promise<StoredState> {
  const { inner, keeper, options, place } = own;
  const beganMs = options.around.clock.now();
  const stored = await naming(own, () => inner.read());
  const { remarks: told = [] } = stored;
  const said = [...told, ...own.remarks];
  own.remarks = [];
  if (!keeper.isHeld()) {
    const applied = await appliedFrom(place).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      said.push({ ...error.diagnostic, severity: "warning" });
    });
    if (applied !== undefined) return withApplied(own, applied, stored, said);
  }
  said.push(...(await keeper.take(stored, beganMs)));
  return withRemarks(stored, said);
}

function withRemarks(stored: StoredState, remarks: readonly Diagnostic[]): StoredState {
  return remarks.length === 0 ? stored : { ...stored, remarks };
}

/** For commands that only look: as it will be when the next one has merged. */
async function withApplied(
  own: Mirrored,
  applied: Applied,
  stored: StoredState,
  said: readonly Diagnostic[],
): Promise<StoredState> {
  const { fork, entries } = applied;
  const step = await mergeInto(own, applied, stored);
  if (step.kind === "done") return withRemarks(stored, said);
  if (step.kind === "refused") {
    const refused = refusedIn(own, step.why);
    return withRemarks(stored, [...said, unmergeableTold(refused, entries.length, fork)]);
  }
  const journal = [...stored.journal, ...step.entries];
  const remark = yetToMerge(own.place.of, entries.length, fork);
  return { ...stored, journal, remarks: [...said, remark] };
}

/** The history of runs is asked for only where it decides. */
async function mergeInto(own: Mirrored, applied: Applied, stored: StoredState): Promise<Merge> {
  const step = mergeOf(applied, stored, []);
  if (step.kind !== "refused") return step;
  const runs = await own.inner.runs();
  return mergeOf(
    applied,
    stored,
    runs.map(({ id }) => id),
  );
}

async function lock(own: Mirrored, operation: string, timeoutMs: number): Promise<Fence> {
  const { inner, keeper, place } = own;
  const fence = await naming(own, () => inner.lock(operation, timeoutMs));
  try {
    const holder = await keeper.hold(operation);
    if (holder?.operation.endsWith(fromMirrorOperation) === true) {
      throw atWorkHere(place.of, holder);
    }
    await merge(own, fence);
    await requireNoOther(own);
    return fence;
  } catch (error) {
    await inner.unlock(fence).catch(() => undefined);
    await keeper.release();
    throw error;
  }
}

/** Under both locks. Throws `StoreError` where it does not fit, and leaves all as it is then. */
async function merge(own: Mirrored, fence: Fence): Promise<void> {
  const { inner, keeper, place } = own;
  const applied = await appliedFrom(place);
  if (applied === undefined) return;
  const { fork, entries } = applied;
  const stored = await inner.read();
  const step = await mergeInto(own, applied, stored);
  if (step.kind === "refused") {
    throw unmergeable(refusedIn(own, step.why), entries.length, fork);
  }
  if (!keeper.isHeld()) {
    throw unmergeable(refusedIn(own, "the mirror cannot be locked"), entries.length, fork);
  }
  if (step.kind === "missing") {
    await inner.append(step.entries, fence);
    // After the entries: what is known of the runs proves that these are there.
    const records = await readRuns(place).catch((): readonly RunRecord[] => []);
    if (records.length > 0) await inner.saveRuns(records, { drop: [], late: true }, fence);
    own.remarks.push(merged(place.of, entries.length, fork));
  }
  const now = await inner.read();
  if (now.snapshot === undefined) return;
  await keeper.clearFork(foldAll(now.snapshot, now.journal)).catch((error: unknown) => {
    throw unusableMirror(place.of, place.head, error);
  });
}

/** A store may be named otherwise than it was when something was applied from its mirror. */
async function requireNoOther(own: Mirrored): Promise<void> {
  const { inner, options, place } = own;
  const forks: { readonly other: MirrorPlace; readonly fork: Fork }[] = [];
  for (const other of await options.others().catch(() => [])) {
    if (other.head === place.head) continue;
    const head = await readHead(other).catch(() => undefined);
    if (head?.fork !== undefined) forks.push({ other: { ...other, of: head.of }, fork: head.fork });
  }
  if (forks.length === 0) return;
  const { snapshot } = await inner.read();
  for (const { other, fork } of forks) {
    if (fork.base.lineage !== snapshot?.lineage) continue;
    const entries = (await appliedFrom(other))?.entries.length ?? 0;
    const why = `it is the mirror of ${other.of}, and the store is named otherwise now`;
    const refused = { of: place.of, name: nameOfPlace(other), why };
    throw unmergeable(refused, entries, fork);
  }
}

/** Undefined where nothing was applied from it. Throws `StoreError`. */
async function appliedFrom(place: MirrorPlace): Promise<Applied | undefined> {
  try {
    const head = await readHead(place);
    if (head?.fork === undefined) return undefined;
    const { fork } = head;
    const loaded = await loadMirror(place);
    if (loaded === undefined) throw new Error(`${place.paths.snapshot} is gone`);
    const { snapshot, entries } = loaded;
    const skipped = fork.base.journal.position - snapshot.journal.position;
    const records = await readRuns(place).catch((): readonly RunRecord[] => []);
    return { fork, entries: entries.slice(skipped), runIds: records.map(({ id }) => id) };
  } catch (error) {
    throw unusableMirror(place.of, place.head, error);
  }
}

function refusedIn({ place }: Mirrored, why: string): Refused {
  return { of: place.of, name: nameOfPlace(place), why };
}

/** Codes of a store that does not answer. */
const outOfReach: ReadonlySet<string> = new Set(["STO028", "STO031", "STO040", "STO049"]);

async function naming<T>(own: Mirrored, work: () => Promise<T>): Promise<T> {
  const { place, options } = own;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError) || !outOfReach.has(error.code)) throw error;
    const head = await readHead(place).catch(() => undefined);
    if (head === undefined) throw error;
    const { journal } = head.fork?.base ?? head.tip ?? { journal: head.snapshot };
    const held = { of: place.of, asOfMs: head.asOfMs, position: journal.position };
    throw withMirrorNamed(error, held, options.around.clock.now());
  }
}
