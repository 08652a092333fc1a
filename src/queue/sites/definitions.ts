/**
 * What sites need in a database, as statements; run again, they change nothing. A role of a site
 * gets its own queue, its own row of who is there, and the number of a fence: nothing of what is
 * recorded, of other sites, or of what is submitted.
 */

import { getConstructionPlans } from "pg-boss";
import { definitions, literal, makingLock, quoted, tablesIn } from "../../store/postgres/tables.ts";
import { bossSchema } from "../boss.ts";
import { type SiteNames, siteNames, siteQueue } from "./names.ts";

/** Calls are answered in seconds, and what was answered is deleted by whoever has read it. */
const queueOptions = {
  policy: "standard",
  partition: true,
  notify: true,
  // A call that was taken is never handed out again.
  retryLimit: 0,
  expireInSeconds: 2 * 60 * 60,
  retentionSeconds: 60 * 60,
  deleteAfterSeconds: 60 * 60,
};

export type SiteDefinition = {
  /** Of the store. */
  readonly schema: string;
  readonly site: string;
  /** Who logs in as the agent. Absent: whoever runs the statements. */
  readonly role?: string;
};

/** As one script, for an administrator. */
export function siteScript(definition: SiteDefinition): string {
  return ["begin", ...siteDefinitions(definition), "commit"].map((one) => `${one};\n`).join("");
}

/** The statements, to be run in one transaction. */
export function siteDefinitions({ schema, site, role }: SiteDefinition): readonly string[] {
  const names = siteNames(schema);
  const tables = tablesIn(schema);
  const who = role === undefined ? "current_user" : literal(role);
  return [
    makingLock(tables.schema),
    ...definitions(tables),
    queuesDefinition(schema),
    ...commonDefinitions(names, schema),
    queueDefinition(names, site),
    `insert into ${names.site} (name, role) values (${literal(site)}, ${who})
  on conflict (name) do update set role = excluded.role where site.role <> excluded.role`,
    ...(role === undefined ? [] : grants(names, site, role)),
  ];
}

/** Those of pg-boss are made once, and by itself: whoever supervises the queues brings them on. */
function queuesDefinition(schema: string): string {
  const queues = bossSchema(schema);
  const plan = getConstructionPlans(queues).replaceAll(/^\s*(BEGIN|COMMIT);\s*$/gm, "");
  return `do $vmform$ begin
  perform ${ownLockOf(plan)};
  if to_regclass(${literal(`${queues}.version`)}) is null then
    execute $vmform_plan$${plan}$vmform_plan$;
  end if;
end $vmform$`;
}

/** Two that make them at once: the second has to look after the first has made them. */
function ownLockOf(plan: string): string {
  const [, lock] = /SELECT (pg_advisory_xact_lock\(.*\));/.exec(plan) ?? [];
  if (lock === undefined) throw new Error("pg-boss makes its tables without its lock");
  return lock;
}

function commonDefinitions(names: SiteNames, schema: string): readonly string[] {
  return [
    `create table if not exists ${names.site} (
  id integer generated always as identity primary key,
  name text not null unique,
  role text not null,
  agent text,
  version text,
  protocol integer,
  read_only boolean,
  host text,
  since timestamptz,
  skew_ms double precision,
  seen timestamptz
)`,
    // Those of earlier versions lack it.
    `alter table ${names.site} add column if not exists seen timestamptz`,
    // Of the lock that stands behind a change: a number, and nothing else of what is recorded.
    `create or replace function ${names.fenceOf}(state integer) returns bigint
  language sql stable security definer set search_path = ''
  as $$ select fence from ${tablesIn(schema).state} as state where id = $1 $$`,
    `revoke all on function ${names.fenceOf}(integer) from public`,
    // Says who is there, or leaves it (nulls). A role does so for its own site alone. Gives the
    // keys of the site's lock.
    `create or replace function ${names.enter}(
    site text, agent text, version text, protocol integer, read_only boolean, host text,
    skew_ms double precision)
  returns table (oid text, id text)
  language sql security definer set search_path = ''
  as $$
    update ${names.site} as site set
      since = case when $2 is null or site.agent is not distinct from $2 then site.since
        else now() end,
      agent = coalesce($2, site.agent), version = coalesce($3, site.version),
      protocol = coalesce($4, site.protocol), read_only = coalesce($5, site.read_only),
      host = coalesce($6, site.host), skew_ms = coalesce($7, site.skew_ms),
      seen = case when $2 is null then site.seen else clock_timestamp() end
    where site.name = $1 and site.role = session_user
    returning site.tableoid::text, site.id::text
  $$`,
    `revoke all on function ${names.enter}(
  text, text, text, integer, boolean, text, double precision) from public`,
    // Since when an agent has been there with no other one in between, though it lost its session.
    `create or replace function ${names.sinceOf}(site text, agent text) returns timestamptz
  language sql stable security definer set search_path = ''
  as $$
    select since from ${names.site} as site
    where site.name = $1 and site.agent = $2 and site.role = session_user
  $$`,
    `revoke all on function ${names.sinceOf}(text, text) from public`,
  ];
}

function queueDefinition({ queues }: SiteNames, site: string): string {
  const name = literal(siteQueue(site));
  return `select ${queues}.create_queue(${name}, ${literal(JSON.stringify(queueOptions))}::jsonb)
  where not exists (select from ${queues}.queue where name = ${name})`;
}

/** What a role needs that takes calls of one site. */
function grants(names: SiteNames, site: string, role: string): readonly string[] {
  const to = quoted(role);
  return [
    `grant usage on schema ${names.schema}, ${names.queues} to ${to}`,
    `grant execute on function ${names.fenceOf}(integer) to ${to}`,
    `grant execute on function ${names.enter}(
  text, text, text, integer, boolean, text, double precision) to ${to}`,
    `grant execute on function ${names.sinceOf}(text, text) to ${to}`,
    `grant select on ${names.queues}.queue, ${names.queues}.version to ${to}`,
    `do $vmform$ begin
  execute format('grant select, update on ${names.queues}.%I to %I',
    (select table_name from ${names.queues}.queue where name = ${literal(siteQueue(site))}),
    ${literal(role)});
end $vmform$`,
  ];
}
