/** All recorded states of one database and schema: their names, and the end of one. */

import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";
import { createDatabase, type Database, repeatable } from "./database.ts";
import { accessTo, type PostgresPorts } from "./open.ts";
import { openSession } from "./session.ts";
import { locationOf, targetOf } from "./target.ts";

export type StatesOfDatabase = {
  /** In order; none where nothing was ever recorded. Throws `StoreError`. */
  readonly names: () => Promise<readonly string[]>;
  /**
   * Deletes what is recorded under a name, the journal with it. Whoever calls holds its lock.
   * Throws `StoreError`.
   */
  readonly remove: (name: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export function openStates(
  settings: PostgresStoreSettings & { readonly beside: string },
  ports: PostgresPorts,
): StatesOfDatabase {
  const { environment, user } = ports;
  const target = targetOf(settings, environment, user);
  const database = createDatabase({
    location: locationOf(settings, environment, user),
    user: target.user,
    name: settings.name,
    schema: settings.schema,
    open: async () => openSession(await accessTo(target, settings, ports)),
  });
  return {
    names: () => namesIn(database),
    remove: (name) => removeFrom(database, name),
    close: async () => database.session?.end(),
  };
}

async function namesIn(database: Database): Promise<readonly string[]> {
  const { statements, tables } = database;
  return repeatable(database, "read", async (session) => {
    const [[oid = null] = []] = await session.query(statements.look, [tables.state]);
    if (oid === null) return [];
    const rows = await session.query(
      // Whoever asked for the lock of one that was never made leaves a row without anything.
      `select name from ${tables.state} where head is not null order by name`,
    );
    return rows.flatMap(([name = null]) => (name === null ? [] : [name]));
  });
}

/** What belongs to it goes with it, in one statement. */
async function removeFrom(database: Database, name: string): Promise<void> {
  await repeatable(database, "write", (session) =>
    session.query(`delete from ${database.tables.state} where name = $1`, [name]),
  );
}
