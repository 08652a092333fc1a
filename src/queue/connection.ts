/** The database of a fleet: its tables made, pg-boss open on it, and what it says in words. */

import type { PgBoss } from "pg-boss";
import { inWords, leaveTransaction, makeTables } from "../store/postgres/database.ts";
import { codeOf, rightMissing } from "../store/postgres/problems.ts";
import { type Access, openSession } from "../store/postgres/session.ts";
import { bossSchema, openBoss } from "./boss.ts";
import { makeRunQueues, type QueueOptions } from "./runs.ts";
import type { Row, Sql } from "./submissions.ts";
import { type FleetTables, fleetDefinitions, fleetTables } from "./tables.ts";

export type FleetOptions = QueueOptions & {
  readonly access: Access;
  /** For people. */
  readonly location: string;
  /** Whether it looks after the queues, as a worker does. */
  readonly supervises: boolean;
  readonly sessionsMax?: number;
  readonly onError: (error: Error) => void;
};

export type Connection = {
  readonly boss: PgBoss;
  readonly tables: FleetTables;
  readonly sql: Sql;
  /** All of the work or nothing; `db` is for pg-boss to take part. */
  readonly inTransaction: <T>(work: (sql: Sql, db: BossDb) => Promise<T>) => Promise<T>;
  /** Tells what the database says in words that a user can do something with. */
  readonly said: <T>(kind: "read" | "write", work: () => Promise<T>) => Promise<T>;
};

/** SQLSTATE of a right that is missing. */
const noRight = "42501";

export type BossDb = ReturnType<PgBoss["getDb"]>;

/** Throws `StoreError`. A session is opened first, which knows what a server must be like. */
export async function connect(options: FleetOptions): Promise<Connection> {
  const { access, location, schema } = options;
  const tables = fleetTables(schema);
  const told = { location, user: access.target.user };
  const said: Connection["said"] = async (kind, work) => {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) === noRight) {
        throw rightMissing(location, told.user, error, "vmform state sql --workers");
      }
      throw inWords(told, error, kind);
    }
  };
  await said("write", () => prepareTables(access, schema, tables));
  const boss = await said("write", () => openBoss(access, { ...options, hasSchema: true }));
  try {
    await said("write", () => makeRunQueues(boss, options));
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
  return { boss, tables, said, ...statementsOn(boss) };
}

function statementsOn(boss: PgBoss): Pick<Connection, "sql" | "inTransaction"> {
  const on =
    (db: BossDb): Sql =>
    async (text, values = []) => {
      const { rows } = await db.executeSql(text, [...values]);
      return rows as readonly Row[];
    };
  return {
    sql: on(boss.getDb()),
    inTransaction: async (work) => {
      const transaction = await boss.getDb().beginTransaction?.();
      if (transaction === undefined) throw new Error("pg-boss has no transactions");
      const { db } = transaction;
      try {
        const value = await work(on(db), db);
        await transaction.commit();
        return value;
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    },
  };
}

async function prepareTables(
  access: Access,
  schemaName: string,
  tables: FleetTables,
): Promise<void> {
  const session = await openSession(access);
  try {
    const boss = bossSchema(schemaName);
    const [[known = null, queue = null] = []] = await session.query(
      "select to_regclass($1)::text, to_regnamespace($2)::text",
      [tables.restored, boss],
    );
    if (known !== null && queue !== null) return;
    const [schema = "", ...rest] = fleetDefinitions(tables);
    const queueSchema = queue === null ? [`create schema if not exists ${boss}`] : [];
    await makeTables(session, tables.schema, [schema, ...queueSchema, ...rest]);
  } catch (error) {
    await leaveTransaction(session);
    throw error;
  } finally {
    await session.end();
  }
}
