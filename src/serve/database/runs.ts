/**
 * Runs as rows: what was submitted for workers, and the history of each state. A run that a worker
 * did is both; its record names the submission, which stands for it.
 */

import { JsonError, parseJson, stringifyJson } from "../../lib/json.ts";
import {
  type BoardRun,
  type BoardStatus,
  boardStatuses,
  type Paging,
  type Rows,
  type RunFilter,
} from "../../model/board/board.ts";
import { isMap, memberOf } from "../../model/value/value.ts";
import type { Row } from "../../store/postgres/session.ts";
import type { Has, Reading } from "./reading.ts";
import type { BoardTables } from "./tables.ts";

export const msOf = (column: string): string =>
  `(extract(epoch from ${column}) * 1000)::bigint::text`;

/** Whether the session that took the lock of a state still has it. */
export const isHeld = (state: string): string => `exists (
    select from pg_locks as held where held.locktype = 'advisory' and held.granted
      and held.database = (select oid from pg_database where datname = current_database())
      and held.pid = ${state}.session and held.objid::text = ${state}.id::text
      and held.objsubid = 2)`;

/** Ids of the locks under which workers did what was submitted: their operation says so. */
export const workerLocks = (lease: string): string =>
  `select holder::json ->> 'id' as id, substring(holder::json ->> 'operation'
      from '\\(run ([0-9a-f]+)\\)$') as submission
    from ${lease} where left(holder, 1) = '{' and position('(run ' in holder) > 0`;

/** All runs: id, state, command, who, since, ended, status, what. */
export function allRuns({ submission, lease, run, state }: BoardTables, has: Has): string {
  const submitted = `select id, state, kind as command, who || '@' || host as who,
      asked_at as since, ended_at as ended,
      replace(status, '_', '-') as status, coalesce(detail, '') as what
    from ${submission}`;
  const done = `select run.id, state.name as state,
      coalesce(told.record ->> 'command', 'encrypted') as command,
      coalesce((told.record ->> 'who') || '@' || (told.record ->> 'host'), '') as who,
      coalesce(to_timestamp((told.record ->> 'beganMs')::float8 / 1000), run.saved_at) as since,
      to_timestamp((told.record -> 'end' ->> 'atMs')::float8 / 1000) as ended,
      case when told.record is null then 'done' else
        coalesce(told.record -> 'end' ->> 'outcome', case when
          left(state.holder, 1) = '{' and state.holder::json ->> 'id' = told.record ->> 'lockId'
          and ${isHeld("state")} then 'running' else 'unfinished' end) end as status,
      coalesce((told.record -> 'plan' -> 'counts')::text, '') as what
    from ${run} as run join ${state} as state on state.id = run.state
      cross join lateral (
        select case when left(run.record, 1) = '{' then run.record::json end as record) as told`;
  const own = has("submission")
    ? `${done} where told.record is null or told.record ->> 'lockId' not in (
        select locks.id from (${workerLocks(lease)}) as locks
        join ${submission} as asked on asked.id = locks.submission where locks.id is not null)`
    : done;
  const parts = [
    ...(has("submission") ? [submitted] : []),
    ...(has("run") && has("state") ? [own] : []),
  ];
  return parts.length === 0 ? noRuns : parts.join(" union all ");
}

const noRuns = `select null::text as id, null::text as state, null::text as command,
  null::text as who, null::timestamptz as since, null::timestamptz as ended,
  null::text as status, null::text as what where false`;

const columns = `id, state, command, who, ${msOf("since")}, ${msOf("ended")}, status, what`;

const filtered = `where ($1 = '' or state = $1) and ($2 = '' or status = $2)
  and ($3 = '' or position(lower($3) in lower(id || ' ' || state || ' ' || who)) > 0)`;

export async function readRuns(
  { query, tables }: Reading,
  filter: RunFilter,
  { offset, limit }: Paging,
): Promise<Rows<BoardRun>> {
  const { state = "", text = "" } = filter;
  const given = [state, filter.status ?? "", text];
  const from = (has: Has): string => `from (${allRuns(tables, has)}) as runs ${filtered}`;
  const [[total = "0"] = []] = await query(
    "read",
    (has) => `select count(*)::text ${from(has)}`,
    given,
  );
  const rows = await query(
    "read",
    (has) => `select ${columns} ${from(has)} order by since desc, id offset $4 limit $5`,
    [...given, offset, limit],
  );
  return { rows: rows.map(runIn), total: Number(total) };
}

/** The last run of each of these states, by its name. */
export async function lastRuns(
  { query, tables }: Reading,
  states: readonly string[],
): Promise<ReadonlyMap<string, BoardRun>> {
  const rows = await query(
    "read",
    (has) => `select distinct on (state) ${columns} from (${allRuns(tables, has)}) as runs
      where state = any($1::text[]) order by state, since desc`,
    [[...states]],
  );
  return new Map(rows.map(runIn).map((run) => [run.state, run]));
}

function runIn(row: Row): BoardRun {
  const [id, state, command, who, since, ended, status, what] = row;
  return {
    id: id ?? "",
    state: state ?? "",
    command: plainCommand(command ?? ""),
    who: who ?? "",
    sinceMs: Number(since),
    ...(ended === null || ended === undefined ? {} : { endedMs: Number(ended) }),
    status: statusOf(status ?? ""),
    what: whatOf(what ?? ""),
  };
}

/** The lock of a worker's run says which one, in brackets. */
export function plainCommand(command: string): string {
  return command.replace(/ \(run [0-9a-f]+\)$/, "");
}

function statusOf(word: string): BoardStatus {
  return boardStatuses.find((status) => status === word) ?? "unfinished";
}

/** Counts of a plan are kept as JSON, what workers say as text. */
function whatOf(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const counts = parseJson(text);
    if (!isMap(counts)) return text;
    return Object.keys(counts)
      .map((name) => `${name} ${stringifyJson(memberOf(counts, name) ?? null)}`)
      .join(", ");
  } catch (error) {
    if (error instanceof JsonError) return text;
    throw error;
  }
}
