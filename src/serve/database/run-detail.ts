/** One run in full: what was submitted with its plan and events, or a record of the history. */

import { JsonError, parseJson } from "../../lib/json.ts";
import type {
  ApprovalNeed,
  BoardEvent,
  BoardRun,
  BoardRunDetail,
  BoardStatus,
} from "../../model/board/board.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { RunRecord } from "../../model/recorded/run-record.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { memberOf } from "../../model/value/value.ts";
import { decodePlan, isSealedPlan, PlanFileError, savedPlanSum } from "../../plan/plan-file.ts";
import { approvalsIn, cancellationIn } from "../../queue/submissions.ts";
import { openRun } from "../../state/form/run-lines.ts";
import type { Row } from "../../store/postgres/session.ts";
import { createSeal, noKeys } from "../../store/seal/seal.ts";
import type { Reading } from "./reading.ts";
import { allRuns, msOf, plainCommand, readRuns, workerLocks } from "./runs.ts";

const eventsMax = 300;

export async function readRun(reading: Reading, id: string): Promise<BoardRunDetail | undefined> {
  if (id === "") return undefined;
  const { query, tables } = reading;
  const rows = await query(
    "read",
    (has) => `select count(*)::text from (${allRuns(tables, has)}) as runs where id = $1`,
    [id],
  );
  if ((rows[0]?.[0] ?? "0") === "0") return undefined;
  const found = await readRuns(reading, { text: id }, { offset: 0, limit: 50 });
  const run = found.rows.find((one) => one.id === id);
  if (run === undefined) return undefined;
  return (await submitted(reading, run)) ?? (await recorded(reading, run));
}

/** Undefined where nobody submitted it. */
async function submitted(reading: Reading, run: BoardRun): Promise<BoardRunDetail | undefined> {
  const { query, tables } = reading;
  const { submission: table, run: history, lease } = tables;
  const [row] = await query(
    "read",
    (has) =>
      has("submission")
        ? `select detail, plan, approvals,
            ${has("cancellation") ? "cancellation" : "null"}, ${String(has("cancellation"))}::text
          from ${table} where id = $1`
        : undefined,
    [run.id],
  );
  if (row === undefined) return undefined;
  const [detail = null, text = null, approvals = null, cancellation = null, stops = null] = row;
  const wish = cancellationIn(cancellation);
  const status: BoardStatus = run.status;
  const { plan, sealed } = readPlan(text);
  const [[record = null] = []] = await query(
    "read",
    (has) =>
      has("run")
        ? `select record from ${history} as run where left(record, 1) = '{'
            and record::json ->> 'lockId' in (
              select locks.id from (${workerLocks(lease)}) as locks where submission = $1)
            order by saved_at desc limit 1`
        : undefined,
    [run.id],
  );
  const waits = status === "needs-approval" && plan !== undefined && text !== null;
  return {
    ...run,
    what: "",
    sealed,
    approvals: approvalsIn(approvals ?? "[]").map(({ who, host, atMs, allowed }) => {
      return { who: `${who}@${host}`, atMs, kinds: allowed };
    }),
    planId: text === null ? "" : savedPlanSum(text),
    mayDecline: waits,
    mayCancel:
      stops === "true" && (status === "queued" || (status === "running" && wish === undefined)),
    ...(wish === undefined
      ? {}
      : { cancellation: { who: `${wish.who}@${wish.host}`, atMs: wish.atMs } }),
    ...(await readEvents(reading, run.id)),
    ...(detail === null ? {} : { message: detail }),
    ...(plan === undefined ? {} : { plan }),
    ...(waits ? { need: needOf(plan, text) } : {}),
    ...recordIn(record),
  };
}

async function recorded({ query, tables }: Reading, run: BoardRun): Promise<BoardRunDetail> {
  const [[text = null] = []] = await query(
    "read",
    () => `select run.record from ${tables.run} as run join ${tables.state} as state
      on state.id = run.state where run.id = $1 and state.name = $2`,
    [run.id, run.state],
  );
  const { record } = recordIn(text);
  return {
    ...run,
    ...(record === undefined ? {} : { record }),
    sealed: record === undefined,
    approvals: [],
    events: [],
    eventsLeftOut: 0,
    planId: "",
    mayDecline: false,
    mayCancel: false,
  };
}

/** A record that is sealed, or is none, is as if there were none. */
function recordIn(text: string | null): { readonly record?: RunRecord } {
  if (text === null) return {};
  try {
    const record = openRun(text, createSeal("", noKeys));
    if (record === undefined) return {};
    return { record: { ...record, command: plainCommand(record.command) } };
  } catch (error) {
    if (error instanceof StoreError) return {};
    throw error;
  }
}

export function readPlan(text: string | null): { readonly plan?: Plan; readonly sealed: boolean } {
  if (text === null) return { sealed: false };
  const bytes = new TextEncoder().encode(text);
  if (isSealedPlan(bytes)) return { sealed: true };
  try {
    return { plan: decodePlan(bytes, undefined), sealed: false };
  } catch (error) {
    // Of a later version: it is not shown, and so not approved here.
    if (error instanceof PlanFileError) return { sealed: false };
    throw error;
  }
}

export function needOf(plan: Plan, text: string): ApprovalNeed {
  const kinds = new Map<string, string[]>();
  for (const { disruption, address } of missingConsent(plan)) {
    const known = kinds.get(disruption) ?? [];
    kinds.set(disruption, [...known, address]);
  }
  return {
    planId: savedPlanSum(text),
    kinds: [...kinds].map(([kind, addresses]) => ({ kind, addresses })),
  };
}

async function readEvents(
  { query, tables }: Reading,
  id: string,
): Promise<Pick<BoardRunDetail, "events" | "eventsLeftOut">> {
  const { event } = tables;
  const from = `from ${event} as event where submission = $1
    and line not like '%"type":"drift_report"%'`;
  const [[count = "0"] = []] = await query("read", () => `select count(*)::text ${from}`, [id]);
  const rows = await query(
    "read",
    () => `select ${msOf("at")}, line ${from} order by event.number desc limit ${eventsMax}`,
    [id],
  );
  const events = rows.toReversed().flatMap((row) => eventIn(row) ?? []);
  return { events, eventsLeftOut: Math.max(0, Number(count) - rows.length) };
}

function eventIn([at, line]: Row): BoardEvent | undefined {
  const text = messageOf(line ?? "");
  return text === "" ? undefined : { atMs: Number(at), text };
}

/** Of a line that is no message, the line itself. */
function messageOf(line: string): string {
  try {
    const text = memberOf(parseJson(line), "@message");
    return typeof text === "string" ? text : "";
  } catch (error) {
    if (error instanceof JsonError) return line;
    throw error;
  }
}
