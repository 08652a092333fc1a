/**
 * The agent's end of the way: it takes calls of its site from the queue while it has the lock of
 * the site, so that there is one agent at a time, and whoever stood still meanwhile finds out. The
 * lock is of a session; what may still be sent is asked in that same session.
 */

import type { PgBoss } from "pg-boss";
import {
  type Counter,
  type FenceMark,
  type Serving,
  type Standing,
  siteProtocol,
  type TakenCall,
} from "../../sites/call.ts";
import { createExclusive } from "../../store/kit/group-commit.ts";
import { codeOf } from "../../store/postgres/problems.ts";
import { type Access, openSession, type Session } from "../../store/postgres/session.ts";
import { lockStatements } from "../../store/postgres/statements.ts";
import { openBoss, stopBoss } from "../boss.ts";
import { siteDefinitions } from "./definitions.ts";
import { type CallsHere, lostCalls } from "./lost-calls.ts";
import { type SiteNames, siteNames, siteQueue } from "./names.ts";
import { silentMs, skewOf } from "./presence.ts";

export type AgentEndOptions = {
  readonly access: Access;
  /** Of the store. */
  readonly schema: string;
  readonly site: string;
  /** Of this start of the agent. */
  readonly agent: string;
  /** Of vmform. */
  readonly version: string;
  readonly readOnly: boolean;
  readonly host: string;
  readonly tell: (news: AgentNews) => void;
};

/** What becomes of its place at the site. */
export type AgentNews =
  | { readonly kind: "taking" }
  /** Another agent of the site is there: this one takes over when it ends. */
  | { readonly kind: "standing by" }
  | { readonly kind: "lost"; readonly reason: string };

export type AgentEnd = Counter & { readonly close: () => Promise<void> };

/** Calls that are done side by side. */
const atOnce = 8;
const watchMs = 5_000;
const standByMs = 1_000;
/** SQLSTATE of a right that is missing. */
const noRight = "42501";
const answerMs = 5 * 60 * 1000;

type End = {
  readonly options: AgentEndOptions;
  readonly names: SiteNames;
  readonly boss: PgBoss;
  readonly table: string;
  readonly calls: CallsHere;
  /** It has the lock, as long as it is not lost. */
  session: Session | undefined;
  /** Of that lock. */
  keys: Keys | undefined;
  stopped: boolean;
  wake: () => void;
};

/**
 * Makes what is missing where the role may. Throws what the server says where it may not, and what
 * the driver says where there is none.
 */
export async function openAgentEnd(options: AgentEndOptions): Promise<AgentEnd> {
  await prepare(options);
  const names = siteNames(options.schema);
  const boss = await openBoss(options.access, {
    schema: options.schema,
    supervises: false,
    prepares: false,
    sessionsMax: 4,
    // What matters shows in the calls, and in the session of the lock.
    onError: () => undefined,
  });
  const queue = await boss.getQueue(siteQueue(options.site));
  const table = queue?.table ?? "";
  const end: End = {
    options,
    names,
    boss,
    table,
    calls: { unanswered: new Set(), lost: new Set() },
    session: undefined,
    keys: undefined,
    stopped: false,
    wake: () => {},
  };
  return {
    serve: (serving) => serve(end, serving),
    standing: (taken, fence) => standing(end, taken, fence),
    stop: async () => {
      end.stopped = true;
      end.wake();
    },
    close: async () => {
      await stopBoss(boss, 0);
      await end.session?.end();
    },
  };
}

/** The role of an agent may do nothing of it, and finds that it is done. */
async function prepare(options: AgentEndOptions): Promise<void> {
  const session = await openSession(options.access);
  try {
    const known = await enter(session, options, undefined).catch((error: unknown) => {
      if (/^(42883|3F000|42P01)$/.test(codeOf(error) ?? "")) return undefined;
      throw error;
    });
    const { site, sinceOf } = siteNames(options.schema);
    const [[hasSeen = null, hasSince = null] = []] = await session.query(
      `select (select attname::text from pg_attribute
          where attrelid = to_regclass($1) and attname = 'seen' and not attisdropped),
        to_regprocedure($2)::text`,
      [site, `${sinceOf}(text, text)`],
    );
    if (known !== undefined && hasSeen !== null && hasSince !== null) return;
    try {
      await session.query("begin");
      for (const statement of siteDefinitions(options)) await session.query(statement);
      await session.query("commit");
    } catch (error) {
      // It does without what an earlier version has not made, and its role may not make.
      if (known === undefined || codeOf(error) !== noRight) throw error;
    }
  } finally {
    await session.end();
  }
}

type Job = { readonly id: string; readonly data: { readonly call: string } };

type Keys = { readonly oid: string; readonly id: string };

/** Says who is there; without `skewMs`, it is only asked whether the role may. */
async function enter(
  session: Session,
  options: AgentEndOptions,
  skewMs: number | undefined,
): Promise<Keys | undefined> {
  const { site, agent, version, readOnly, host, schema } = options;
  const { enter: name } = siteNames(schema);
  const asks = skewMs === undefined;
  const [[oid = null, id = null] = []] = await session.query(
    `select oid, id from ${name}($1, $2, $3, $4, $5, $6, $7)`,
    asks
      ? [site, null, null, null, null, null, null]
      : [site, agent, version, siteProtocol, readOnly, host, skewMs],
  );
  return oid === null || id === null ? undefined : { oid, id };
}

async function serve(end: End, { work, lost }: Serving): Promise<void> {
  const { options, boss } = end;
  const queue = siteQueue(options.site);
  while (!end.stopped) {
    const session = await takePlace(end);
    if (session === undefined) break;
    end.session = session;
    options.tell({ kind: "taking" });
    const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2 } as const;
    await boss.work<{ readonly call: string }>(
      queue,
      { ...polling, localConcurrency: atOnce, batchSize: 1 },
      async ([job]) => {
        if (job === undefined) return;
        await workOn(end, job, { work, lost });
      },
    );
    const reason = await watch(end, session, lost);
    await boss.offWork(queue, { wait: end.stopped });
    if (reason !== undefined) options.tell({ kind: "lost", reason });
    end.session = undefined;
    await session.end();
  }
}

/** Waits until it has the lock of the site. Undefined: it was stopped before. */
async function takePlace(end: End): Promise<Session | undefined> {
  const { options } = end;
  let toldOf: string | undefined;
  const tell = (news: AgentNews): void => {
    const text = JSON.stringify(news);
    if (text !== toldOf) options.tell(news);
    toldOf = text;
  };
  while (!end.stopped) {
    let session: Session | undefined;
    try {
      session = inTurn(await openSession(options.access));
      const keys = await enter(session, options, undefined);
      if (keys === undefined) throw new Error(`the role may not serve the site ${options.site}`);
      const [[taken = null] = []] = await session.query(lockStatements.take, [keys.oid, keys.id]);
      if (taken === "true") {
        end.keys = await enter(session, options, await skewOf(session));
        return session;
      }
      await endSilent(session, keys);
      tell({ kind: "standing by" });
    } catch (error) {
      tell({ kind: "lost", reason: error instanceof Error ? error.message : String(error) });
    }
    await session?.end();
    await pause(end, standByMs);
  }
  return undefined;
}

/**
 * Whoever has the place asks in its session every few seconds. One that is stopped, or hangs, keeps
 * its connection and with it the place: it loses both, so that what it was about to send is not
 * sent when it wakes. Of a session of another role the server tells no times, and it stays.
 */
async function endSilent(session: Session, { oid, id }: Keys): Promise<void> {
  await session.query(
    `select pg_terminate_backend(activity.pid)::text
      from pg_locks as held join pg_stat_activity as activity on activity.pid = held.pid
      where held.locktype = 'advisory' and held.granted and held.objsubid = 2
        and held.database = (select oid from pg_database where datname = current_database())
        and held.classid = $1::text::oid and held.objid = $2::text::oid
        and activity.state_change < clock_timestamp() - make_interval(secs => $3)`,
    [oid, id, String(silentMs / 1000)],
  );
}

/** The driver asks one thing at a time; calls are looked at side by side. */
function inTurn(session: Session): Session {
  const exclusive = createExclusive();
  return { ...session, query: (text, values) => exclusive(() => session.query(text, values)) };
}

/** Until it is stopped, or has lost its place: then why. */
async function watch(end: End, session: Session, lost: string): Promise<string | undefined> {
  while (!end.stopped) {
    await pause(end, watchMs);
    try {
      const keys = await enter(session, end.options, await skewOf(session));
      if (keys?.oid !== end.keys?.oid || keys?.id !== end.keys?.id) {
        return "its site has another place in the database, which was restored or made anew";
      }
      for (const id of await lostCalls(session, end)) await answer(end, id, lost);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return undefined;
}

async function pause(end: End, ms: number): Promise<void> {
  if (end.stopped) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    end.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function answer({ boss, options, names }: End, id: string, text: string): Promise<void> {
  await boss.complete(siteQueue(options.site), id, { answer: text });
  await boss.getDb().executeSql("select pg_notify($1, $2)", [names.channel, id]);
}

/** One told as lost is not done any more; one that came and has no answer is never told as lost. */
async function workOn(end: End, { id, data }: Job, { work, lost }: Serving): Promise<void> {
  const { calls } = end;
  if (calls.lost.has(id)) return settle(end, id, lost);
  calls.unanswered.add(id);
  await settle(end, id, await work({ id, text: data.call }));
  calls.unanswered.delete(id);
}

/** What was taken is answered, however long the database is away, unless the agent is to end. */
async function settle(end: End, id: string, text: string): Promise<void> {
  const untilMs = Date.now() + answerMs;
  for (;;) {
    try {
      await answer(end, id, text);
      return;
    } catch (error) {
      if (end.stopped && Date.now() >= untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** Asked in the session that has the lock: if it answers, this is the agent of the site. */
async function standing(
  { session, names, table, options }: End,
  { id }: TakenCall,
  fence: FenceMark | undefined,
): Promise<Standing> {
  if (session === undefined) throw new Error("this agent has lost its place at the site");
  const [[now = null, state = null, recorded = null] = []] = await session.query(
    `select extract(epoch from clock_timestamp())::text,
      (select state::text from ${names.queues}."${table}" where name = $1 and id = $2),
      case when $3::integer is null then null else ${names.fenceOf}($3::integer)::text end`,
    [siteQueue(options.site), id, fence?.state ?? null],
  );
  return {
    nowMs: Number(now) * 1000,
    claimed: state === "active",
    ...(recorded === null ? {} : { fence: recorded }),
  };
}
