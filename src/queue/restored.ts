/**
 * A database that was restored from a backup: what was done since then is not known there, and runs
 * that have ended are there as if they waited. Whoever has counted more than is there notes it, and
 * no worker takes anything until somebody has settled it.
 */

import { type By, RestoredError } from "../model/fleet/fleet.ts";
import type { Connection } from "./connection.ts";
import { type Sql, textIn } from "./submissions.ts";
import type { FleetTables } from "./tables.ts";

/** Notes it, and gives what is thrown. */
export async function noticed(sql: Sql, tables: FleetTables, who: string): Promise<RestoredError> {
  const { restored } = tables;
  await sql(`insert into ${restored} (noticed_by) values ($1) on conflict do nothing`, [who]);
  return new RestoredError(`The database was restored from a backup, as ${who} has noticed.`);
}

/** Throws `RestoredError`. */
export async function requireNotRestored(sql: Sql, { restored }: FleetTables): Promise<void> {
  const [row] = await sql(`select noticed_by from ${restored}`);
  if (row === undefined) return;
  const who = textIn(row, "noticed_by") ?? "somebody";
  throw new RestoredError(`The database was restored from a backup, as ${who} has noticed.`);
}

/** Rows of workers in a backup are old; one that is not is of a worker that is there. */
const aliveSeconds = 30;

/** Ends what is unfinished. Throws `RestoredError` while workers are there. */
export async function settleRestored(
  { inTransaction, tables }: Connection,
  { who, host }: By,
): Promise<number> {
  const { worker, submission, restored } = tables;
  return inTransaction(async (inside) => {
    const alive = await inside(
      `select name from ${worker}
        where seen > clock_timestamp() - interval '${aliveSeconds} seconds'`,
    );
    if (alive.length > 0) {
      const names = alive.map((row) => textIn(row, "name") ?? "").join(", ");
      throw new RestoredError(`Workers are there: ${names}.`);
    }
    const ended = await inside(
      `update ${submission} set status = 'interrupted', ended_at = clock_timestamp(), detail = $1
        where status in ('queued', 'running', 'needs_approval') returning id`,
      [
        `The database was restored from a backup (${who}@${host}): whether it was done since, ` +
          "is not known there. Submit it again.",
      ],
    );
    await inside(`delete from ${worker}`);
    await inside(`delete from ${restored}`);
    return ended.length;
  });
}
