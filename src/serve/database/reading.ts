/**
 * Reads for pages: one session, opened when it is first needed and again when it was lost. Tables
 * that a database lacks, since nobody there has workers or sites, are read as empty.
 */

import { cancellationColumn } from "../../queue/tables.ts";
import {
  createDatabase,
  type Database,
  leaveTransaction,
  repeatable,
} from "../../store/postgres/database.ts";
import { type Access, openSession, type Row, type Session } from "../../store/postgres/session.ts";
import { auditDefinition, type BoardTables, boardTables } from "./tables.ts";

type TableName = Exclude<keyof BoardTables, "schema" | "schedule">;
/** Whether the database has a table; `cancellation` is a column that submissions had not always. */
export type Has = (table: TableName | "cancellation") => boolean;

export type Reading = {
  readonly tables: BoardTables;
  readonly query: (
    kind: "read" | "write",
    /** Undefined: what it is about is not there. */
    text: (has: Has) => string | undefined,
    values?: readonly unknown[],
  ) => Promise<readonly Row[]>;
  /** Makes the table of the audit where it is missing. Throws `StoreError`. */
  readonly prepare: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type ReadingOptions = {
  readonly access: Access;
  readonly location: string;
  readonly schema: string;
};

export function createReading({ access, location, schema }: ReadingOptions): Reading {
  let opening: Promise<Session> | undefined;
  const database: Database = createDatabase({
    ...{ location, schema, user: access.target.user, name: "" },
    // Pages are asked for side by side, and shall not open a session each.
    open: () =>
      (opening ??= openSession(access).finally(() => {
        opening = undefined;
      })),
  });
  const tables = boardTables(schema);
  const names = Object.keys(tables).filter(isTable);
  return {
    tables,
    query: (kind, text, values = []) =>
      repeatable(database, kind, async (session) => {
        const [found = []] = await session.query(
          `select ${names.map((_, at) => `to_regclass($${at + 1})::text`).join(", ")},
            ${hasCancellation(names.length + 1)}`,
          [...names.map((name) => tables[name]), tables.submission],
        );
        const asked = [...names, "cancellation" as const];
        const there = new Set(asked.filter((_, at) => found[at] !== null));
        const statement = text((name) => there.has(name));
        return statement === undefined ? [] : session.query(statement, values);
      }),
    prepare: () => repeatable(database, "write", (session) => makeAudit(session, tables, schema)),
    close: async () => database.session?.end(),
  };
}

function hasCancellation(parameter: number): string {
  return `(select attname from pg_attribute where attrelid = to_regclass($${parameter})
    and attname = '${cancellationColumn}' and not attisdropped)::text`;
}

function isTable(name: string): name is TableName {
  return name !== "schema" && name !== "schedule";
}

/** Who may not make what is there already may serve it all the same. */
async function makeAudit(session: Session, tables: BoardTables, schema: string): Promise<void> {
  const [[known = null] = []] = await session.query("select to_regclass($1)::text", [tables.audit]);
  if (known !== null) return;
  try {
    await session.query("begin");
    await session.query("select pg_advisory_xact_lock(hashtext('vmform'), hashtext($1))", [schema]);
    const [[made = null] = []] = await session.query("select to_regnamespace($1)::text", [
      tables.schema,
    ]);
    if (made === null) await session.query(`create schema if not exists ${tables.schema}`);
    await session.query(auditDefinition(tables));
    await session.query("commit");
  } catch (error) {
    await leaveTransaction(session);
    throw error;
  }
}
