/**
 * What a holder of the lock does: it writes in the session that has the lock, in one use of it at a
 * time. Of a session that was lost nobody knows what became of its last statement. So another takes
 * the lock again, unless somebody has had it meanwhile; then it looks at what is there.
 */

import { parseJson } from "../../lib/json.ts";
import type { Clock } from "../../model/clock.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { RunRecord } from "../../model/recorded/run-record.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { isMap } from "../../model/value/value.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import {
  decodeJournalEntry,
  encodeJournalEntry,
  isEntryNew,
} from "../../state/form/journal-lines.ts";
import { openRun, sealRun } from "../../state/form/run-lines.ts";
import { type EntrySeal, entrySeal } from "../../state/form/sealed-text.ts";
import type { GroupCommit } from "../kit/group-commit.ts";
import { lockLost, writingStopped } from "../kit/problems.ts";
import { checkSuccessor, type Stored } from "../kit/successor.ts";
import {
  byKey,
  changeTo,
  type Found,
  type ObjectsByKey,
  readContents,
  rowKeysOf,
  wholeChange,
} from "./contents.ts";
import { type Database, inWords, leaveTransaction, type Row, sessionOf } from "./database.ts";
import { presence, retake } from "./lock.ts";
import { connectionLost, poolerMet, recordsLost } from "./problems.ts";
import { type Row as Cells, type Session, SessionLostError } from "./session.ts";
import { runStatements } from "./statements.ts";
import { runDefinition } from "./tables.ts";

/** What exists while a store holds the lock. */
export type Held = {
  readonly id: string;
  readonly fence: string;
  readonly row: Row;
  readonly commit: GroupCommit;
  /** Has the lock. */
  session: Session;
  /** What is stored, as far as it was read or written. */
  base: Base | undefined;
  /** After which nothing more may be written. */
  failure: Error | undefined;
};

/** `objects` are those that the rows hold. */
type Base = Stored & {
  readonly head: Pick<RecordedState, "lineage" | "journal" | "serial" | "handover"> | undefined;
  readonly objects: ObjectsByKey;
  /** Keys of all rows, where something is not sealed as it would be now; else undefined. */
  readonly staleRows: readonly string[] | undefined;
};

export type Holding = {
  readonly database: Database;
  readonly seal: Seal;
  readonly held: Held;
  readonly clock: Clock;
  /** Tells whoever watches that a lost session is being replaced. */
  readonly onLost: (message: string) => void;
  /** Whether the store was closed: nothing is waited for any more. */
  readonly isClosed: () => boolean;
};

/** Reads everything, and remembers it. */
export async function readHeld(holding: Holding): Promise<Found | undefined> {
  const { database, held, seal } = holding;
  const found = await inSession(holding, async (session) => {
    try {
      return await readContents(session, { ...database, seal }, held.row.id);
    } catch (error) {
      await leaveTransaction(session);
      throw error;
    }
  });
  const { snapshot, journal = [] } = found ?? {};
  held.base = {
    head: snapshot,
    position: (snapshot?.journal.position ?? 0) + journal.length,
    objects: byKey(snapshot?.objects ?? []),
    staleRows: found?.isStale === true ? found.rowKeys : undefined,
  };
  return found;
}

async function baseOf(holding: Holding): Promise<Base> {
  if (holding.held.base === undefined) await readHeld(holding);
  const { base } = holding.held;
  if (base === undefined) throw new Error("nothing was read");
  return base;
}

/** Makes encoded entries durable; resolves to the position before the first. */
export async function append(holding: Holding, encoded: readonly string[]): Promise<number> {
  const { database, held } = holding;
  if (held.failure !== undefined) throw writingStopped(database.location, held.failure);
  const base = await baseOf(holding);
  const { position } = base;
  const { length } = encoded;
  if (length > 0 && base.head === undefined) throw new Error("an entry before the first snapshot");
  const sealed = base.head === undefined ? undefined : entrySeal(holding.seal, base.head);
  const texts = encoded.map((text, index) => sealed?.seal(text, position + 1 + index));
  await inSession(holding, async (session, isRepeated) => {
    if (isRepeated && (await lastPosition(holding, session)) === position + length) return;
    const { row, fence } = held;
    const values = [row.id, fence, String(position), texts, session.pid];
    const written = await session.query(database.statements.append, values);
    if (written.length !== length || length === 0) await requireFence(holding, session, length > 0);
  });
  held.base = { ...base, position: position + length };
  return position;
}

/** Replaces the snapshot; only what changed is sent. */
export async function compact(holding: Holding, state: RecordedState): Promise<void> {
  const { database, held, seal } = holding;
  if (held.failure !== undefined) throw writingStopped(database.location, held.failure);
  const base = await baseOf(holding);
  checkSuccessor(database.location, base, state);
  const { staleRows } = base;
  if (staleRows !== undefined) await rewriteJournal(holding, state);
  // What is sealed is sealed as of its lineage.
  const isOther = base.head !== undefined && base.head.lineage !== state.lineage;
  const rows = staleRows ?? (isOther ? rowKeysOf(base.objects, seal) : undefined);
  const change =
    rows === undefined ? changeTo(state, base.objects, seal) : wholeChange(state, rows, seal);
  const { head, gone, keys, addresses, records } = change;
  const at = String(state.journal.position);
  await inSession(holding, async (session) => {
    const values = [held.row.id, held.fence, session.pid, head, at, gone, keys, addresses, records];
    const written = await session.query(database.statements.compact, values);
    if (written.length === 0) await requireFence(holding, session, true);
  });
  held.base = {
    head: state,
    position: Math.max(base.position, state.journal.position),
    objects: byKey(state.objects),
    staleRows: undefined,
  };
}

/**
 * Seals every entry as it would be now, those that only the past needs as well. What no key opens
 * that is named any more stays as it is. Done before the snapshot, by which it is known when a run
 * was killed over it.
 */
async function rewriteJournal(holding: Holding, state: RecordedState): Promise<void> {
  const { database, held, seal } = holding;
  const sealed = entrySeal(seal, state);
  for (let after = "0"; ; ) {
    const rows = await inSession(holding, (session) =>
      session.query(database.statements.nextEntries, [held.row.id, after]),
    );
    const last = rows.at(-1)?.[1];
    if (last === undefined || last === null) return;
    after = last;
    const anew = rows.flatMap((row) => resealed(row, sealed));
    if (anew.length === 0) continue;
    const positions = anew.map(({ position }) => position);
    const texts = anew.map(({ text }) => text);
    await inSession(holding, async (session) => {
      const values = [held.row.id, held.fence, session.pid, positions, texts];
      const written = await session.query(database.statements.rewrite, values);
      if (written.length !== anew.length) await requireFence(holding, session, true);
    });
  }
}

function resealed(
  [entry = null, position = null]: Cells,
  sealed: EntrySeal,
): readonly { readonly position: string; readonly text: string }[] {
  if (entry === null || position === null) return [];
  const at = Number(position);
  try {
    const text = encodeJournalEntry(decodeJournalEntry(entry, at, sealed));
    return isEntryNew(entry, sealed) ? [] : [{ position, text: sealed.seal(text, at) }];
  } catch (error) {
    if (error instanceof StoreError || error instanceof StateFormatError) return [];
    throw error;
  }
}

/** Records of runs; the table is made where it is missing. */
export async function saveRuns(
  holding: Holding,
  records: readonly RunRecord[],
  drop: readonly string[],
): Promise<void> {
  const { database, held, seal } = holding;
  if (held.failure !== undefined) throw writingStopped(database.location, held.failure);
  const { statements, tables } = database;
  const { runSeals, saveRuns: save } = runStatements(tables);
  await inSession(holding, async (session) => {
    const [[oid = null] = []] = await session.query(statements.look, [tables.run]);
    if (oid === null) await session.query(runDefinition(tables));
    const kept = await session.query(runSeals, [held.row.id]);
    const all = [...(await staleRuns(holding, session, kept)), ...records];
    const written = [...new Map(all.map((one) => [one.id, one])).values()].filter(
      ({ id }) => !drop.includes(id),
    );
    const ids = written.map(({ id }) => id);
    const texts = written.map((one) => sealRun(one, seal));
    const values = [held.row.id, held.fence, session.pid, drop, ids, texts];
    const done = await session.query(save, values);
    if (done.length === 0) await requireFence(holding, session, true);
  });
}

/** Records that are not sealed as they would be now. */
async function staleRuns(
  { database, held, seal }: Holding,
  session: Session,
  kept: readonly Cells[],
): Promise<readonly RunRecord[]> {
  const stale: RunRecord[] = [];
  for (const [id = null, beginning = null] of kept) {
    if (beginning === null || seal.isNew(beginning)) continue;
    const { run } = runStatements(database.tables);
    const [[text = null] = []] = await session.query(run, [held.row.id, id]);
    const record = text === null ? undefined : openRun(text, seal);
    if (record !== undefined) stale.push(record);
  }
  return stale;
}

/** Says that it is still there, and finds that it was shut out. */
export async function beat(holding: Holding): Promise<void> {
  const { database, held } = holding;
  if (held.failure !== undefined) return;
  try {
    await inSession(holding, async (session) => {
      const kept = await session.query(database.statements.keep, [
        ...[held.row.id, held.fence, held.id],
      ]);
      if (kept.length === 0) await requireFence(holding, session, true);
    });
  } catch (error) {
    stopWriting(holding, error);
  }
}

/** From now on nothing is written; gives what is told. */
export function stopWriting({ database, held }: Holding, error: unknown): Error {
  const failure = inWords(database, error, "write");
  held.failure ??= failure;
  return failure;
}

async function lastPosition({ database, held }: Holding, session: Session): Promise<number> {
  const [[, position = null] = []] = await session.query(database.statements.present, [
    held.row.id,
  ]);
  return Number(position);
}

/** After a failover. Throws `StoreError` where less is there than was read or written last. */
async function requireKept({ database, held }: Holding, session: Session): Promise<void> {
  const { base } = held;
  if (base === undefined) return;
  const [[, position = null, head = null] = []] = await session.query(database.statements.present, [
    held.row.id,
  ]);
  const isWhole = base.head === undefined || serialOf(head) >= base.head.serial;
  if (!isWhole || Number(position) < base.position) throw recordsLost(database.location);
}

/** Of a head as the row has it; -1 without one. */
function serialOf(head: string | null): number {
  const value = head === null ? null : parseJson(head);
  return isMap(value) && typeof value.serial === "number" ? value.serial : -1;
}

/** Why a write had no effect. `refused`: it had none, so there is a reason. */
async function requireFence(
  { database, held, clock }: Holding,
  session: Session,
  refused: boolean,
): Promise<void> {
  const [[fence = null] = []] = await session.query(database.statements.present, [held.row.id]);
  if (fence === held.fence) {
    if (refused) throw poolerMet(database.location);
    return;
  }
  const now = fence === null ? undefined : await presence(database, session, held.row, clock);
  throw lockLost(database.location, now?.info);
}

const triesMax = 3;

/**
 * Work in the session that has the lock. When that is lost, the lock is taken again and the work is
 * done once more, and told so. Throws `StoreError`, and errors of the server.
 */
export async function inSession<T>(
  holding: Holding,
  work: (session: Session, isRepeated: boolean) => Promise<T>,
): Promise<T> {
  const { held, database } = holding;
  for (let tries = 1; ; tries += 1) {
    // It was waited for once, and in vain.
    if (held.failure !== undefined && held.session.isLost()) throw held.failure;
    try {
      return await work(held.session, tries > 1);
    } catch (error) {
      if (!(error instanceof SessionLostError)) throw error;
      const isLast = tries === triesMax;
      const resumed = isLast
        ? Promise.reject(connectionLost(database.location, error))
        : resume(holding, error);
      await resumed.catch((failure: unknown) => {
        throw stopWriting(holding, failure);
      });
    }
  }
}

/** A restart takes seconds, a failover up to a minute. */
const resumeMs = 90_000;
const pauseMaxMs = 5_000;

async function resume(holding: Holding, cause: SessionLostError): Promise<void> {
  const { database, held, clock } = holding;
  const untilMs = clock.now() + resumeMs;
  let error: unknown = cause;
  const untilS = Math.round(resumeMs / 1000);
  holding.onLost(`the connection was lost (${cause.message}); trying for ${untilS} s to go on`);
  for (let pauseMs = 100; clock.now() < untilMs; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
    if (holding.isClosed()) break;
    try {
      const session = await sessionOf(database);
      const own = { ...held.session, fence: held.fence, lockId: held.id };
      await retake(database, session, held.row, own, { clock, untilMs });
      held.session = session;
      await requireKept(holding, session);
      holding.onLost("the connection is back");
      return;
    } catch (next) {
      if (!passes(next)) throw next;
      error = next;
    }
    await clock.sleep(pauseMs);
  }
  throw connectionLost(database.location, error);
}

/** A server that starts, or that is to become the primary one. */
function passes(error: unknown): boolean {
  if (error instanceof SessionLostError) return true;
  return error instanceof StoreError && (error.code === "STO040" || error.code === "STO043");
}
