/**
 * Recorded state in a PostgreSQL database: a row for each object, a journal that is kept, a fence
 * that every write names, and a lock that ends with the session of its holder.
 *
 * Reading takes no lock. A session that is lost while the lock is held is replaced by another as
 * long as nobody had the lock in between; what was being written then is settled by looking.
 */

import type { ProcessIdentity } from "../../lib/files/process-identity.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { Clock } from "../../model/clock.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { RunHead } from "../../model/recorded/run-record.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import type { Fence, Store, StoredState } from "../../model/recorded/store.ts";
import { inOrder, openRun, openRunHead } from "../../state/form/run-lines.ts";
import { createExclusive, createGroupCommit, type Exclusive } from "../kit/group-commit.ts";
import { lockLost } from "../kit/problems.ts";
import { oldSeal } from "../seal/problems.ts";
import { type Found, readContents } from "./contents.ts";
import {
  createDatabase,
  type Database,
  findRow,
  inWords,
  makeRow,
  repeatable,
} from "./database.ts";
import { createEndpointSlots } from "./endpoint-slots.ts";
import {
  append,
  beat,
  compact,
  type Held,
  type Holding,
  readHeld,
  saveRuns,
  stopWriting,
} from "./holder.ts";
import { giveBack, lockedProblem, type Presence, presence, shutOut, tryTake } from "./lock.ts";
import type { Session } from "./session.ts";
import { runStatements } from "./statements.ts";

export type PostgresStoreOptions = {
  readonly location: string;
  /** How what is in rows is encrypted. */
  readonly seal: Seal;
  readonly open: () => Promise<Session>;
  /** The role, for messages. */
  readonly role: string;
  readonly schema: string;
  readonly name: string;
  readonly clock: Clock;
  /** Tells whoever watches that a lost session is being replaced, and that it has been. */
  readonly onLost?: (message: string) => void;
  /** A fresh id of letters, digits and hyphens, such as a UUID. */
  readonly random: () => string;
  readonly host: string;
  readonly process: ProcessIdentity;
  /** Who runs this. */
  readonly user: string;
};

type Opened = {
  readonly options: PostgresStoreOptions;
  readonly database: Database;
  readonly clock: Clock;
  readonly exclusive: Exclusive;
  held: Held | undefined;
  heart: NodeJS.Timeout | undefined;
  closed: boolean;
};

export function createPostgresStore(options: PostgresStoreOptions): Store {
  const { location, role, schema, name, open, clock } = options;
  const opened: Opened = {
    options,
    database: createDatabase({ location, user: role, name, schema, open }),
    clock,
    exclusive: createExclusive(),
    held: undefined,
    heart: undefined,
    closed: false,
  };
  const slots = createEndpointSlots(opened.exclusive, async () => {
    if (opened.held === undefined) throw lockLost(location, (await presentHolder(opened))?.info);
    return holdingOf(opened, opened.held);
  });
  return {
    location,
    read: () => opened.exclusive(() => read(opened)),
    append: (entries, fence) => appendAsHolder(opened, entries, fence),
    compact: (state, fence) => opened.exclusive(() => compactAsHolder(opened, state, fence)),
    runs: () => opened.exclusive(() => readRuns(opened, "runs", openRun)),
    runHeads: () => opened.exclusive(() => readRuns(opened, "runHeads", openRunHead)),
    saveRuns: async (records, { drop }, fence) => {
      await opened
        .exclusive(async () => {
          const holding = holdingOf(opened, await requireHeld(opened, fence));
          await saveRuns(holding, records, drop);
        })
        .catch((error: unknown) => {
          throw inWords(opened.database, error, "write");
        });
    },
    lock: (operation, timeoutMs) => lock(opened, operation, timeoutMs),
    unlock: (fence) => opened.exclusive(() => unlock(opened, fence)),
    holder: () => opened.exclusive(async () => (await presentHolder(opened))?.info),
    forceUnlock: (lockId) =>
      opened.exclusive(() =>
        repeatable(opened.database, "write", (session) =>
          shutOut(opened.database, session, lockId, clock),
        ),
      ),
    endpointSlots: async () => slots,
    close: () => close(opened),
  };
}

async function read(opened: Opened): Promise<StoredState> {
  const { held, database } = opened;
  const { seal } = opened.options;
  if (held !== undefined) {
    const found = await readHeld(holdingOf(opened, held)).catch((error: unknown) => {
      throw inWords(database, error, "read");
    });
    return storedOf(opened, found);
  }
  const found = await repeatable(database, "read", async (session) => {
    const row = await findRow(database, session);
    if (row === undefined) return undefined;
    return readContents(session, { ...database, seal }, row.id);
  });
  return storedOf(opened, found);
}

function storedOf({ options }: Opened, found: Found | undefined): StoredState {
  const { snapshot, journal = [], isStale = false } = found ?? {};
  const { location, seal } = options;
  return { snapshot, journal, ...(isStale ? { remarks: [oldSeal(location, seal.writes)] } : {}) };
}

async function readRuns<T extends RunHead>(
  { database, options }: Opened,
  asked: "runs" | "runHeads",
  openOne: (text: string, seal: Seal) => T | undefined,
): Promise<readonly T[]> {
  return repeatable(database, "read", async (session) => {
    const row = await findRow(database, session);
    const { statements, tables } = database;
    const [[oid = null] = []] = await session.query(statements.look, [tables.run]);
    if (row === undefined || oid === null) return [];
    const rows = await session.query(runStatements(tables)[asked], [row.id]);
    return inOrder(rows.flatMap(([text]) => openOne(text ?? "", options.seal) ?? []));
  });
}

/** Not `async`, to keep the order of calls. */
function appendAsHolder(
  opened: Opened,
  entries: readonly JournalEntry[],
  fence: Fence,
): Promise<number> {
  const { held } = opened;
  if (held?.id !== fence.lockId) {
    return opened.exclusive(() => requireHeld(opened, fence)).then(() => 0);
  }
  return held.commit.append(entries);
}

async function compactAsHolder(opened: Opened, state: RecordedState, fence: Fence): Promise<void> {
  const holding = holdingOf(opened, await requireHeld(opened, fence));
  await compact(holding, state).catch((error: unknown) => {
    throw inWords(opened.database, error, "write");
  });
}

/** Within `exclusive`, since it may ask. */
async function requireHeld(opened: Opened, fence: Fence): Promise<Held> {
  if (opened.held?.id === fence.lockId) return opened.held;
  throw lockLost(opened.options.location, (await presentHolder(opened))?.info);
}

async function presentHolder({ database, clock }: Opened): Promise<Presence | undefined> {
  return repeatable(database, "read", async (session) => {
    const row = await findRow(database, session);
    return row === undefined ? undefined : presence(database, session, row, clock);
  });
}

const pollMs = 250;

async function lock(opened: Opened, operation: string, timeoutMs: number): Promise<Fence> {
  const { options, clock, database } = opened;
  const { random, user, host, process } = options;
  const id = random();
  const info = { id, operation, who: user, host, ...process, createdMs: clock.now() };
  const untilMs = info.createdMs + timeoutMs;
  for (;;) {
    const taken = await opened.exclusive(() => tryOnce(opened, info));
    if (taken === "taken") return { lockId: id };
    const restMs = untilMs - clock.now();
    if (restMs <= 0 && taken !== undefined) throw lockedProblem(database, taken);
    await clock.sleep(Math.max(1, Math.min(pollMs, restMs)));
    if (opened.closed) throw new Error("the store was closed while it waited for the lock");
  }
}

/** Taken, or who holds it; undefined when it has been given back meanwhile. */
async function tryOnce(opened: Opened, info: LockInfo): Promise<"taken" | Presence | undefined> {
  const { database, clock } = opened;
  return repeatable(database, "write", async (session) => {
    const row = await makeRow(database, session);
    const tried = await tryTake(database, session, row, info, clock);
    if (!("fence" in tried)) return tried.held;
    hold(opened, { id: info.id, fence: tried.fence, row, session });
    return "taken";
  });
}

/** The server is told now and then, so that others see that this run is there. */
const heartbeatMs = 10_000;

function hold(opened: Opened, taken: Pick<Held, "id" | "fence" | "row" | "session">): void {
  const commit = createGroupCommit({
    exclusive: opened.exclusive,
    write: (encoded) => append(holdingOf(opened, held), encoded),
    failed: async (error) => stopWriting(holdingOf(opened, held), error),
  });
  const held: Held = { ...taken, commit, base: undefined, failure: undefined };
  opened.held = held;
  opened.heart = setInterval(() => {
    void opened.exclusive(async () => {
      if (opened.held === held) await beat(holdingOf(opened, held));
    });
  }, heartbeatMs).unref();
}

function holdingOf(opened: Opened, held: Held): Holding {
  const { database, clock, options } = opened;
  const { seal, onLost = () => undefined } = options;
  return { database, seal, held, clock, onLost, isClosed: () => opened.closed };
}

/** Whatever comes of it, the lock is free: it ends with its session, which is ended if need be. */
async function unlock(opened: Opened, fence: Fence): Promise<void> {
  const { database } = opened;
  const held = await requireHeld(opened, fence);
  letGo(opened);
  let released: boolean | undefined;
  try {
    const work = giveBack(database, held.session, held.row, held.fence);
    released = await within(endMs, work);
  } catch {
    // The session is gone, or is ended here.
  }
  if (released === undefined) await database.session?.end();
  if (released === false) throw lockLost(database.location, (await presentHolder(opened))?.info);
}

function letGo(opened: Opened): void {
  clearInterval(opened.heart);
  opened.held = undefined;
}

const endMs = 10_000;

async function close(opened: Opened): Promise<void> {
  opened.closed = true;
  letGo(opened);
  const { database, exclusive } = opened;
  await within(
    endMs,
    exclusive(async () => {}),
  );
  await database.session?.end();
  database.session = undefined;
}

/** Undefined when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
