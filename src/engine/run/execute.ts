/**
 * Executes one operation: *begin* durable before the request, the effect read back, *end* durable
 * before anything else starts because of it.
 */

import {
  checkOf,
  judgedBy,
  type Operation,
  type PreparedOperation,
} from "../../model/operation/operation.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import { equalValues } from "../../model/value/value.ts";
import { lookBeforehand } from "../send/beforehand.ts";
import { beginEntry, endEntry } from "../send/entries.ts";
import { type Sent, send } from "../send/send.ts";
import { settleAloud } from "../send/settling.ts";
import { notSeenText } from "../send/unmet.ts";
import type { Settled } from "../settle.ts";
import { judgeLate } from "./conditions.ts";
import type { Executed, Execution } from "./execution.ts";
import { prepare } from "./late-values.ts";
import { checkReplacement } from "./replacement-check.ts";
import { isSpared, shownHere } from "./twins.ts";

const needlessText = "not needed: what it was for is done already";

/** A closing word read back as without effect is sent again this often. */
const closingRetries = 3;
const closingPauseMs = 1_000;

export async function execute(execution: Execution, operation: Operation): Promise<Executed> {
  const { ports, sessions, settings } = execution;
  const refusal = await execution.latePolicies(operation);
  if (refusal !== undefined) return { outcome: "failed", message: refusal };
  const check = checkOf(operation);
  if (check !== undefined) return checkReplacement(execution, operation, check);
  const conditions = judgedBy(operation);
  if (conditions.length > 0) return judgeLate(execution, operation, conditions);
  const prepared = await prepare(execution, operation);
  if ("message" in prepared) return { outcome: "failed", message: prepared.message };
  const provider = settings.get(operation.subject.provider) ?? null;
  const session = await sessions.get(operation.subject.provider, provider);
  if (operation.request.preview === undefined) return wait(execution, session, prepared.operation);
  const needless = needlessNow(execution, operation);
  if (needless !== undefined) {
    await journalPair(execution, prepared.operation, { met: true, observation: undefined });
    return { outcome: "success", message: needless };
  }
  if (await isSpared(execution, session, operation)) {
    return { outcome: "success", message: needlessText };
  }
  const shown = await shownHere(execution, session, operation);
  if (shown?.met === true) {
    await journalPair(execution, prepared.operation, shown);
    return { outcome: "success", message: needlessText };
  }
  const before = await lookBeforehand(execution, session, operation);
  if (before?.status === "forbidden") return { outcome: "failed", message: before.message };
  if (before?.status === "satisfied") {
    await journalPair(execution, prepared.operation, {
      met: true,
      observation: before.observation,
    });
    return { outcome: "success" };
  }
  const attempts =
    operation.request.closing === true && ports.rules.retryClosing ? 1 + closingRetries : 1;
  let ended = await attempt(execution, session, prepared.operation);
  for (let count = 1; count < attempts && isRepeatable(ended); count += 1) {
    await ports.clock.sleep(closingPauseMs * count);
    ended = await attempt(execution, session, prepared.operation);
  }
  return {
    outcome: ended.outcome === "unknown" ? "failed" : ended.outcome,
    ...(ended.message === undefined ? {} : { message: ended.message }),
  };
}

/** What an earlier operation told, and is recorded by now, may leave nothing to do. */
function needlessNow({ ledger }: Execution, operation: Operation): string | undefined {
  const { address } = operation.subject;
  const { unneededBy } = operation.request;
  if (unneededBy === undefined) return undefined;
  const { attribute, equals, why } = unneededBy;
  const known = ledger.object(address)?.attributes[attribute];
  return known !== undefined && equalValues(known, equals) ? why : undefined;
}

/** A task that still runs is not repeated: it may yet have its effect. */
function isRepeatable({ outcome }: Sent): boolean {
  return outcome !== "success" && outcome !== "open";
}

async function wait(
  execution: Execution,
  session: ProviderSession,
  operation: PreparedOperation,
): Promise<Executed> {
  const { ports } = execution;
  const { id, summary: what } = operation;
  const { limitMs } = operation.proof;
  const untilMs = ports.clock.now() + limitMs;
  const settled = await settleAloud(ports, session, operation, { what, id, untilMs });
  await journalPair(execution, operation, settled);
  if (settled.met) return { outcome: "success" };
  return { outcome: "failed", message: notSeenText(operation, settled) };
}

/** Begin and end in one write, for what sent no request. */
async function journalPair(
  execution: Execution,
  operation: PreparedOperation,
  settled: Settled,
): Promise<void> {
  const outcome = settled.met ? "success" : "failed";
  const begin = beginEntry(execution, operation);
  await execution.ledger.append([
    begin,
    endEntry(execution, operation, { outcome, observed: settled }),
  ]);
}

/** One begin, at most one effective request, one end. */
async function attempt(
  execution: Execution,
  session: ProviderSession,
  operation: PreparedOperation,
): Promise<Sent> {
  const begin = beginEntry(execution, operation, await session.serverTime?.());
  await execution.ledger.append([begin]);
  const ended = await send(execution, session, operation, begin);
  if (ended.outcome !== "open") {
    const end = endEntry(execution, operation, ended);
    const isDone = ended.outcome === "success";
    if (isDone) execution.twins.done(operation);
    // In one write: a run that is killed in between would leave its own change as drift.
    const along = isDone ? await execution.along.read([operation]) : [];
    await execution.ledger.append([end, ...along]);
  }
  return ended;
}
