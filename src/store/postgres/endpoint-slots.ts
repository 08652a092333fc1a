/**
 * Slots of endpoints as advisory locks of the session that has the lock of recorded state, so that
 * they end with it. Whoever waits holds a lock with a number above those of all who waited before:
 * a run that took the slot again that it has just given back would keep the others out. Of a
 * session that was lost the slots are lost too: what is under way is counted again in the next one
 * before anything else begins.
 */

import { createHash } from "node:crypto";
import { decodeLock } from "../../lib/lock/lock-info.ts";
import type { EndpointSlots, SlotTaking } from "../../model/recorded/endpoint-slots.ts";
import type { Exclusive } from "../kit/group-commit.ts";
import { type Holding, inSession } from "./holder.ts";
import { type Row, type Session, SessionLostError } from "./session.ts";
import { slotStatements } from "./statements.ts";

/** Slots of one endpoint that this run has. */
type Taken = {
  /** Operations under way. */
  count: number;
  /** Numbers of its locks. */
  readonly locked: Set<number>;
  /** The number by which it waits. */
  waitsBy: number | undefined;
  /** Since when a slot has been free that whoever is first has not taken, milliseconds. */
  freeSinceMs: number | undefined;
};

type Counted = {
  readonly taken: Map<string, Taken>;
  /** The one that has the locks. */
  session: Session | undefined;
};

/** `holding` throws `StoreError` when the lock of recorded state is not held. */
export function createEndpointSlots(
  exclusive: Exclusive,
  holding: () => Promise<Holding>,
): EndpointSlots {
  const counted: Counted = { taken: new Map(), session: undefined };
  /** Locks that are gone need not be given back. */
  const withinSame = async (work: (session: Session) => Promise<void>): Promise<void> => {
    const { session } = counted;
    if (session === undefined) return;
    await exclusive(async () => {
      if (!session.isLost() && counted.session === session) await work(session);
    });
  };
  return {
    take: (endpoint, atOnce) =>
      exclusive(async () => {
        const at = await holding();
        return inSession(at, (session) => take(counted, at, session, endpoint, atOnce));
      }),
    give: async (endpoint) => {
      const own = ofEndpoint(counted, endpoint);
      own.count -= 1;
      await withinSame((session) => unlockBeyond(session, endpoint, own)).catch(ifLost);
    },
    leave: async (endpoint) => {
      const own = ofEndpoint(counted, endpoint);
      await withinSame((session) => leave(session, endpoint, own)).catch(ifLost);
    },
  };
}

/** What a session had, it has no more; the next taking finds out whether there is another. */
function ifLost(error: unknown): void {
  if (!(error instanceof SessionLostError)) throw error;
}

function ofEndpoint({ taken }: Counted, endpoint: string): Taken {
  const found = taken.get(endpoint) ?? {
    ...{ count: 0, locked: new Set<number>(), waitsBy: undefined, freeSinceMs: undefined },
  };
  taken.set(endpoint, found);
  return found;
}

function forgetLost(counted: Counted, session: Session): void {
  if (counted.session === session) return;
  counted.session = session;
  for (const own of counted.taken.values()) {
    own.locked.clear();
    own.waitsBy = undefined;
  }
}

async function take(
  counted: Counted,
  { database, clock }: Holding,
  session: Session,
  endpoint: string,
  atOnce: number,
): Promise<SlotTaking> {
  forgetLost(counted, session);
  const own = ofEndpoint(counted, endpoint);
  const key = keyOf(endpoint);
  while (own.locked.size <= own.count) {
    const slot = await takeFree({ session, key, own, nowMs: clock.now() }, atOnce);
    if (slot === undefined) {
      const rows = await session.query(slotStatements.holders(database.tables), [key]);
      return { kind: "held", by: [...new Set(rows.map(holderText))] };
    }
    own.locked.add(slot);
  }
  own.count += 1;
  await leave(session, endpoint, own);
  return { kind: "taken" };
}

type Asking = {
  readonly session: Session;
  readonly key: string;
  readonly own: Taken;
  readonly nowMs: number;
};

/** Whoever is first and stands still does not keep out the others for longer. */
const patienceMs = 5_000;

/** Undefined when there is none, or others were before; then it waits in its place. */
async function takeFree(asking: Asking, atOnce: number): Promise<number | undefined> {
  const { session, key, own, nowMs } = asking;
  const [[first = null, last = null, taken = null] = []] = await session.query(
    slotStatements.look,
    [key, String(atOnce)],
  );
  const isFree = Number(taken) < atOnce;
  own.freeSinceMs = isFree ? (own.freeSinceMs ?? nowMs) : undefined;
  const isFirst = first === null || Number(first) === own.waitsBy;
  const isPassed = own.freeSinceMs !== undefined && nowMs - own.freeSinceMs >= patienceMs;
  if (isFree && (isFirst || isPassed)) {
    const values = [key, String(atOnce), `{${[...own.locked].join(",")}}`];
    const [[slot = null] = []] = await session.query(slotStatements.take, values);
    if (slot !== null) return Number(slot);
  }
  if (own.waitsBy === undefined) {
    // Two that choose the same number: one of them tries again.
    const number = last === null || Number(last) >= numbersEnd ? slotsMax : Number(last) + 1;
    const [[isOwn = null] = []] = await session.query(slotStatements.wait, [key, String(number)]);
    if (isOwn === "true") own.waitsBy = number;
  }
  return undefined;
}

/** Keys of an endpoint: slots, and from there on numbers of those who wait, to the end. */
const slotsMax = 1024;
const numbersEnd = 4095;

async function unlockBeyond(session: Session, endpoint: string, own: Taken): Promise<void> {
  for (const slot of own.locked) {
    if (own.locked.size <= own.count) return;
    own.locked.delete(slot);
    await session.query(slotStatements.release, [keyOf(endpoint), String(slot)]);
  }
}

async function leave(session: Session, endpoint: string, own: Taken): Promise<void> {
  const { waitsBy } = own;
  own.waitsBy = undefined;
  own.freeSinceMs = undefined;
  if (waitsBy === undefined) return;
  await session.query(slotStatements.release, [keyOf(endpoint), String(waitsBy)]);
}

/** The first of the keys of an endpoint. */
function keyOf(endpoint: string): string {
  const hash = createHash("sha256").update(`vmform endpoint ${endpoint}`).digest();
  return String(BigInt.asIntN(64, hash.readBigInt64BE() & ~0xfffn));
}

/** Name of a recorded state, who holds its lock, and what the session calls itself. */
function holderText([state, holder, application]: Row): string {
  const info = decodeLock(new TextEncoder().encode(holder ?? ""));
  if (info === undefined) return application || "another session of the database";
  return `${info.operation} of ${info.who} on ${info.host} (state ${state ?? "unknown"})`;
}
