/**
 * The wish that a run ends which a worker has. It stands in the row, so that whoever takes the run
 * after a worker that died finds it; a notification tells of it at once, and whoever misses that
 * looks again every few seconds.
 */

import type { By, Taken } from "../model/fleet/fleet.ts";
import type { Cancellation } from "../model/fleet/submission.ts";
import { bossSchema } from "./boss.ts";
import type { Connection } from "./connection.ts";
import { cancellationIn, type Sql, submissionStatements, textIn } from "./submissions.ts";
import { fleetTables } from "./tables.ts";

const lookMs = 5_000;

/** By which ids are told of runs that somebody wants to end. */
export function cancelChannel(schema: string): string {
  return `${bossSchema(schema)}_cancel`;
}

/** Undefined when it waits for an approval, or has ended, by now. */
export async function recordCancel(
  sql: Sql,
  schema: string,
  { id, who, host }: By & { readonly id: string },
): Promise<"ended" | "asked" | undefined> {
  const { cancel } = submissionStatements(fleetTables(schema));
  const [row] = await sql(
    `with cancelled as (${cancel})
      select status, pg_notify($5, id)::text from cancelled`,
    [id, who, host, null, cancelChannel(schema)],
  );
  if (row === undefined) return undefined;
  return textIn(row, "status") === "cancelled" ? "ended" : "asked";
}

type Heeding = {
  readonly heed: (taken: Taken, asked: (by: Cancellation) => void) => () => void;
  /** Rejects where the database fails. */
  readonly recorded: (id: string) => Promise<Cancellation | undefined>;
  readonly close: () => Promise<void>;
};

/** Of the runs that a worker has. It listens and looks while there is one at least. */
export function createHeeding(
  { boss, sql, tables }: Pick<Connection, "boss" | "sql" | "tables">,
  schema: string,
): Heeding {
  const { cancellations } = submissionStatements(tables);
  const heeded = new Map<string, (by: Cancellation) => void>();
  let listening: Promise<{ readonly close: () => Promise<void> } | undefined> | undefined;
  const read = async (ids: readonly string[]): Promise<ReadonlyMap<string, Cancellation>> => {
    const found = new Map<string, Cancellation>();
    for (const row of await sql(cancellations, [[...ids]])) {
      const by = cancellationIn(textIn(row, "cancellation"));
      if (by !== undefined) found.set(textIn(row, "id") ?? "", by);
    }
    return found;
  };
  const look = async (): Promise<void> => {
    if (heeded.size === 0) return;
    for (const [id, by] of await read([...heeded.keys()])) {
      const asked = heeded.get(id);
      heeded.delete(id);
      asked?.(by);
    }
  };
  // What fails now is looked at again, and a database that is gone shows in all else.
  const lookQuietly = (): void => void look().catch(() => undefined);
  const timer = setInterval(lookQuietly, lookMs);
  const listen = async () =>
    boss.getDb().listen?.(
      cancelChannel(schema),
      (id) => {
        if (heeded.has(id)) lookQuietly();
      },
      lookQuietly,
    );
  return {
    heed: ({ id }, asked) => {
      heeded.set(id, asked);
      // Without a listener it is looked now and then.
      listening ??= listen().catch(() => undefined);
      lookQuietly();
      return () => {
        if (heeded.get(id) === asked) heeded.delete(id);
      };
    },
    recorded: async (id) => (await read([id])).get(id),
    close: async () => {
      clearInterval(timer);
      await (await listening)?.close();
    },
  };
}
