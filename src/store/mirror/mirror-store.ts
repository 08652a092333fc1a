/**
 * A mirror as a store of its own, for commands that do without the one it is of. What they record
 * stays in its journal after the position that the store was last known to have, until a command
 * that reaches the store merges it there. So nothing of it is compacted.
 */

import { tmpdir } from "node:os";
import { nodeFileSystem } from "../../lib/files/file-system.ts";
import { shellWord } from "../../lib/shell-word.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Fence, StoredState, StoreError } from "../../model/recorded/store.ts";
import { foldAll } from "../../state/fold.ts";
import { writeEmergencyCopy } from "../kit/emergency-copy.ts";
import { createLocalStore, type LocalStore, type LocalStoreOptions } from "../local/local-store.ts";
import { type MirrorPlace, readHead, writeHead } from "./files.ts";
import { type MirrorHead, tipOf } from "./head.ts";
import { fromMirror, noMirror, unusableMirror } from "./problems.ts";

export type MirrorStoreOptions = Omit<LocalStoreOptions, "path" | "seal" | "fs"> & {
  readonly place: MirrorPlace;
  /** What paths of emergency copies begin with. */
  readonly beside: string;
};

/** How what a run from the mirror does is told, where its lock is met. */
export const fromMirrorOperation = " from the mirror";

export function openMirrorStore(options: MirrorStoreOptions): LocalStore {
  const { place, clock } = options;
  const local = createLocalStore({
    ...options,
    path: place.paths.snapshot,
    seal: place.seal,
    fs: place.fs,
  });
  let forked: Promise<void> | undefined;
  return {
    ...local,
    location: `the mirror of ${place.of}`,
    read: async () => readWith(place, local, clock.now()),
    // Not `async`, to keep the order of calls.
    append: (entries, fence) => {
      forked ??= fork(options, local);
      return forked.then(() => local.append(entries, fence));
    },
    compact: async () => {},
    lock: async (operation, timeoutMs) => {
      await headOf(place);
      return lock(place, local, `${operation}${fromMirrorOperation}`, timeoutMs);
    },
    writeEmergencyCopy: (state: RecordedState, cause: unknown): Promise<StoreError> =>
      writeEmergencyCopy({
        fs: nodeFileSystem,
        path: options.beside,
        seal: place.seal,
        location: `the mirror of ${place.of}`,
        putBack: (copy) => `vmform state push ${shellWord(copy)}`,
        temporaryFolder: options.temporaryFolder ?? tmpdir(),
        nowMs: clock.now(),
        state,
        cause,
      }),
  };
}

/** Throws `StoreError` where there is none, or none that can be used. */
async function headOf(place: MirrorPlace): Promise<MirrorHead> {
  const head = await readHead(place).catch((error: unknown) => {
    throw unusableMirror(place.of, place.head, error);
  });
  if (head === undefined) throw noMirror(place.of);
  return head;
}

async function lock(
  place: MirrorPlace,
  local: LocalStore,
  operation: string,
  timeoutMs: number,
): Promise<Fence> {
  const fence = await local.lock(operation, timeoutMs);
  try {
    // It may have been put aside while the lock was waited for.
    await headOf(place);
    return fence;
  } catch (error) {
    await local.unlock(fence).catch(() => undefined);
    throw error;
  }
}

async function readWith(
  place: MirrorPlace,
  local: LocalStore,
  nowMs: number,
): Promise<StoredState> {
  const head = await headOf(place);
  const stored = await local.read().catch((error: unknown) => {
    throw unusableMirror(place.of, place.paths.snapshot, error);
  });
  const { snapshot, journal, remarks = [] } = stored;
  if (snapshot === undefined) throw noMirror(place.of);
  const end = snapshot.journal.position + journal.length;
  const position = head.fork?.base.journal.position ?? end;
  const told = fromMirror({ of: place.of, asOfMs: head.asOfMs, position }, end - position, nowMs);
  // One whose journal is not there yet is as good as one without entries.
  return { snapshot, journal, remarks: [told, ...remarks.filter(({ code }) => code !== "STO016")] };
}

/** Durable before the first entry: from here on no command of this machine passes it over. */
async function fork({ place, user, host, clock }: MirrorStoreOptions, local: LocalStore) {
  const head = await headOf(place);
  if (head.fork !== undefined) return;
  const { snapshot, journal } = await local.read();
  if (snapshot === undefined) throw noMirror(place.of);
  const base = tipOf(foldAll(snapshot, journal));
  const { tip: _, ...open } = head;
  await writeHead(place, { ...open, fork: { base, sinceMs: clock.now(), who: user, host } });
}
