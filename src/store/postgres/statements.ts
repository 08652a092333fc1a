/** Statements on recorded state. Each that writes names the fence, and does nothing without it. */

import { longPart } from "../../state/form/run-lines.ts";
import type { Tables } from "./tables.ts";

/** Position of the last entry, from the row of a state. */
const lastPosition = ({ journal }: Tables): string =>
  `greatest(state.position, coalesce(
    (select max(journal.position) from ${journal} as journal where journal.state = state.id), 0))`;

export type Statements = ReturnType<typeof statementsFor>;

/** Ids, positions and fences are handed over and come back as text, as all values do. */
export function statementsFor(tables: Tables) {
  const { version, state, lease, resource, journal } = tables;
  return {
    /** What of the tables is there: the oid of that of states, null without. */
    look: "select to_regclass($1)::oid::text",
    version: `select max(version)::text from ${version}`,
    /** Id by name. */
    find: `select id::text from ${state} where name = $1`,
    make: `insert into ${state} (name) values ($1) on conflict do nothing`,
    head: `select head, position::text from ${state} where id = $1`,
    records: `select record, key from ${resource} where state = $1`,
    /** The order is that of numbers: what is selected is a text of the same name. */
    entries: `select entry, position::text from ${journal} as journal
      where state = $1 and position > $2 order by journal.position`,
    /** The fence, the last position and the head of a state. */
    present: `select fence::text, ${lastPosition(tables)}::text, head, holder
      from ${state} as state where id = $1`,
    /** Takes it: $2 the holder. Gives the new fence. */
    take: `with taken as (
        update ${state} set fence = fence + 1, holder = $2, session = pg_backend_pid(),
          seen_at = clock_timestamp() where id = $1 returning id, fence)
      insert into ${lease} (state, fence, holder) select id, fence, $2 from taken
      returning fence::text`,
    /**
     * The same holder ($3, the id of its lock), in another session: in a database that was restored
     * another run may have the same fence.
     */
    keep: `update ${state} set session = pg_backend_pid(), seen_at = clock_timestamp()
      where id = $1 and fence = $2 and position($3 in holder) > 0 returning id::text`,
    /** Of a holder that ends. */
    release: `update ${state} set holder = null, session = null, seen_at = null
      where id = $1 and fence = $2 returning id::text`,
    /** Of a holder that is shut out. */
    shutOut: `update ${state} set fence = fence + 1, holder = null, session = null, seen_at = null
      where id = $1 and fence = $2 returning id::text`,
    /**
     * Appends entries ($4) after a position ($3), when the fence ($2) holds and this is the session
     * that has the lock ($5). One row for each.
     */
    append: `with held as (
        select id, fence from ${state}
        where id = $1 and fence = $2 and pg_backend_pid() = $5 for share)
      insert into ${journal} (state, position, fence, entry)
      select held.id, $3::bigint + nth, held.fence, entry
      from held, unnest($4::text[]) with ordinality as given(entry, nth)
      returning position::text`,
    /**
     * Replaces the snapshot: rows that are gone ($6), rows that are new or changed ($7 keys, $8
     * addresses, $9 records). Done twice, it is as if it were done once.
     */
    compact: `with held as (
        update ${state} set head = $4, position = $5::bigint, changed_at = clock_timestamp()
        where id = $1 and fence = $2 and pg_backend_pid() = $3 returning id),
      gone as (
        delete from ${resource} as row using held
        where row.state = held.id and row.key = any($6::text[])),
      kept as (
        insert into ${resource} (state, key, address, record, position)
        select held.id, key, address, record, $5::bigint
        from held, unnest($7::text[], $8::text[], $9::text[]) as new(key, address, record)
        on conflict (state, key) do update
          set address = excluded.address, record = excluded.record, position = excluded.position)
      select id::text from held`,
    ...rewritingIn(tables),
  } as const;
}

/** Of entries that are sealed anew. */
function rewritingIn({ state, journal }: Tables) {
  return {
    /** The next of all entries, also of those that the snapshot contains. */
    nextEntries: `select entry, position::text from ${journal} as journal
      where state = $1 and position > $2 order by journal.position limit 500`,
    /** Writes entries ($5) anew at their positions ($4). One row for each. */
    rewrite: `with held as (
        select id from ${state}
        where id = $1 and fence = $2 and pg_backend_pid() = $3 for share)
      update ${journal} as journal set entry = new.entry
      from held, unnest($4::bigint[], $5::text[]) as new(position, entry)
      where journal.state = held.id and journal.position = new.position
      returning journal.position::text`,
  } as const;
}

/** Statements on the history of runs. */
export function runStatements({ state, run }: Pick<Tables, "state" | "run">) {
  return {
    runs: `select record from ${run} where state = $1`,
    /** Of each what stands before its long part; the whole of one that is sealed. */
    runHeads: `select case strpos(record, '${longPart}') when 0 then record
        else left(record, strpos(record, '${longPart}') - 1) || '}' end
      from ${run} where state = $1`,
    /** What tells with which key each is sealed: ids and the beginnings of texts. */
    runSeals: `select id, left(record, 200) from ${run} where state = $1`,
    run: `select record from ${run} where state = $1 and id = $2`,
    /** Records of runs: $4 those that are dropped; $5 ids, $6 texts. */
    saveRuns: `with held as (
        select id from ${state}
        where id = $1 and fence = $2 and pg_backend_pid() = $3 for share),
      gone as (
        delete from ${run} as row using held
        where row.state = held.id and row.id = any($4::text[])),
      kept as (
        insert into ${run} (state, id, record)
        select held.id, new.id, new.record
        from held, unnest($5::text[], $6::text[]) as new(id, record)
        on conflict (state, id) do update
          set record = excluded.record, saved_at = clock_timestamp())
      select id::text from held`,
  } as const;
}

/**
 * The lock of a state. Its keys are the oid of the table of states ($1) and the id of its row ($2):
 * neither two states nor two schemas have the same, and whoever looks at `pg_locks` sees which it
 * is.
 */
export const lockStatements = {
  take: "select pg_try_advisory_lock($1::bigint::bit(32)::integer, $2::integer)::text",
  release: "select pg_advisory_unlock($1::bigint::bit(32)::integer, $2::integer)::text",
  /** Ends a session, but not one that has the same number by chance. */
  terminate: `select pg_terminate_backend(pid)::text from pg_stat_activity
    where pid = $1 and coalesce(extract(epoch from backend_start)::text, '') = $2`,
} as const;

/** Keys of 64 bits stand there in two halves. */
const locksOfEndpoint = `pg_locks as held
      where held.locktype = 'advisory' and held.granted and held.objsubid = 1
        and held.database = (select oid from pg_database where datname = current_database())
        and ((held.classid::bigint << 32) | held.objid::bigint) >> 12 = $1::bigint >> 12`;

/**
 * Slots of endpoints. An endpoint has 4096 keys ($1 the first): those below 1024 are its slots, the
 * others are numbers by which runs wait, in their order.
 */
export const slotStatements = {
  /** First and last number by which somebody waits, and how many slots below $2 are taken. */
  look: `select min(number) filter (where number >= 1024)::text,
      max(number) filter (where number >= 1024)::text,
      count(*) filter (where number < $2::integer)::text
    from (select held.objid::bigint & 4095 as number from ${locksOfEndpoint}) as held`,
  /**
   * Takes the highest slot below $2 that is free, but for those that the session has ($3): it could
   * take these again. No row where there is none.
   */
  take: `with recursive tried(slot, taken) as (
      select $2::integer, false
      union all
      select slot - 1, case when slot - 1 = any($3::integer[]) then false
        else pg_try_advisory_lock($1::bigint + slot - 1) end
      from tried where not taken and slot > 0)
    select slot::text from tried where taken`,
  /** Takes one key. */
  wait: "select pg_try_advisory_lock($1::bigint + $2::integer)::text",
  release: "select pg_advisory_unlock($1::bigint + $2::integer)::text",
  /** Other sessions that have a slot. */
  holders: ({ state }: Tables): string => `select distinct state.name, state.holder,
      activity.application_name
    from (select held.pid, held.objid::bigint & 4095 as number
      from ${locksOfEndpoint}) as held
    left join pg_stat_activity as activity on activity.pid = held.pid
    left join ${state} as state on state.session = held.pid
    where held.number < 1024 and held.pid <> pg_backend_pid()
    order by 1, 2, 3`,
} as const;

/**
 * What the row says of the holder, how long ago that was heard of, and the session that has the
 * lock: its process, when that began, and its role. Nulls at the end where nobody has it.
 */
export function holderStatement({ state }: Tables): string {
  return `select state.fence::text, state.holder, state.session::text,
      extract(epoch from clock_timestamp() - state.seen_at)::text,
      held.pid::text, extract(epoch from activity.backend_start)::text, activity.usename
    from ${state} as state
    left join pg_locks as held on held.locktype = 'advisory' and held.granted
      and held.database = (select oid from pg_database where datname = current_database())
      and held.classid = $1::text::oid and held.objid = $2::text::oid and held.objsubid = 2
    left join pg_stat_activity as activity on activity.pid = held.pid
    where state.id::text = $2::text`;
}
