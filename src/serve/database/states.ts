/** States as rows, and what checks for drift have found of one. */

import { parseJson } from "../../lib/json.ts";
import { decodeLock } from "../../lib/lock/lock-info.ts";
import type { BoardDrift, BoardState, Paging, Rows } from "../../model/board/board.ts";
import { isList, memberOf } from "../../model/value/value.ts";
import { scheduleKey, scheduleQueue } from "../../queue/schedules.ts";
import type { Row } from "../../store/postgres/session.ts";
import type { Has, Reading } from "./reading.ts";
import { isHeld, lastRuns, msOf, plainCommand } from "./runs.ts";
import type { BoardTables } from "./tables.ts";

/** Of a state that workers were asked about and that has nothing recorded yet, the name alone. */
function names({ state, submission }: BoardTables, has: Has): string {
  const parts = [
    ...(has("state") ? [`select name from ${state} where head is not null`] : []),
    ...(has("submission") ? [`select state as name from ${submission}`] : []),
  ];
  return parts.length === 0 ? "select null::text as name where false" : parts.join(" union ");
}

function rowsOf(tables: BoardTables, has: Has): string {
  const { state, resource, submission } = tables;
  const waiting = has("submission")
    ? `(select count(*) from ${submission} as asked
        where asked.state = names.name and asked.status = 'needs_approval')::text`
    : "'0'";
  if (!has("state")) return `select name, null, '0', '0', null, ${waiting} from names`;
  return `select names.name, ${msOf("state.changed_at")},
      (select count(*) from ${resource} as row where row.state = state.id)::text,
      case when left(state.head, 1) = '{' and state.head::json -> 'sealed' is null
        then '0' else '1' end,
      case when ${isHeld("state")} then state.holder end, ${waiting}
    from names left join ${state} as state on state.name = names.name`;
}

export async function readStates(
  reading: Reading,
  text: string,
  { offset, limit }: Paging,
): Promise<Rows<BoardState>> {
  const { query, tables } = reading;
  const found = `position(lower($1) in lower(name)) > 0`;
  const [[total = "0"] = []] = await query(
    "read",
    (has) => `select count(*)::text from (${names(tables, has)}) as names where ${found}`,
    [text],
  );
  const rows = await query(
    "read",
    (has) => `with names as (select name from (${names(tables, has)}) as every
        where ${found} order by name offset $2 limit $3)
      ${rowsOf(tables, has)} order by 1`,
    [text, offset, limit],
  );
  return { rows: await withRuns(reading, rows), total: Number(total) };
}

export async function readState(reading: Reading, name: string): Promise<BoardState | undefined> {
  const { query, tables } = reading;
  const rows = await query(
    "read",
    (has) => `with names as (select name from (${names(tables, has)}) as every where name = $1)
      ${rowsOf(tables, has)}`,
    [name],
  );
  const [state] = await withRuns(reading, rows);
  return state;
}

async function withRuns(reading: Reading, rows: readonly Row[]): Promise<readonly BoardState[]> {
  const last = await lastRuns(
    reading,
    rows.flatMap(([name]) => name ?? []),
  );
  return rows.map(([name, changed, objects, sealed, holder, waiting]) => {
    const lastRun = last.get(name ?? "");
    const isThere = changed !== null && changed !== undefined;
    return {
      name: name ?? "",
      changedMs: isThere ? Number(changed) : (lastRun?.sinceMs ?? 0),
      objects: Number(objects),
      sealed: isThere && sealed === "1",
      waiting: Number(waiting),
      ...(lastRun === undefined ? {} : { lastRun }),
      ...holderIn(holder ?? undefined),
    };
  });
}

function holderIn(text: string | undefined): Pick<BoardState, "holder"> {
  if (text === undefined) return {};
  const info = decodeLock(new TextEncoder().encode(text));
  if (info === undefined) return {};
  const { who, host, operation, createdMs } = info;
  const told = { who: `${who}@${host}`, operation: plainCommand(operation), sinceMs: createdMs };
  return { holder: told };
}

const reportsMax = 100;

export async function readDrift(reading: Reading, state: string): Promise<BoardDrift> {
  const schedule = await readSchedule(reading, state);
  return {
    ...(await readReports(reading, state)),
    ...(schedule === undefined ? {} : { schedule }),
  };
}

/** The schema of the queue may be closed to who reads: then nothing is told of it. */
async function readSchedule(
  { query, tables }: Reading,
  state: string,
): Promise<BoardDrift["schedule"]> {
  const { schema, table } = tables.schedule;
  const [[readable = null] = []] = await query(
    "read",
    () => `select case when has_schema_privilege(schema.oid, 'usage')
        and has_table_privilege(found.oid, 'select') then '1' end
      from pg_class as found join pg_namespace as schema on schema.oid = found.relnamespace
      where schema.nspname = $1 and found.relname = $2`,
    [schema, table],
  );
  if (readable === null) return undefined;
  const [row] = await query(
    "read",
    () => `select cron, timezone from ${schema}.${table} where name = $1 and key = $2`,
    [scheduleQueue, scheduleKey(state)],
  );
  if (row === undefined) return undefined;
  const [cron = "", zone = "UTC"] = row;
  return { cron: cron ?? "", zone: zone ?? "UTC" };
}

async function readReports({ query, tables }: Reading, state: string): Promise<BoardDrift> {
  const { submission, event } = tables;
  const reports = `from ${event} as event
      join ${submission} as asked on asked.id = event.submission
    where asked.state = $1 and asked.kind = 'drift'
      and event.line like '%"type":"drift_report"%'
    order by event.at desc`;
  const count = (name: string): string => `counts ->> '${name}'`;
  const rows = await query(
    "read",
    (has) =>
      has("event")
        ? `select ${msOf("at")}, ${["objects", "drifted", "differing", "missing"].map(count).join()}
          from (select event.at, event.line::json -> 'report' -> 'counts' as counts
            ${reports} limit ${reportsMax}) as told`
        : undefined,
    [state],
  );
  const points = rows.map(([at, objects, ...found]) => ({
    createdMs: Number(at),
    objects: Number(objects ?? 0),
    found: found.reduce((sum, text) => sum + Number(text ?? 0), 0),
  }));
  if (points.length === 0) return { reports: [], found: [] };
  const [[line = null] = []] = await query("read", () => `select line ${reports} limit 1`, [state]);
  return { reports: points.toReversed(), found: foundIn(line ?? "{}") };
}

const differing: ReadonlySet<string> = new Set(["drifted", "differs", "missing"]);

function foundIn(line: string): BoardDrift["found"] {
  const objects = memberOf(memberOf(parseJson(line), "report"), "objects");
  return (isList(objects) ? objects : []).flatMap((object) => {
    const [address, verdict] = [memberOf(object, "address"), memberOf(object, "verdict")];
    if (typeof address !== "string" || typeof verdict !== "string") return [];
    return differing.has(verdict) ? [{ address, verdict }] : [];
  });
}
