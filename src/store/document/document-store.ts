/**
 * Recorded state as one document on a server. Every durable step is a write of the whole document
 * with the next serial, under the lock's id. Reading takes no lock. A lock stays behind when its
 * holder is killed.
 */

import { tmpdir } from "node:os";
import { backoffMs } from "../../lib/backoff.ts";
import { type FileSystem, nodeFileSystem } from "../../lib/files/file-system.ts";
import { shellWord } from "../../lib/shell-word.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { RunRecord, RunSaving } from "../../model/recorded/run-record.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import {
  type Fence,
  type Store,
  type StoredState,
  type StoreError,
} from "../../model/recorded/store.ts";
import { encodeStateLine } from "../../state/form/encode.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import { encodeJournalBatch, encodeJournalHeader } from "../../state/form/journal-lines.ts";
import { entrySeal, openState, sealState } from "../../state/form/sealed-text.ts";
import { verifyState } from "../../state/integrity.ts";
import { writeEmergencyCopy } from "../kit/emergency-copy.ts";
import {
  createExclusive,
  createGroupCommit,
  type Exclusive,
  type GroupCommit,
} from "../kit/group-commit.ts";
import { writingStopped } from "../kit/problems.ts";
import { checkSuccessor } from "../kit/successor.ts";
import { oldSeal } from "../seal/problems.ts";
import {
  contentsOf,
  type DocumentContents,
  empty,
  journalAfter,
  noDocument,
  type StateDocument,
} from "./document.ts";
import { forceUnlock } from "./force-unlock.ts";
import { lockIdOf, recordedHolder } from "./lock-words.ts";
import {
  damagedDocument,
  lockedByServer,
  lockGone,
  noFence,
  noLock,
  noLocking,
  unsoundDocument,
} from "./problems.ts";
import { runsAfter, runsIn } from "./runs.ts";
import type { DocumentServer } from "./server.ts";
import { pauses, writeDocument } from "./writing.ts";

export type DocumentStoreOptions = {
  readonly server: DocumentServer;
  /** A fresh id of letters, digits and hyphens, such as a UUID. */
  readonly newId: () => string;
  readonly host: string;
  readonly pid: number;
  readonly user: string;
  /** How what is in the document is encrypted. */
  readonly seal: Seal;
  /** What paths of emergency copies begin with. */
  readonly beside: string;
  readonly fs?: FileSystem;
  readonly temporaryFolder?: string;
};

export type DocumentStore = Store & {
  /** As that of the local store. Does not reject. */
  writeEmergencyCopy(state: RecordedState, cause: unknown): Promise<StoreError>;
};

/** What exists while this store holds the lock. */
type Held = {
  readonly id: string;
  readonly sinceMs: number;
  /** The server has a lock for it. */
  readonly isLocked: boolean;
  readonly commit: GroupCommit;
  /** What stands on the server; undefined while nothing does. */
  document: StateDocument | undefined;
  /** What is in it; made when first needed. */
  contents: DocumentContents | undefined;
  fences: boolean | undefined;
  /** Records of runs as the next write has them; undefined: as they stand on the server. */
  runs: string | undefined;
  /** The write after which nothing more may be written. */
  failure: Error | undefined;
};

type Remote = {
  readonly options: DocumentStoreOptions;
  readonly server: DocumentServer;
  readonly address: string;
  /** One use of the document at a time. */
  readonly exclusive: Exclusive;
  held: Held | undefined;
  /** A lock that is being taken. */
  taking: Promise<unknown> | undefined;
  closed: boolean;
};

export function createDocumentStore(options: DocumentStoreOptions): DocumentStore {
  const { server } = options;
  const { address } = server;
  const remote: Remote = {
    options,
    server,
    address,
    exclusive: createExclusive(),
    held: undefined,
    taking: undefined,
    closed: false,
  };
  return {
    location: address,
    read: () => remote.exclusive(() => read(remote)),
    append: (entries, fence) => append(remote, entries, fence),
    compact: (state, fence) =>
      remote.exclusive(async () => compact(remote, await requireHeld(remote, fence), state)),
    runs: async () => runsIn((await server.fetch())?.runs, options.seal),
    // There is never much of them.
    runHeads: async () => runsIn((await server.fetch())?.runs, options.seal),
    saveRuns: (records, saving, fence) =>
      remote.exclusive(async () => saveRuns(remote, fence, records, saving)),
    lock: (operation, timeoutMs) => {
      const taking = lock(remote, operation, timeoutMs);
      remote.taking = taking.catch(() => undefined);
      return taking;
    },
    unlock: (fence) => remote.exclusive(() => unlock(remote, fence)),
    holder: async () =>
      server.holder === undefined ? recordedHolder(await server.fetch()) : server.holder(),
    forceUnlock: (lockId) => forceUnlock(remote, lockId),
    close: () => close(remote),
    writeEmergencyCopy: (state, cause) =>
      writeEmergencyCopy({
        fs: options.fs ?? nodeFileSystem,
        path: options.beside,
        seal: options.seal,
        location: address,
        putBack: (copy) => `vmform state push ${shellWord(copy)}`,
        temporaryFolder: options.temporaryFolder ?? tmpdir(),
        nowMs: server.clock.now(),
        state,
        cause,
      }),
  };
}

async function read(remote: Remote): Promise<StoredState> {
  const { held, address } = remote;
  const { seal } = remote.options;
  const document = await remote.server.fetch();
  const contents = soundContents(remote, document);
  const { snapshot, entries: journal } = contents;
  const remarks = [
    ...(held !== undefined && !held.isLocked ? [noLock(address)] : []),
    ...(held?.fences === false ? [noFence(address)] : []),
    ...(contents.isStale ? [oldSeal(address, seal.writes)] : []),
  ];
  return { snapshot, journal, ...(remarks.length === 0 ? {} : { remarks }) };
}

/** Throws `StoreError`. */
function soundContents(
  { address, options }: Remote,
  document: StateDocument | undefined,
): DocumentContents {
  if (document === undefined) return empty;
  let contents: DocumentContents;
  try {
    contents = contentsOf(document, options.seal);
  } catch (error) {
    if (error instanceof StateFormatError) throw damagedDocument(address, error);
    throw error;
  }
  const problems = contents.snapshot === undefined ? [] : verifyState(contents.snapshot);
  if (problems.length > 0) throw unsoundDocument(address, problems);
  return contents;
}

/** Not `async`, to keep the order of calls. */
function append(remote: Remote, entries: readonly JournalEntry[], fence: Fence): Promise<number> {
  const { held } = remote;
  if (held?.id !== fence.lockId) return requireHeld(remote, fence).then(() => 0);
  return held.commit.append(entries);
}

/** Resolves to the position before the first. */
async function write(remote: Remote, held: Held, encoded: readonly string[]): Promise<number> {
  const { document, contents } = opened(remote, held);
  const { snapshot, position } = contents;
  if (encoded.length === 0) return position;
  if (snapshot === undefined || document === undefined) {
    throw new Error("an entry before the first snapshot");
  }
  const { id } = snapshot.journal;
  const seal = entrySeal(remote.options.seal, snapshot);
  const lines =
    contents.journal === undefined ? encodeJournalHeader({ id, base: position }) : document.journal;
  await put(remote, held, {
    ...document,
    journal: `${lines ?? ""}${encodeJournalBatch(position + 1, encoded, seal)}`,
    holder: { id: held.id, sinceMs: held.sinceMs },
  });
  return position;
}

async function compact(remote: Remote, held: Held, state: RecordedState): Promise<void> {
  const { document, contents } = opened(remote, held);
  const { snapshot: head, position } = contents;
  checkSuccessor(remote.address, { head, position }, state);
  const { holder: _, ...before } = document ?? noDocument;
  const { seal } = remote.options;
  const text = encodeStateLine(state);
  const journal = journalAfter(contents, state, seal);
  const isWaiting = held.runs !== undefined && held.runs !== document?.runs;
  if (!contents.isStale && document?.holder === undefined && !isWaiting) {
    const isSame = document?.snapshot !== undefined && openState(seal, document.snapshot) === text;
    if (isSame && (document.journal === journal || journal === undefined)) return;
  }
  const snapshot = sealState(seal, state, text);
  try {
    await put(remote, held, { ...before, lineage: state.lineage, snapshot, journal });
  } catch (error) {
    throw stopWriting(held, error);
  }
}

async function saveRuns(
  remote: Remote,
  fence: Fence,
  records: readonly RunRecord[],
  { drop, late }: RunSaving,
): Promise<void> {
  const held = await requireHeld(remote, fence);
  const { document } = opened(remote, held);
  held.runs = runsAfter(held.runs ?? document?.runs, records, drop, remote.options.seal);
  if (late) return;
  const { holder: _, ...content } = document ?? { ...noDocument, lineage: remote.options.newId() };
  await put(remote, held, content);
}

/** Writes the next document, and knows what is in it then. */
async function put(remote: Remote, held: Held, content: StateDocument): Promise<void> {
  const { options, server } = remote;
  const { runs = content.runs } = held;
  const next: StateDocument = {
    ...content,
    ...(runs === undefined ? {} : { runs }),
    serial: (held.document?.serial ?? 0) + 1,
    write: options.newId(),
    ...(held.fences === undefined ? {} : { fences: held.fences }),
  };
  await writeDocument(server, {
    base: held.document,
    next,
    lockId: held.isLocked ? held.id : undefined,
  });
  held.document = next;
  held.contents = contentsOf(next, options.seal);
}

type Opened = Pick<Held, "document"> & { readonly contents: DocumentContents };

/** What stands on the server, after making sure that nothing failed before. */
function opened(remote: Remote, held: Held): Opened {
  if (held.failure !== undefined) throw writingStopped(remote.address, held.failure);
  held.contents ??= soundContents(remote, held.document);
  return { document: held.document, contents: held.contents };
}

function stopWriting(held: Held, error: unknown): Error {
  const failure = error instanceof Error ? error : new Error(String(error));
  held.failure ??= failure;
  return failure;
}

async function requireHeld(remote: Remote, fence: Fence): Promise<Held> {
  if (remote.held?.id === fence.lockId) return remote.held;
  const document = await remote.server.fetch().catch(() => undefined);
  throw lockGone(remote.address, recordedHolder(document));
}

async function lock(remote: Remote, operation: string, timeoutMs: number): Promise<Fence> {
  const { options, server, address } = remote;
  const { clock } = server;
  const { host, pid, user: who } = options;
  const id = lockIdOf({ operation, who, host, pid }, options.newId());
  const deadlineMs = clock.now() + timeoutMs;
  for (let repeat = 0; ; repeat += 1) {
    const reply = await server.askLock(id);
    if (reply.kind === "unknown" && !server.withoutLock) {
      throw noLocking(address, reply.refused);
    }
    if (reply.kind !== "held") {
      remote.held = await hold(remote, id, reply.kind !== "unknown");
      return { lockId: id };
    }
    const restMs = deadlineMs - clock.now();
    if (restMs <= 0 || remote.closed) throw lockedByServer(address, reply.holder);
    await clock.sleep(Math.min(backoffMs(repeat, pauses, server.random), restMs));
  }
}

/** Looks at what stands there, and gives the lock back where that cannot be used. */
async function hold(remote: Remote, id: string, isLocked: boolean): Promise<Held> {
  const { server } = remote;
  try {
    const document = await server.fetch();
    soundContents(remote, document);
    const held: Held = {
      id,
      sinceMs: server.clock.now(),
      isLocked,
      commit: createGroupCommit({
        exclusive: remote.exclusive,
        write: (encoded) => write(remote, held, encoded),
        failed: async (error) => stopWriting(held, error),
      }),
      document,
      contents: undefined,
      fences: document?.fences,
      runs: undefined,
      failure: undefined,
    };
    if (isLocked && document !== undefined) held.fences ??= await server.tryFence?.(document, id);
    return held;
  } catch (error) {
    if (isLocked) await server.askUnlock(id).catch(() => undefined);
    throw error;
  }
}

async function unlock(remote: Remote, fence: Fence): Promise<void> {
  const held = await requireHeld(remote, fence);
  remote.held = undefined;
  let failure: unknown;
  try {
    await endHolding(remote, held);
  } catch (error) {
    failure = error;
  }
  if (held.isLocked && (await remote.server.askUnlock(held.id)) !== undefined) {
    const document = await remote.server.fetch().catch(() => undefined);
    throw lockGone(remote.address, recordedHolder(document));
  }
  if (failure !== undefined) throw failure;
}

/** What reads the document is told that nobody is at work any more. */
async function endHolding(remote: Remote, held: Held): Promise<void> {
  if (held.failure !== undefined || held.document?.holder === undefined) return;
  const { holder: _, ...content } = held.document;
  await put(remote, held, content);
}

async function close(remote: Remote): Promise<void> {
  remote.closed = true;
  await remote.taking;
  await remote.exclusive(async () => {
    const { held } = remote;
    if (held !== undefined) await unlock(remote, { lockId: held.id }).catch(() => undefined);
  });
  await remote.server.close();
}
