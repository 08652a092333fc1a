/**
 * Which workers there are: each has a row of its own from its start to its end, by an id of that
 * start, and says in it now and then that it is alive. Rows of those that died go after a day.
 */

import type { WorkersLook, WorkerThere } from "../model/fleet/worker-look.ts";
import type { Session } from "../store/postgres/session.ts";
import type { Sql } from "./submissions.ts";
import { type FleetTables, fleetTables } from "./tables.ts";

/** What a worker tells of itself. */
export type WorkerSelf = Pick<WorkerThere, "name" | "version" | "node" | "host" | "atOnce"> & {
  /** Of this start. */
  readonly id: string;
};

const beatMs = 10_000;
const silentSeconds = 30;
const keepHours = 24;

type Work = (submission: string, lost: AbortSignal) => Promise<void>;

type Beats = {
  /** The same work, of which it is told how much there is. */
  readonly counted: (work: Work) => Work;
  readonly stop: () => Promise<void>;
};

/** Signs of life until it is stopped, then none is left. What fails is tried again by the next. */
export function startBeats(
  { sql, tables: { worker } }: { readonly sql: Sql; readonly tables: FleetTables },
  { id, name, version, node, host, atOnce }: WorkerSelf,
): Beats {
  let running = 0;
  const beat = async (): Promise<void> => {
    await sql(
      `insert into ${worker} (id, name, version, node, host, at_once, running)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (id) do update set running = excluded.running, seen = clock_timestamp()`,
      [id, name, version, node, host, atOnce, running],
    );
    await sql(
      `delete from ${worker} where seen < clock_timestamp() - interval '${keepHours} hours'`,
    );
  };
  let beating: Promise<void> = Promise.resolve();
  const next = (): void => {
    beating = beating.then(beat).catch(() => undefined);
  };
  next();
  const timer = setInterval(next, beatMs);
  const add = (more: number): void => {
    running += more;
    next();
  };
  return {
    counted: (work) => async (submission, lost) => {
      add(1);
      try {
        await work(submission, lost);
      } finally {
        add(-1);
      }
    },
    stop: async () => {
      clearInterval(timer);
      await beating;
      await sql(`delete from ${worker} where id = $1`, [id]).catch(() => undefined);
    },
  };
}

const workersMax = 1000;

/** Undefined where there never was one. Throws what the session does. */
export async function lookAtWorkers(
  session: Pick<Session, "query">,
  schema: string,
): Promise<Omit<WorkersLook, "version"> | undefined> {
  const { worker, submission } = fleetTables(schema);
  const [[known = null] = []] = await session.query("select to_regclass($1)::text", [worker]);
  if (known === null) return undefined;
  const rows = await session.query(workersStatement(worker, workersMax));
  const queued = await session.query(
    `select version, count(*)::text from ${submission} where status = 'queued' group by version`,
  );
  return {
    workers: rows.map(workerIn),
    queued: new Map(queued.map(([version, count]) => [version ?? "", Number(count)])),
  };
}

/** Their columns are texts, in the order in which `workerIn` takes them. The last begun first. */
export function workersStatement(worker: string, limit: number): string {
  const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint::text`;
  return `select name, version, node, host, at_once::text, running::text, ${ms("since")},
      ${ms("seen")}, (seen < clock_timestamp() - interval '${silentSeconds} seconds')::text
    from ${worker} as worker order by since desc limit ${limit}`;
}

export function workerIn(cells: readonly (string | null)[]): WorkerThere {
  const [name, version, node, host, atOnce, running, since, seen, silent] = cells;
  return {
    ...{ name: name ?? "", version: version ?? "", node: node ?? "", host: host ?? "" },
    ...{ atOnce: Number(atOnce), running: Number(running) },
    ...{ sinceMs: Number(since), seenMs: Number(seen), silent: silent === "true" },
  };
}
