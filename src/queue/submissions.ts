/** Statements on submissions, and their rows as they are meant. */

import { parseJson, stringifyJson } from "../lib/json.ts";
import type {
  Approval,
  Cancellation,
  NewSubmission,
  Submission,
  SubmissionOptions,
} from "../model/fleet/submission.ts";
import { submissionKinds, submissionStatuses } from "../model/fleet/submission.ts";
import type { FleetTables } from "./tables.ts";

/** As the driver gives it: texts, whole numbers, booleans, null. */
export type Row = { readonly [column: string]: unknown };

/** The rows of one statement. */
export type Sql = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint::text`;

const columns = `id, state, kind, status, who, host, ${ms("asked_at")} as asked_ms, bundle, options,
  version, scheduled, plan is not null as planned, approved, approvals, attempt, worker,
  ${ms("started_at")} as started_ms, ${ms("ended_at")} as ended_ms, exit_code, detail,
  cancellation`;

const planSum = "encode(sha256(convert_to(plan, 'UTF8')), 'hex')";

export function submissionStatements({ bundle, submission, event }: FleetTables) {
  /** Of whoever has taken it last: $1 the id, $2 the attempt. */
  const held = "id = $1 and attempt = $2 and status = 'running'";
  return {
    /** One that is there is as good as packed now, so that it is not pruned meanwhile. */
    keepBundle: `insert into ${bundle} (sha256, bytes) values ($1, $2)
      on conflict (sha256) do update set packed_at = clock_timestamp()`,
    bundle: `select bytes from ${bundle} where sha256 = $1`,
    insert: `insert into ${submission}
        (id, state, kind, status, who, host, bundle, options, version, scheduled)
      values ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, $9) returning ${columns}`,
    find: `select ${columns} from ${submission} where starts_with(id, $1) limit 2`,
    list: `select ${columns} from ${submission} order by asked_at desc limit $1`,
    /** Of a scheduled check that has not ended yet: then the next one is left out. */
    unended: `select id from ${submission}
      where state = $1 and scheduled and status in ('queued', 'running') limit 1`,
    events: `select number::text, line from ${event} as event
      where submission = $1 and event.number > $2 order by event.number limit 1000`,
    /** A worker that died has left it running: then it is taken from there. */
    take: `update ${submission} set status = 'running', attempt = attempt + 1, worker = $2,
        started_at = clock_timestamp(), ended_at = null, exit_code = null, detail = null
      where id = $1 and status in ('queued', 'running') returning ${columns}, plan`,
    /** In one go, and only one of them at a time: numbers are in the order of what was written. */
    tell: `with held as (select id from ${submission} where ${held} for update)
      insert into ${event} (submission, line)
      select held.id, line from held, unnest($3::text[]) with ordinality as given(line, nth)
      order by nth returning submission`,
    keepPlan: `update ${submission} set plan = $3, approved = $4 where ${held} returning id`,
    /** Where somebody has asked it to stop, it neither waits nor is it for another worker. */
    end: `update ${submission} set status = $3, exit_code = $4, detail = $5,
        ended_at = clock_timestamp()
      where ${held} and ($3 <> 'needs_approval' or cancellation is null) returning id`,
    putBack: `update ${submission} set status = 'queued', detail = $3
      where ${held} and cancellation is null returning state`,
    plan: `select plan from ${submission} where id = $1`,
    waitingPlan: `select plan, ${planSum} as sum from ${submission}
      where id = $1 and status = 'needs_approval' and plan is not null`,
    /** Consent is to the plan that was shown ($5), not to another that came since. */
    approve: `update ${submission} set status = 'queued', detail = null, approved = true,
        approvals = (approvals::jsonb || jsonb_build_object('who', $2::text, 'host', $3::text,
          'atMs', (extract(epoch from clock_timestamp()) * 1000)::bigint,
          'allowed', $4::jsonb))::text
      where id = $1 and status = 'needs_approval' and ${planSum} = $5 returning state`,
    /** Of the plan that was shown ($3). */
    decline: `update ${submission} set status = 'declined', ended_at = clock_timestamp(),
        detail = $2 where id = $1 and status = 'needs_approval' and ${planSum} = $3 returning id`,
    /**
     * By whom ($2 at $3), with this plan ($4, or any). What waits for a worker ends: its delivery
     * is still to come, and finds nothing to do. Of what one has, the first wish is recorded.
     */
    cancel: `update ${submission} set
        status = case status when 'queued' then 'cancelled' else status end,
        ended_at = case status when 'queued' then clock_timestamp() else ended_at end,
        detail = case status when 'queued' then 'Cancelled by ' || $2 || '@' || $3 || '.'
          else detail end,
        cancellation = coalesce(cancellation, jsonb_build_object('who', $2::text,
          'host', $3::text, 'atMs', (extract(epoch from clock_timestamp()) * 1000)::bigint)::text)
      where id = $1 and (status = 'running'
        or status = 'queued' and ($4::text is null or $4 = coalesce(${planSum}, '')))
      returning id, status`,
    /** Of those of $1 that somebody wants to end. */
    cancellations: `select id, cancellation from ${submission}
      where id = any($1::text[]) and cancellation is not null`,
    /** One that was given up as often as it may be. */
    giveUp: `update ${submission} set status = 'failed', ended_at = clock_timestamp(), detail = $2
      where id = $1 and status in ('queued', 'running')`,
  } as const;
}

export function insertValues(
  id: string,
  { state, kind, who, host, options, version }: Omit<NewSubmission, "bundle">,
  bundle: string,
  scheduled: boolean,
): readonly unknown[] {
  return [id, state, kind, who, host, bundle, stringifyJson(options), version, scheduled];
}

/** Throws for a row that nobody here has written. */
export function submissionIn(row: Row): Submission {
  const text = (name: string): string => textIn(row, name) ?? "";
  const optional = <K extends string, T>(name: K, value: T | undefined): { [key in K]?: T } =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one member of that name
    value === undefined ? {} : ({ [name]: value } as { [key in K]: T });
  return {
    id: text("id"),
    state: text("state"),
    kind: oneOf(submissionKinds, text("kind")),
    status: oneOf(submissionStatuses, text("status")),
    who: text("who"),
    host: text("host"),
    askedMs: Number(text("asked_ms")),
    bundle: text("bundle"),
    options: optionsIn(text("options")),
    version: text("version"),
    planned: row["planned"] === true,
    approved: row["approved"] === true,
    approvals: approvalsIn(text("approvals")),
    attempt: Number(row["attempt"]),
    scheduled: row["scheduled"] === true,
    ...optional("worker", textIn(row, "worker")),
    ...optional("startedMs", numberIn(row, "started_ms")),
    ...optional("endedMs", numberIn(row, "ended_ms")),
    ...optional("exitCode", numberIn(row, "exit_code")),
    ...optional("detail", textIn(row, "detail")),
    ...optional("cancellation", cancellationIn(textIn(row, "cancellation"))),
  };
}

export function textIn(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === "string" ? value : undefined;
}

function numberIn(row: Row, name: string): number | undefined {
  const value = row[name];
  return value === null || value === undefined ? undefined : Number(value);
}

function oneOf<T extends string>(words: readonly T[], word: string): T {
  const found = words.find((one) => one === word);
  if (found === undefined) throw new Error(`a submission says ${JSON.stringify(word)}`);
  return found;
}

/** Written by `insertValues`. */
function optionsIn(text: string): SubmissionOptions {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own tables hold our own
  return parseJson(text) as unknown as SubmissionOptions;
}

/** As a row has it; undefined where nobody has asked. */
export function cancellationIn(text: string | null | undefined): Cancellation | undefined {
  if (text === undefined || text === null) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own tables hold our own
  return parseJson(text) as unknown as Cancellation;
}

/** As a row has them. */
export function approvalsIn(text: string): readonly Approval[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own tables hold our own
  return parseJson(text) as unknown as readonly Approval[];
}
