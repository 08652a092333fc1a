/**
 * The tables of recorded state, as statements. All names stand with their schema, since what a
 * search path leads to can be somebody else's. Texts that vmform parses itself are `text`: `jsonb`
 * would change numbers and the order of members.
 */

/** Of these tables; it is raised when they change. */
export const tablesVersion = 1;

/** Names as they stand in statements. */
export type Tables = {
  readonly schema: string;
  readonly version: string;
  readonly state: string;
  readonly lease: string;
  readonly resource: string;
  readonly journal: string;
  readonly run: string;
};

export function tablesIn(schemaName: string): Tables {
  const schema = quoted(schemaName);
  const table = (name: string): string => `${schema}.${name}`;
  return {
    schema,
    version: table("version"),
    state: table("state"),
    lease: table("lease"),
    resource: table("resource"),
    journal: table("journal"),
    run: table("run"),
  };
}

/** An identifier as it stands in statements. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** A text as it stands in a statement. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** One at a time for each schema, as its name stands in statements: two that make the same fail. */
export function makingLock(schema: string): string {
  return `select pg_advisory_xact_lock(hashtext('vmform'), hashtext(${literal(schema)}))`;
}

/** Statements that make what is missing; run again, they change nothing. */
export function definitions({
  schema,
  version,
  state,
  lease,
  resource,
  journal,
  run,
}: Tables): readonly string[] {
  return [
    `create schema if not exists ${schema}`,
    `create table if not exists ${version} (version integer primary key)`,
    `insert into ${version} values (${tablesVersion}) on conflict do nothing`,
    // One row for each recorded state. Whoever takes the lock adds one to the fence, which every
    // write names. The head is all of the snapshot but its objects.
    `create table if not exists ${state} (
  id integer generated always as identity primary key,
  name text not null unique,
  fence bigint not null default 0,
  holder text,
  session integer,
  seen_at timestamptz,
  position bigint not null default 0,
  head text,
  changed_at timestamptz not null default clock_timestamp()
)`,
    // Who had which fence: with the journal it tells who did what, and when.
    `create table if not exists ${lease} (
  state integer not null references ${state} on delete cascade,
  fence bigint not null,
  holder text not null,
  taken_at timestamptz not null default clock_timestamp(),
  primary key (state, fence)
)`,
    // The objects of the snapshot. The key is a hash, since addresses may be too long for an index.
    `create table if not exists ${resource} (
  state integer not null references ${state} on delete cascade,
  key text not null,
  address text not null,
  record text not null,
  position bigint not null,
  primary key (state, key)
)`,
    // Entries stay when the snapshot contains them: nothing needs those up to its position.
    `create table if not exists ${journal} (
  state integer not null references ${state} on delete cascade,
  position bigint not null,
  fence bigint not null,
  at timestamptz not null default clock_timestamp(),
  entry text not null,
  primary key (state, position)
)`,
    runDefinition({ state, run }),
  ];
}

/** The history of runs. Databases of before there was one lack it. */
export function runDefinition({ state, run }: Pick<Tables, "state" | "run">): string {
  return `create table if not exists ${run} (
  state integer not null references ${state} on delete cascade,
  id text not null,
  saved_at timestamptz not null default clock_timestamp(),
  record text not null,
  primary key (state, id)
)`;
}

/** What a role needs that did not make the tables. */
function grants({ schema, ...tables }: Tables, role: string): readonly string[] {
  const all = Object.values(tables).join(", ");
  return [
    `grant usage on schema ${schema} to ${quoted(role)}`,
    `grant select, insert, update, delete on ${all} to ${quoted(role)}`,
  ];
}

/** For an administrator, as one script. */
export function definitionScript(schema: string, role: string): string {
  const tables = tablesIn(schema);
  const statements = [...definitions(tables), ...grants(tables, role)];
  return ["begin", ...statements, "commit"].map((statement) => `${statement};\n`).join("");
}
