/**
 * The board on the tables of a database. Pages are read by a session of their own; approving goes
 * through the queue of workers, by the same function as `vmform approve`, and its audit is written
 * in that transaction. Declining and cancelling are a statement each.
 */

import type { Board, Deed, Person } from "../../model/board/board.ts";
import { isConsent } from "../../model/operation/disruption.ts";
import { savedPlanSum } from "../../plan/plan-file.ts";
import { stopBoss } from "../../queue/boss.ts";
import { cancelChannel } from "../../queue/cancelling.ts";
import { type Connection, connect } from "../../queue/connection.ts";
import { recordApproval } from "../../queue/fleet.ts";
import { submissionStatements, textIn } from "../../queue/submissions.ts";
import { fleetTables } from "../../queue/tables.ts";
import { noteAudit, readAgents, readAudit } from "./lists.ts";
import { createReading, type Reading, type ReadingOptions } from "./reading.ts";
import { needOf, readPlan, readRun } from "./run-detail.ts";
import { readRuns } from "./runs.ts";
import { readDrift, readState, readStates } from "./states.ts";
import { auditInsert, boardTables } from "./tables.ts";

export type DatabaseBoardOptions = ReadingOptions & {
  /** Why the queue cannot be loaded here, which approving needs. */
  readonly noQueue: { readonly why: string; readonly fix: string } | undefined;
  readonly onError: (error: Error) => void;
};

/** Throws `StoreError` where the database cannot be used now. */
export async function openDatabaseBoard(options: DatabaseBoardOptions): Promise<Board> {
  const reading = createReading(options);
  const { query, tables } = reading;
  await reading.prepare();
  let connecting: Promise<Connection> | undefined;
  const queue = (): Promise<Connection> => {
    connecting ??= connect({ ...options, supervises: false, sessionsMax: 2 }).catch(
      (error: unknown) => {
        connecting = undefined;
        throw error;
      },
    );
    return connecting;
  };
  return {
    location: options.location,
    states: (text, paging) => readStates(reading, text, paging),
    state: (name) => readState(reading, name),
    runs: (filter, paging) => readRuns(reading, filter, paging),
    run: (id) => readRun(reading, id),
    waiting: async () => {
      const [[count = "0"] = []] = await query("read", (has) =>
        has("submission")
          ? `select count(*)::text from ${tables.submission} where status = 'needs_approval'`
          : "select '0'",
      );
      return Number(count);
    },
    drift: (state) => readDrift(reading, state),
    agents: () => readAgents(reading),
    audit: (paging) => readAudit(reading, paging),
    approve: async (id, approved, person) => {
      if (options.noQueue !== undefined) return { done: false, ...options.noQueue };
      return approve(await queue(), options.schema, { id, ...approved }, person);
    },
    decline: async (id, planId, person) => {
      if (await isDeclined(reading, options.schema, { id, planId }, person)) return { done: true };
      return (await readRun(reading, id))?.status === "needs-approval" ? anotherPlan : gone;
    },
    cancel: (id, planId, person) => cancel(reading, options.schema, { id, planId }, person),
    note: (entry) => noteAudit(reading, entry),
    close: async () => {
      await reading.close();
      const connection = await connecting?.catch(() => undefined);
      if (connection !== undefined) await stopBoss(connection.boss, 0);
    },
  };
}

type Named = { readonly id: string; readonly planId: string };

/** In one statement with its audit. No worker has it, and none is told. */
async function isDeclined(
  { query, tables }: Reading,
  schema: string,
  { id, planId }: Named,
  { who, via }: Person,
): Promise<boolean> {
  const { decline } = submissionStatements(fleetTables(schema));
  const rows = await query(
    "write",
    (has) =>
      has("submission")
        ? `with ended as (${decline})
          insert into ${tables.audit} (who, via, action, subject, detail)
            select $4, $5, 'decline', ended.id, '' from ended returning subject`
        : undefined,
    [id, `Declined by ${who}@web, by ${via}.`, planId, who, via],
  );
  return rows.length > 0;
}

/** The same, and the worker that has it is told. */
async function cancel(
  { query, tables }: Reading,
  schema: string,
  { id, planId }: Named,
  { who, via }: Person,
): Promise<Deed> {
  const statement = submissionStatements(fleetTables(schema)).cancel;
  const [row] = await query(
    "write",
    (has) =>
      has("cancellation")
        ? `with cancelled as (${statement}), noted as (
            insert into ${tables.audit} (who, via, action, subject, detail)
              select $2, $5, 'cancel', cancelled.id,
                case status when 'cancelled' then '' else 'asked its worker to stop it' end
              from cancelled)
          select status, pg_notify($6, id)::text from cancelled`
        : undefined,
    [id, who, `web, by ${via}`, planId, via, cancelChannel(schema)],
  );
  if (row === undefined) return taken;
  return row[0] === "cancelled" ? { done: true } : { done: true, told: asked };
}

const asked = "Its worker was asked to stop it: what has begun ends, and nothing else is begun.";

type Approved = { readonly id: string; readonly planId: string; readonly kinds: readonly string[] };

/** All in one transaction, with the row held: nothing of it is another's by then. */
async function approve(
  connection: Connection,
  schema: string,
  { id, planId, kinds }: Approved,
  { who, via }: Person,
): Promise<Deed> {
  const { said, inTransaction } = connection;
  const tables = boardTables(schema);
  return said("write", () =>
    inTransaction(async (inside, db): Promise<Deed> => {
      const [row] = await inside(
        `select plan from ${tables.submission}
          where id = $1 and status = 'needs_approval' for update`,
        [id],
      );
      const text = row === undefined ? undefined : textIn(row, "plan");
      if (text === undefined) return gone;
      if (savedPlanSum(text) !== planId) return anotherPlan;
      const { plan } = readPlan(text);
      if (plan === undefined) return encrypted;
      const needed = needOf(plan, text).kinds.map(({ kind }) => kind);
      const missing = needed.filter((kind) => !kinds.includes(kind));
      if (missing.length > 0) return withoutConsent(missing);
      // What was not asked for is not agreed to either.
      const allowed = needed.filter(isConsent);
      const given = { id, shownSum: planId, who, host: `web, by ${via}`, allowed };
      if (!(await recordApproval(connection, inside, db, given))) return gone;
      const detail = allowed.length === 0 ? "needed no consent" : allowed.join(", ");
      await inside(auditInsert(tables), [who, via, "approve", id, detail]);
      return { done: true };
    }),
  );
}

const gone: Deed = {
  done: false,
  why: "It does not wait for an approval by now.",
  fix: "See below what became of it.",
};
const anotherPlan: Deed = {
  done: false,
  why: "It was planned anew since the page was shown.",
  fix: "Look at the plan as it is now.",
};
const taken: Deed = {
  done: false,
  why: "It neither waits for a worker nor has one by now, or waits with another plan.",
  fix: "See below what became of it.",
};
const encrypted: Deed = {
  done: false,
  why: "Its plan is encrypted, and cannot be shown here.",
  fix: "Approve it with vmform approve.",
};

function withoutConsent(kinds: readonly string[]): Deed {
  return {
    done: false,
    why: `The plan needs your consent to ${kinds.join(", ")}.`,
    fix: "Agree to each, or leave it.",
  };
}
