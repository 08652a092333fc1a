/** The engine's end of the way to sites: calls are jobs of pg-boss, and so are their answers. */

import type { PgBoss } from "pg-boss";
import { type Channel, ChannelError, type FenceMark, type Presence } from "../../sites/call.ts";
import { codeOf } from "../../store/postgres/problems.ts";
import type { Access } from "../../store/postgres/session.ts";
import { tablesIn } from "../../store/postgres/tables.ts";
import { openBoss, stopBoss } from "../boss.ts";
import { type SiteNames, siteNames, siteQueue } from "./names.ts";
import { presenceIn, presenceStatement } from "./presence.ts";

export type RunEndOptions = {
  /** For people. */
  readonly place: string;
  readonly access: Access;
  /** Of the store. */
  readonly schema: string;
  /** The recorded state of the run. */
  readonly state: string;
  /** The lock that the run has of it. Absent: it has none. */
  readonly lockId?: string;
};

export type RunEnd = Channel & { readonly close: () => Promise<void> };

type Row = { readonly [column: string]: unknown };

type End = {
  readonly options: RunEndOptions;
  readonly names: SiteNames;
  readonly boss: PgBoss;
  readonly query: (text: string, values?: unknown[]) => Promise<readonly Row[]>;
  /** Who waits for the answer of which call. */
  readonly waiting: Map<string, () => void>;
  /** Tables of queues. */
  readonly tables: Map<string, string>;
  /** Sites that something was handed over to. */
  readonly sites: Set<string>;
};

/** A listener that was lost misses what was told meanwhile: it is looked at least so often. */
const lookMs = 1_000;

/** Throws `ChannelError`. */
export async function openRunEnd(options: RunEndOptions): Promise<RunEnd> {
  const names = siteNames(options.schema);
  const boss = await openBoss(options.access, {
    schema: options.schema,
    supervises: false,
    prepares: false,
    sessionsMax: 3,
    // What goes wrong shows in the calls.
    onError: () => undefined,
  }).catch((error: unknown) => {
    throw channelError(error, false);
  });
  const db = boss.getDb();
  const end: End = {
    options,
    names,
    boss,
    waiting: new Map(),
    tables: new Map(),
    sites: new Set(),
    query: async (text, values = []) => (await db.executeSql(text, values)).rows,
  };
  const wakeAll = (): void => end.waiting.forEach((wake) => wake());
  const listener = await db
    .listen?.(names.channel, (id) => end.waiting.get(id)?.(), wakeAll)
    // Without one it is looked now and then.
    .catch(() => undefined);
  return {
    place: options.place,
    mark: () => asked(false, () => mark(end)),
    offer: (site, id, text) => offer(end, site, id, text),
    answer: (site, id, withinMs) => asked(true, () => answer(end, site, id, withinMs)),
    withdraw: (site, id, isKnown) => asked(true, () => withdraw(end, site, id, isKnown)),
    present: (site) => asked(false, () => present(end, site)),
    close: async () => {
      await listener?.close().catch(() => undefined);
      await removeOld(end).catch(() => undefined);
      await stopBoss(boss, 0);
    },
  };
}

async function asked<T>(offered: boolean, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw channelError(error, offered);
  }
}

function channelError(error: unknown, offered: boolean): ChannelError {
  if (error instanceof ChannelError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // Tables and queues that are missing are made by whoever starts an agent.
  const missing =
    /^(42P01|42883|3F000)$/.test(codeOf(error) ?? "") ||
    /not installed|does not exist/.test(message);
  const words = missing ? "no agent was ever started there (vmform agent)" : message;
  return new ChannelError(words, offered, error);
}

const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::float8";

async function mark({
  options,
  query,
}: End): Promise<{ readonly nowMs: number; readonly fence?: FenceMark }> {
  const { schema, state, lockId } = options;
  const { state: table } = tablesIn(schema);
  const [row] = await query(
    `select ${nowMs} as now, id::text as id, fence::text as fence, holder from (select) as one
      left join ${table} as state on state.name = $1`,
    [state],
  );
  const now = Number(row?.["now"]);
  if (lockId === undefined) return { nowMs: now };
  const holder = row?.["holder"];
  // The id of a lock is random: it stands in no other holder's line.
  if (typeof holder !== "string" || !holder.includes(lockId)) {
    throw new ChannelError("this run no longer has the lock of its recorded state", false);
  }
  return { nowMs: now, fence: { state: String(row?.["id"]), fence: String(row?.["fence"]) } };
}

async function offer({ boss, sites }: End, site: string, id: string, text: string): Promise<void> {
  sites.add(site);
  try {
    const given = await boss.send(siteQueue(site), { call: text }, { id, retryLimit: 0 });
    if (given === null) throw new Error("the queue did not take the call");
  } catch (error) {
    // What the server says of a statement has a code: then it is not there.
    const code = codeOf(error) ?? "";
    throw channelError(error, !/^[0-9A-Z]{5}$/.test(code) || /^(08|57)/.test(code));
  }
}

async function answer(
  end: End,
  site: string,
  id: string,
  withinMs: number,
): Promise<string | undefined> {
  const { waiting, boss } = end;
  const untilMs = Date.now() + withinMs;
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const told = new Promise<void>((resolve) => {
      waiting.set(id, resolve);
      timer = setTimeout(resolve, Math.max(0, Math.min(lookMs, untilMs - Date.now())));
    });
    try {
      const text = await answerOf(end, site, id);
      if (text !== undefined) {
        // It was read, and nobody else needs it.
        await boss.deleteJob(siteQueue(site), id).catch(() => undefined);
        return text;
      }
      if (Date.now() >= untilMs) return undefined;
      await told;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  }
}

async function answerOf({ boss }: End, site: string, id: string): Promise<string | undefined> {
  const job: { readonly output?: unknown } | null = await boss.getJobById(siteQueue(site), id);
  const { output } = job ?? {};
  const isAnswer = typeof output === "object" && output !== null && "answer" in output;
  return isAnswer ? String(output.answer) : undefined;
}

/** What is not there for certain is kept out by another of its id, which no agent takes. */
async function withdraw(
  end: End,
  site: string,
  id: string,
  isKnown: boolean,
): Promise<"never-taken" | "taken"> {
  if (!isKnown) {
    const outOfReach = { id, retryLimit: 0, startAfter: farSeconds };
    await end.boss.send(siteQueue(site), {}, outOfReach);
  }
  return withdrawn(end, site, id);
}

/** Longer than what is kept out can be on its way. */
const farSeconds = 60 * 60;

/**
 * One statement, so that it is taken or withdrawn and never both. Not by `cancel` of pg-boss, which
 * ends what was taken as well, and its answer with it.
 */
async function withdrawn(end: End, site: string, id: string): Promise<"never-taken" | "taken"> {
  const { query } = end;
  const queue = siteQueue(site);
  const rows = await query(
    `update ${await tableOf(end, queue)} set state = 'cancelled', completed_on = now()
      where name = $1 and id = $2
        and (state = 'cancelled' or state = 'created' and started_on is null) returning id`,
    [queue, id],
  );
  return rows.length === 1 ? "never-taken" : "taken";
}

/**
 * Calls that nobody reads the answer of any more: runs that were killed have left them, and where
 * there are no workers nobody looks after queues. None is taken for longer than two hours.
 */
async function removeOld(end: End): Promise<void> {
  for (const site of end.sites) {
    const queue = siteQueue(site);
    await end.query(
      `delete from ${await tableOf(end, queue)}
        where name = $1 and created_on < now() - interval '3 hours'`,
      [queue],
    );
  }
}

/** Of a queue, as it stands in statements; it stays as long as the queue does. */
async function tableOf({ names, tables, query }: End, queue: string): Promise<string> {
  const known = tables.get(queue);
  if (known !== undefined) return known;
  const [row] = await query(
    `select quote_ident(table_name) as name from ${names.queues}.queue where name = $1`,
    [queue],
  );
  if (row === undefined) throw new Error(`queue ${queue} does not exist`);
  const table = `${names.queues}.${String(row["name"])}`;
  tables.set(queue, table);
  return table;
}

async function present({ names, query }: End, site: string): Promise<Presence | undefined> {
  const [row] = await query(presenceStatement(names), [site]);
  return row === undefined ? undefined : presenceIn(Object.values(row));
}
