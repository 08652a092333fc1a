/**
 * Which workers there are: each has a row of its own from its start to its end, by an id of that
 * start, and says in it now and then that it is alive. Rows of those that died go after a day. By
 * its row a worker finds out that the database was restored (`restored.ts`).
 */

import { RestoredError } from "../model/fleet/fleet.ts";
import type { WorkersLook, WorkerThere } from "../model/fleet/worker-look.ts";
import type { Session } from "../store/postgres/session.ts";
import { noticed, requireNotRestored } from "./restored.ts";
import type { Sql } from "./submissions.ts";
import { type FleetTables, fleetTables } from "./tables.ts";

/** What a worker tells of itself. */
export type WorkerSelf = Pick<WorkerThere, "name" | "version" | "node" | "host" | "atOnce"> & {
  /** Of this start. */
  readonly id: string;
};

const beatMs = 10_000;
const silentSeconds = 30;
const keepMs = 24 * 60 * 60 * 1000;

type Work = (submission: string, lost: AbortSignal) => Promise<void>;

type Beats = {
  /** The same work, of which it is told how much there is. */
  readonly counted: (work: Work) => Work;
  readonly stop: () => Promise<void>;
};

type Beating = {
  readonly connection: { readonly sql: Sql; readonly tables: FleetTables };
  readonly self: WorkerSelf;
  running: number;
  /** As it was last confirmed; 0: there is no row yet. */
  beat: number;
  confirmedMs: number;
};

/**
 * Signs of life until it is stopped, then none is left. What fails is tried again by the next. Each
 * one is counted in the row: whoever finds less there than it has counted is told of the past.
 * Throws `RestoredError` where somebody has found that already.
 */
export async function startBeats(
  connection: Beating["connection"],
  self: WorkerSelf,
  restored: (error: RestoredError) => void,
): Promise<Beats> {
  const beating: Beating = { connection, self, running: 0, beat: 0, confirmedMs: Date.now() };
  await confirm(beating);
  let last: Promise<void> = Promise.resolve();
  /** One after another; rejects where runs may not be taken. */
  const next = (): Promise<void> => {
    const one = last.then(() => confirm(beating));
    last = one.catch((error: unknown) => {
      if (error instanceof RestoredError) restored(error);
    });
    return one;
  };
  const timer = setInterval(() => void next().catch(() => undefined), beatMs);
  return {
    counted: (work) => async (submission, lost) => {
      beating.running += 1;
      try {
        await next();
        await work(submission, lost);
      } finally {
        beating.running -= 1;
        void next().catch(() => undefined);
      }
    },
    stop: async () => {
      clearInterval(timer);
      await last;
      const { sql, tables } = connection;
      await sql(`delete from ${tables.worker} where id = $1`, [self.id]).catch(() => undefined);
    },
  };
}

async function confirm(beating: Beating): Promise<void> {
  const { connection, self, running } = beating;
  const { sql, tables } = connection;
  const { worker } = tables;
  const { id, name, version, node, host, atOnce } = self;
  await requireNotRestored(sql, tables);
  const isOld = Date.now() - beating.confirmedMs > keepMs;
  if (beating.beat === 0 || isOld) {
    await sql(
      `insert into ${worker} (id, name, version, node, host, at_once, running)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (id) do update set beat = 1, seen = clock_timestamp()`,
      [id, name, version, node, host, atOnce, running],
    );
    beating.beat = 1;
  } else {
    // More than was counted is there where an answer was lost.
    const [row] = await sql(
      `update ${worker} set beat = beat + 1, running = $3, seen = clock_timestamp()
        where id = $1 and beat >= $2 returning beat::text`,
      [id, beating.beat, running],
    );
    if (row === undefined) throw await noticed(sql, tables, `${name} on ${host}`);
    beating.beat = Number(row["beat"]);
  }
  beating.confirmedMs = Date.now();
  await sql(`delete from ${worker} where seen < clock_timestamp() - make_interval(secs => $1)`, [
    keepMs / 1000,
  ]);
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
