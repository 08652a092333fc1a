/**
 * The tables of submissions, beside those of recorded state and by the same rules: names with their
 * schema, statements that change nothing when they are run again.
 */

import { quoted } from "../store/postgres/tables.ts";
import { bossSchema } from "./boss.ts";

/** Who wants a run to end, as JSON; it came later than its table. */
export const cancellationColumn = "cancellation";

export type FleetTables = {
  readonly schema: string;
  readonly bundle: string;
  readonly submission: string;
  readonly event: string;
  readonly worker: string;
  readonly restored: string;
};

export function fleetTables(schemaName: string): FleetTables {
  const schema = quoted(schemaName);
  const table = (name: string): string => `${schema}.${name}`;
  return {
    schema,
    bundle: table("bundle"),
    submission: table("submission"),
    event: table("event"),
    worker: table("worker"),
    restored: table("restored"),
  };
}

export function fleetDefinitions(tables: FleetTables): readonly string[] {
  const { schema, bundle, submission, event, worker, restored } = tables;
  return [
    `create schema if not exists ${schema}`,
    // Configurations as they travel, by what they are.
    `create table if not exists ${bundle} (
  sha256 text primary key,
  packed_at timestamptz not null default clock_timestamp(),
  bytes bytea not null
)`,
    // Whoever takes one adds one to the attempt, which all that is written for it names.
    `create table if not exists ${submission} (
  id text primary key,
  state text not null,
  kind text not null,
  status text not null,
  who text not null,
  host text not null,
  asked_at timestamptz not null default clock_timestamp(),
  bundle text not null references ${bundle},
  options text not null,
  version text not null,
  scheduled boolean not null default false,
  plan text,
  approved boolean not null default false,
  approvals text not null default '[]',
  attempt integer not null default 0,
  worker text,
  started_at timestamptz,
  ended_at timestamptz,
  exit_code integer,
  detail text,
  cancellation text
)`,
    // Those of earlier versions lack it.
    `alter table ${submission} add column if not exists ${cancellationColumn} text`,
    `create index if not exists submission_asked on ${submission} (asked_at)`,
    `create table if not exists ${event} (
  submission text not null references ${submission} on delete cascade,
  number bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  line text not null,
  primary key (submission, number)
)`,
    `create table if not exists ${worker} (
  id text primary key,
  name text not null,
  version text not null,
  node text not null,
  host text not null,
  at_once integer not null,
  running integer not null,
  since timestamptz not null default clock_timestamp(),
  seen timestamptz not null default clock_timestamp(),
  beat bigint not null default 1
)`,
    // A row while somebody knows more than the database does. The last one: where it is, all are.
    `create table if not exists ${restored} (
  one boolean primary key default true check (one),
  noticed_at timestamptz not null default clock_timestamp(),
  noticed_by text not null
)`,
  ];
}

/** For an administrator, as one script: our tables, and the schema where pg-boss makes its own. */
export function fleetScript(schemaName: string, role: string): string {
  const { schema, ...tables } = fleetTables(schemaName);
  const to = quoted(role);
  const statements = [
    ...fleetDefinitions({ schema, ...tables }),
    `grant usage on schema ${schema} to ${to}`,
    `grant select, insert, update, delete on ${Object.values(tables).join(", ")} to ${to}`,
    `create schema if not exists ${bossSchema(schemaName)} authorization ${to}`,
  ];
  return ["begin", ...statements, "commit"].map((statement) => `${statement};\n`).join("");
}
