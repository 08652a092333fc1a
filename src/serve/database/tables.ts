/** What the board reads of a database, and the one table that is its own. */

import { bossSchema } from "../../queue/boss.ts";
import { siteNames } from "../../queue/sites/names.ts";
import { fleetTables } from "../../queue/tables.ts";
import { quoted, tablesIn } from "../../store/postgres/tables.ts";

export type BoardTables = {
  readonly schema: string;
  readonly state: string;
  readonly lease: string;
  readonly resource: string;
  readonly run: string;
  readonly submission: string;
  readonly event: string;
  readonly worker: string;
  readonly site: string;
  readonly audit: string;
  /** Of pg-boss; its schema needs no quotes. */
  readonly schedule: { readonly schema: string; readonly table: string };
};

export function boardTables(schemaName: string): BoardTables {
  const { schema, state, lease, resource, run } = tablesIn(schemaName);
  const { submission, event, worker } = fleetTables(schemaName);
  const { site } = siteNames(schemaName);
  const audit = `${quoted(schemaName)}.audit`;
  const schedule = { schema: bossSchema(schemaName), table: "schedule" };
  const recorded = { schema, state, lease, resource, run };
  return { ...recorded, submission, event, worker, site, audit, schedule };
}

export function auditDefinition({ audit }: Pick<BoardTables, "audit">): string {
  return `create table if not exists ${audit} (
  number bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  who text not null,
  via text not null,
  action text not null,
  subject text not null,
  detail text not null
)`;
}

/** Who ($1) by which login ($2) did what ($3) to what ($4), and how ($5). */
export function auditInsert({ audit }: Pick<BoardTables, "audit">): string {
  return `insert into ${audit} (who, via, action, subject, detail) values ($1, $2, $3, $4, $5)`;
}
