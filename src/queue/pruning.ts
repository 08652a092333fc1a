/**
 * Removing what has ended long ago. Never removed: what is queued, runs or waits for approval; of
 * each state and kind the run that has ended last, and the last that was done, such as the last
 * report of drift; configurations that one of these or a schedule needs. What a run has said goes
 * with it. Recorded state, its journal and the history of runs are none of this.
 */

import { bossSchema } from "./boss.ts";
import type { Connection } from "./connection.ts";

/** Runs at a time, since what they have said goes with them. */
const runsAtOnce = 100;

export type Pruned = { readonly runs: number; readonly configurations: number };

/** Removes what has ended, and what was packed, longer ago than that. */
export async function prune(
  { sql, tables }: Pick<Connection, "sql" | "tables">,
  schema: string,
  keepMs: number,
): Promise<Pruned> {
  const { submission, bundle } = tables;
  const seconds = String(Math.ceil(keepMs / 1000));
  const old = "clock_timestamp() - make_interval(secs => $1::float8)";
  const later = `select from ${submission} as later
      where later.state = one.state and later.kind = one.kind and later.ended_at > one.ended_at`;
  let runs = 0;
  for (;;) {
    const removed = await sql(
      `delete from ${submission} where id in (
        select id from ${submission} as one
        where status in ('done', 'failed', 'interrupted') and ended_at < ${old}
          and exists (${later} and later.status in ('done', 'failed', 'interrupted'))
          and (status <> 'done' or exists (${later} and later.status = 'done'))
        order by ended_at limit ${runsAtOnce})
        and status in ('done', 'failed', 'interrupted') returning id`,
      [seconds],
    );
    runs += removed.length;
    if (removed.length < runsAtOnce) break;
  }
  const configurations = await sql(
    `delete from ${bundle} as bundle where packed_at < ${old}
      and not exists (select from ${submission} as needs where needs.bundle = bundle.sha256)
      and not exists (select from ${bossSchema(schema)}.schedule as due
        where position(bundle.sha256 in due.data::text) > 0)
      returning sha256`,
    [seconds],
  );
  return { runs, configurations: configurations.length };
}
