/**
 * The lock of a recorded state: an advisory lock of a session, so that it ends with its holder, and
 * a fence in the row of the state, so that who has lost it writes nothing more. The row says who
 * holds it; whether that is still so, the session does.
 */

import { decodeLock, encodeLock, type LockInfo, unreadableLock } from "../../lib/lock/lock-info.ts";
import type { Clock } from "../../model/clock.ts";
import { lockedByOther, lockLost, notLocked } from "../kit/problems.ts";
import { type Database, findRow, type Row } from "./database.ts";
import { codeOf, lockedBySession, sessionStays } from "./problems.ts";
import type { Session } from "./session.ts";
import { holderStatement, lockStatements } from "./statements.ts";

export type Presence = {
  /** Whether the holder has said who it is. */
  readonly isTold: boolean;
  readonly info: LockInfo;
  readonly fence: string;
  readonly seenSecondsAgo: number;
  /** The session that has the lock. */
  readonly pid: string;
  readonly startedAt: string;
};

/** Tries it once. Gives the new fence, or who holds it. */
export async function tryTake(
  database: Database,
  session: Session,
  row: Row,
  info: LockInfo,
  clock: Clock,
): Promise<{ readonly fence: string } | { readonly held: Presence | undefined }> {
  if (!(await hasTaken(session, row)))
    return { held: await presence(database, session, row, clock) };
  const { take } = database.statements;
  const [[fence = null] = []] = await session.query(take, [row.id, encodeLock(info).trimEnd()]);
  if (fence !== null) return { fence };
  // The state was deleted in between: whoever asks again makes it anew.
  await session.query(lockStatements.release, [row.oid, row.id]);
  return { held: undefined };
}

async function hasTaken(session: Session, { oid, id }: Row): Promise<boolean> {
  const [[taken] = []] = await session.query(lockStatements.take, [oid, id]);
  return taken === "true";
}

const lookPauseMs = 50;
const looksMax = 20;

/** Undefined when nobody has it. Who has just taken it is given a moment to say who it is. */
export async function presence(
  database: Database,
  session: Session,
  row: Row,
  clock: Clock,
): Promise<Presence | undefined> {
  for (let looks = 1; ; looks += 1) {
    const found = await lookAtHolder(database, session, row);
    if (found === undefined || found.isTold || looks === looksMax) return found;
    await clock.sleep(lookPauseMs);
  }
}

async function lookAtHolder(
  database: Database,
  session: Session,
  row: Row,
): Promise<Presence | undefined> {
  const statement = holderStatement(database.tables);
  const [found] = await session.query(statement, [row.oid, row.id]);
  const [fence, holder, named, seen, pid, startedAt, role] = found ?? [];
  if (pid === null || pid === undefined) return undefined;
  // Whoever has just taken it has not said who it is yet: then the row tells of the one before.
  const info = named === pid ? decodeLock(new TextEncoder().encode(holder ?? "")) : undefined;
  return {
    isTold: info !== undefined,
    info: info ?? strange(pid, role ?? undefined),
    fence: fence ?? "",
    seenSecondsAgo: Number(seen ?? 0),
    pid,
    startedAt: startedAt ?? "",
  };
}

function strange(pid: string, role: string | undefined): LockInfo {
  const who = role === undefined ? `session ${pid}` : `session ${pid} of the role ${role}`;
  return { ...unreadableLock, id: `session-${pid}`, who, operation: "not told yet" };
}

export function lockedProblem(database: Database, { info, seenSecondsAgo }: Presence): Error {
  return lockedBySession(database.location, info, seenSecondsAgo);
}

const retakePauseMs = 200;

/**
 * Takes the lock again after the session was lost, for the holder that had it: only when nobody had
 * it in between. A session of ours that lingers is ended first: until it has, its last statement
 * may still take effect. Throws `StoreError`.
 */
export async function retake(
  database: Database,
  session: Session,
  row: Row,
  own: Pick<Session, "pid" | "startedAt"> & { readonly fence: string; readonly lockId: string },
  { clock, untilMs }: { readonly clock: Clock; readonly untilMs: number },
): Promise<void> {
  const lost = (info: LockInfo | undefined): Error => lockLost(database.location, info);
  const present = await findRow(database, session);
  if (present === undefined || present.oid !== row.oid || present.id !== row.id) {
    throw lost(undefined);
  }
  while (!(await hasTaken(session, row))) {
    const held = await lookAtHolder(database, session, row);
    const isOurs = held?.pid === own.pid && held.startedAt === own.startedAt;
    if ((held !== undefined && !isOurs) || clock.now() > untilMs) throw lost(held?.info);
    if (isOurs) await session.query(lockStatements.terminate, [own.pid, own.startedAt]);
    await clock.sleep(retakePauseMs);
  }
  const values = [row.id, own.fence, own.lockId];
  const [[kept = null] = []] = await session.query(database.statements.keep, values);
  if (kept !== null) return;
  await session.query(lockStatements.release, [row.oid, row.id]);
  throw lost(undefined);
}

/** False when it had been taken away. */
export async function giveBack(
  { statements }: Database,
  session: Session,
  row: Row,
  fence: string,
): Promise<boolean> {
  const [released] = await session.query(statements.release, [row.id, fence]);
  await session.query(lockStatements.release, [row.oid, row.id]);
  return released !== undefined;
}

const endingLooksMax = 100;

/**
 * Shuts the holder out by the next fence, then ends its session, which has the lock. In this order:
 * a holder whose session cannot be ended writes nothing either. Throws `StoreError`.
 */
export async function shutOut(
  database: Database,
  session: Session,
  lockId: string,
  clock: Clock,
): Promise<void> {
  const { location, statements } = database;
  const row = await findRow(database, session);
  const held = row === undefined ? undefined : await presence(database, session, row, clock);
  if (row === undefined || held === undefined) throw notLocked(location);
  if (held.info.id !== lockId) throw lockedByOther(location, lockId, held.info);
  await session.query(statements.shutOut, [row.id, held.fence]);
  try {
    await session.query(lockStatements.terminate, [held.pid, held.startedAt]);
  } catch (error) {
    if (codeOf(error) === "42501") throw sessionStays(location, held.pid, error);
    throw error;
  }
  for (let looks = 0; looks < endingLooksMax; looks += 1) {
    const now = await lookAtHolder(database, session, row);
    if (now?.pid !== held.pid) return;
    await clock.sleep(lookPauseMs);
  }
  throw sessionStays(location, held.pid, new Error("it has not ended yet"));
}
