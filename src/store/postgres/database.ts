/**
 * A database as a store uses it: one session at a time, opened when it is first needed and again
 * when it was lost, the tables made where they are missing, and what the server says put in words.
 */

import { StoreError } from "../../model/recorded/store.ts";
import {
  codeOf,
  connectionLost,
  otherVersion,
  readOnly,
  refusedToRead,
  refusedToWrite,
  rightMissing,
} from "./problems.ts";
import { type Session, SessionLostError } from "./session.ts";
import { type Statements, statementsFor } from "./statements.ts";
import { definitions, makingLock, type Tables, tablesIn, tablesVersion } from "./tables.ts";

/** Where the row of a state is: the oid of its table, and its id. */
export type Row = { readonly oid: string; readonly id: string };

export type Database = {
  readonly location: string;
  readonly user: string;
  readonly name: string;
  readonly tables: Tables;
  readonly statements: Statements;
  readonly open: () => Promise<Session>;
  /** The one that is used now. */
  session: Session | undefined;
};

export function createDatabase(
  options: Pick<Database, "location" | "user" | "name" | "open"> & { readonly schema: string },
): Database {
  const { schema, ...rest } = options;
  const tables = tablesIn(schema);
  return { ...rest, tables, statements: statementsFor(tables), session: undefined };
}

export async function sessionOf(database: Database): Promise<Session> {
  if (database.session?.isLost() === false) return database.session;
  await database.session?.end();
  database.session = undefined;
  database.session = await database.open();
  return database.session;
}

const triesMax = 3;

/** Work that may be done again: it is, when its session is lost under it. Throws `StoreError`. */
export async function repeatable<T>(
  database: Database,
  kind: "read" | "write",
  work: (session: Session) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const session = await sessionOf(database);
    try {
      return await work(session);
    } catch (error) {
      if (error instanceof SessionLostError && tries < triesMax) continue;
      await leaveTransaction(session);
      throw inWords(database, error, kind);
    }
  }
}

/** A statement that failed may have left one open. */
export async function leaveTransaction(session: Session): Promise<void> {
  if (session.isLost()) return;
  await session.query("rollback").catch(() => undefined);
}

/** What the server says, as a problem that the user can mend; a fault of ours stays as it is. */
export function inWords(
  { location, user }: Pick<Database, "location" | "user">,
  error: unknown,
  kind: "read" | "write",
): Error {
  if (error instanceof StoreError) return error;
  if (error instanceof SessionLostError) return connectionLost(location, error);
  const code = codeOf(error) ?? "";
  if (code === "42501") return rightMissing(location, user, error);
  if (code === "25006") return readOnly(location, error);
  if (/^(42P01|42703|42804|3F000)$/.test(code)) {
    return otherVersion(location, error instanceof Error ? error.message : code, error);
  }
  if (/^[0-9A-Z]{5}$/.test(code)) {
    return kind === "read" ? refusedToRead(location, error) : refusedToWrite(location, error);
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Undefined where nothing was ever recorded. */
export async function findRow(database: Database, session: Session): Promise<Row | undefined> {
  const { statements, tables, name } = database;
  const [[oid = null] = []] = await session.query(statements.look, [tables.state]);
  if (oid === null) return undefined;
  const [[version = null] = []] = await session.query(statements.version);
  if (version !== null && Number(version) > tablesVersion) {
    throw otherVersion(database.location, `they have version ${version}`);
  }
  const [[id = null] = []] = await session.query(statements.find, [name]);
  return id === null ? undefined : { oid, id };
}

/** Makes what is missing: schema, tables, the row. */
export async function makeRow(database: Database, session: Session): Promise<Row> {
  const { statements, tables, name } = database;
  const found = await findRow(database, session);
  if (found !== undefined) return found;
  const [[oid = null] = []] = await session.query(statements.look, [tables.state]);
  if (oid === null) await makeTables(session, database.tables.schema, definitions(database.tables));
  await session.query(statements.make, [name]);
  const made = await findRow(database, session);
  if (made === undefined) throw new Error(`the state ${name} was made and is not there`);
  return made;
}

/** In one transaction; the first statement makes the schema, as its name stands in statements. */
export async function makeTables(
  session: Session,
  schema: string,
  [makeSchema = "", ...rest]: readonly string[],
): Promise<void> {
  await session.query("begin");
  await session.query(makingLock(schema));
  // The right to make one is asked for even where it is there.
  const [[known = null] = []] = await session.query("select to_regnamespace($1)::text", [schema]);
  if (known === null) await session.query(makeSchema);
  for (const statement of rest) await session.query(statement);
  await session.query("commit");
}
