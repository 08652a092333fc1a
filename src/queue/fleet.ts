/** The fleet on PostgreSQL: who asks, and who works. See `model/fleet/fleet.ts`. */

import { createHash } from "node:crypto";
import { stringifyJson } from "../lib/json.ts";
import type { By, Fleet, FleetWork, Taken, WorkerFleet } from "../model/fleet/fleet.ts";
import type { Approval, Bundle } from "../model/fleet/submission.ts";
import { stopBoss } from "./boss.ts";
import { createHeeding, recordCancel } from "./cancelling.ts";
import { type BossDb, type Connection, connect, type FleetOptions } from "./connection.ts";
import { prune } from "./pruning.ts";
import { settleRestored } from "./restored.ts";
import { makeVersionQueue, sendRun, workRuns } from "./runs.ts";
import { createSchedules } from "./schedules.ts";
import { type Row, type Sql, submissionIn, submissionStatements, textIn } from "./submissions.ts";
import { insert, shortId } from "./submitting.ts";
import type { FleetTables } from "./tables.ts";
import { startBeats } from "./workers.ts";

type Options = FleetOptions & {
  /** A fresh random id, of hexadecimal digits and hyphens. */
  readonly newId: () => string;
};

/** Throws `StoreError`. */
export async function openFleet(options: Options): Promise<Fleet> {
  const connection = await connect(options);
  const { sql, said, tables, boss, inTransaction } = connection;
  const statements = submissionStatements(tables);
  const schedules = createSchedules(connection, options.newId);
  return {
    location: options.location,
    submit: ({ bundle, ...asked }) =>
      said("write", () =>
        inTransaction(async (inside, db) => {
          await inside(statements.keepBundle, [bundle.sha256, Buffer.from(bundle.bytes)]);
          const of = { asked, bundle: bundle.sha256, scheduled: false, id: shortId(options.newId) };
          return insert(connection, inside, db, of);
        }),
      ),
    find: (id) =>
      said("read", async () => {
        const rows = await sql(statements.find, [id]);
        const exact = rows.find((row) => row["id"] === id) ?? (rows.length === 1 ? rows[0] : null);
        return exact === null || exact === undefined ? undefined : submissionIn(exact);
      }),
    list: (limit) =>
      said("read", async () => (await sql(statements.list, [limit])).map(submissionIn)),
    events: (id, after) =>
      said("read", async () => {
        const rows = await sql(statements.events, [id, after]);
        return rows.map((row) => ({
          number: textIn(row, "number") ?? "0",
          line: textIn(row, "line") ?? "",
        }));
      }),
    plan: (id) =>
      said("read", async () => {
        const [row] = await sql(statements.plan, [id]);
        return row === undefined ? undefined : textIn(row, "plan");
      }),
    waitingPlan: (id) =>
      said("read", async () => {
        const [row] = await sql(statements.waitingPlan, [id]);
        const [text, sum] = row === undefined ? [] : [textIn(row, "plan"), textIn(row, "sum")];
        return text === undefined || sum === undefined ? undefined : { text, sum };
      }),
    approve: (id, approval, shownSum) =>
      said("write", () =>
        inTransaction((inside, db) =>
          recordApproval(connection, inside, db, { id, shownSum, ...approval }),
        ),
      ),
    decline: (id, by, shownSum) =>
      said("write", () => recordDecline(sql, tables, { id, shownSum, ...by })),
    cancel: (id, by) => said("write", () => recordCancel(sql, options.schema, { id, ...by })),
    schedule: (schedule, bundle) =>
      said("write", async () => {
        await keepBundle(connection, bundle);
        await schedules.set({ ...schedule, bundle: bundle.sha256 });
      }),
    schedules: () => said("read", schedules.list),
    unschedule: (state) => said("write", () => schedules.remove(state)),
    close: () => stopBoss(boss, 0),
  };
}

type GivenApproval = Omit<Approval, "atMs"> & { readonly id: string; readonly shownSum: string };

/** Within a transaction: false when the plan of that sum does not wait for an approval by now. */
export async function recordApproval(
  { boss, tables }: Pick<Connection, "boss" | "tables">,
  inside: Sql,
  db: BossDb,
  { id, shownSum, who, host, allowed }: GivenApproval,
): Promise<boolean> {
  const values = [id, who, host, stringifyJson([...allowed]), shownSum];
  const [row] = await inside(submissionStatements(tables).approve, values);
  if (row === undefined) return false;
  await sendRun(boss, id, { state: textIn(row, "state") ?? "", db });
  return true;
}

/** False when the plan of that sum does not wait for an approval by now. */
async function recordDecline(
  sql: Sql,
  tables: FleetTables,
  { id, who, host, shownSum }: By & { readonly id: string; readonly shownSum: string },
): Promise<boolean> {
  const values = [id, `Declined by ${who}@${host}.`, shownSum];
  return (await sql(submissionStatements(tables).decline, values)).length > 0;
}

async function keepBundle({ sql, tables }: Connection, bundle: Bundle): Promise<void> {
  const { keepBundle: statement } = submissionStatements(tables);
  await sql(statement, [bundle.sha256, Buffer.from(bundle.bytes)]);
}

/** Throws `StoreError`. */
export async function openWorkerFleet(
  options: Options & { readonly version: string },
): Promise<WorkerFleet> {
  const connection = await connect(options);
  const { sql, said, tables, boss, inTransaction } = connection;
  const statements = submissionStatements(tables);
  const schedules = createSchedules(connection, options.newId);
  const holding = ({ id, attempt }: Taken): readonly unknown[] => [id, attempt];
  const changed = (text: string, values: readonly unknown[]): Promise<boolean> =>
    said("write", async () => (await sql(text, values)).length > 0);
  const sentAgain = (
    taken: Taken,
    detail: string,
    how: { readonly afterSeconds?: number; readonly version?: string },
  ): Promise<boolean> =>
    said("write", () =>
      inTransaction(async (inside, db) => {
        const [row] = await inside(statements.putBack, [...holding(taken), detail]);
        if (row === undefined) return false;
        await sendRun(boss, taken.id, { state: taken.state, db, ...how });
        return true;
      }),
    );
  await said("write", () => makeVersionQueue(boss, options.version, options));
  const heeding = createHeeding(connection, options.schema);
  let beats: Awaited<ReturnType<typeof startBeats>> | undefined;
  return {
    location: options.location,
    take: (id, worker) =>
      said("write", async () => {
        const [row] = await sql(statements.take, [id, worker]);
        return row === undefined ? undefined : takenIn(row);
      }),
    bundle: (sha256) => said("read", () => readBundle(connection, sha256)),
    tell: (taken, lines) => changed(statements.tell, [...holding(taken), [...lines]]),
    keepPlan: (taken, plan, approved) =>
      changed(statements.keepPlan, [...holding(taken), plan, approved]),
    end: (taken, { status, exitCode, detail }) =>
      changed(statements.end, [...holding(taken), status, exitCode ?? null, detail]),
    heed: heeding.heed,
    cancellation: (id) => said("read", () => heeding.recorded(id)),
    prune: (keepMs) => said("write", () => prune(connection, options.schema, keepMs)),
    putBack: (taken, detail, afterSeconds) => sentAgain(taken, detail, { afterSeconds }),
    leave: async (taken, detail) => {
      const { version } = taken;
      await said("write", () => makeVersionQueue(boss, version, options));
      return sentAgain(taken, detail, { version });
    },
    settleRestored: (by) => said("write", () => settleRestored(connection, by)),
    work: async (work, self) => {
      const { version } = options;
      const named = { ...self, version, id: options.newId() };
      beats = await startBeats(connection, named, work.restored);
      return takeWork(connection, schedules, { ...work, run: beats.counted(work.run) }, named);
    },
    close: async () => {
      await heeding.close();
      await beats?.stop();
      await stopBoss(boss, closingMs);
    },
  };
}

/** What is due, and runs. */
async function takeWork(
  connection: Connection,
  schedules: ReturnType<typeof createSchedules>,
  { run }: Pick<FleetWork, "run">,
  { atOnce, version }: { readonly atOnce: number; readonly version: string },
): Promise<{ readonly stopTaking: () => Promise<void> }> {
  const lost = (id: string): Promise<void> => giveUp(connection, id);
  const due = await schedules.work();
  const runs = await workRuns(connection.boss, { run, lost }, { atOnce, version });
  return {
    stopTaking: async () => {
      await due.stopTaking();
      await runs.stopTaking();
    },
  };
}

async function giveUp({ sql, tables }: Connection, id: string): Promise<void> {
  await sql(submissionStatements(tables).giveUp, [id, givenUp]);
}

const givenUp = "Each worker that took it was lost before it ended.";
/** For what was told last to be written. */
const closingMs = 5_000;

function takenIn(row: Row): Taken {
  const plan = textIn(row, "plan");
  return { ...submissionIn(row), ...(plan === undefined ? {} : { plan }) };
}

async function readBundle({ sql, tables }: Connection, sha256: string): Promise<Uint8Array> {
  const [row] = await sql(submissionStatements(tables).bundle, [sha256]);
  const bytes = row?.["bytes"];
  if (!(bytes instanceof Uint8Array)) throw new Error(`the configuration ${sha256} is not there`);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== sha256) throw new Error(`the configuration ${sha256} was changed: it is ${found}`);
  return bytes;
}
