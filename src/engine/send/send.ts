/**
 * Sending the one mutating request of an operation, and finding out what became of it: from the
 * reply, from its remote task, and at last from a read.
 */

import type { PreparedOperation } from "../../model/operation/operation.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { ProviderSession, SendResult, TaskResult } from "../../model/provider/provider.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import type { Ledger } from "../ledger.ts";
import { effectGraceMs, isChanging, isSilent, restingListener, type Settled } from "../settle.ts";
import { readAfterFailure, readOnce } from "./after-failure.ts";
import { lookBeforehand } from "./beforehand.ts";
import type { Ended, EntryContext } from "./entries.ts";
import { mayRepeat, tryUntilMs } from "./repeat.ts";
import {
  absenceLimitMs,
  locateAloud,
  resolveHint,
  type SettledAloud,
  type Settling,
  settleAloud,
  sleepAloud,
} from "./settling.ts";
import { followTask, locateAtLast, type TaskNews, taskAbsenceMs } from "./task.ts";
import { type Claim, unmetText } from "./unmet.ts";

export type Sending = EntryContext & {
  readonly ledger: Ledger;
  /** The request was answered and a task is polled: its slot is free. */
  readonly freeSlot: (id: string) => void;
  /** True when the run shall end: nothing that was not sent is sent any more. */
  readonly isDraining: () => boolean;
  readonly tasks: RunningTasks;
};

/** Remote tasks that are being followed, so that a user can ask for them to be cancelled. */
export type RunningTasks = Map<
  string,
  { readonly session: ProviderSession; readonly handle: Value }
>;

/** `open`: the task still runs; the journal keeps the begin, and the next run attaches again. */
export type Sent = Ended | { readonly outcome: "open"; readonly message: string };

const nothingRead: Settled = { met: false, observation: undefined };

type Attempt = {
  readonly sending: Sending;
  readonly session: ProviderSession;
  readonly operation: PreparedOperation;
  readonly begin: BeginEntry;
  readonly deadlineMs: number;
};

export async function send(
  sending: Sending,
  session: ProviderSession,
  operation: PreparedOperation,
  begin: BeginEntry,
): Promise<Sent> {
  const { clock } = sending.ports;
  const deadlineMs = begin.atMs + operation.proof.limitMs;
  let attempt: Attempt = { sending, session, operation, begin, deadlineMs };
  const announce = announcer(attempt);
  let pauseMs = 500;
  let refused: RemoteError | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      const untilMs = tryUntilMs(operation, { nowMs: clock.now(), deadlineMs, tries });
      const tried = { planId: begin.planId, tries };
      return await afterReply(attempt, await session.send(operation, untilMs, tried));
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      // Not sent because its time was over: what it had waited for is the reason.
      const tooLate = error.kind === "timeout" && error.effect === "none";
      const reason: RemoteError = tooLate ? (refused ?? error) : error;
      const again = mayRepeat(operation, error, tries);
      if (reason === error && !again) return afterError(attempt, error);
      const pause = error.retryAfterMs ?? pauseMs;
      const isOver = reason !== error || clock.now() + pause >= deadlineMs;
      if (isOver) return afterError(attempt, reason, givenUpText(reason, operation.proof.limitMs));
      if (sending.isDraining()) return afterError(attempt, error);
      refused = error;
      announce(error.message, pause);
      await clock.sleep(pause);
      if (sending.isDraining()) return afterError(attempt, error);
      pauseMs = Math.min(pauseMs * 2, 10_000);
      const before = await lookAgain(attempt);
      if (before !== undefined) return before;
      attempt = await beginAgain(attempt);
    }
  }
}

function givenUpText({ message }: RemoteError, limitMs: number): string {
  return `${message}; given up at the limit of ${Math.round(limitMs / 1000)} s`;
}

/** What the server was busy with may have been just this, or have made it needless. */
async function lookAgain({ sending, session, operation }: Attempt): Promise<Ended | undefined> {
  if (operation.proof.requestLimitMs === undefined) return undefined;
  const before = await lookBeforehand(sending, session, operation);
  switch (before?.status) {
    case "satisfied":
      return { outcome: "success", observed: { met: true, observation: before.observation } };
    case "forbidden":
      return { outcome: "failed", observed: nothingRead, message: before.message };
    case undefined:
      return undefined;
  }
}

/**
 * A request that is repeated is sent long after its begin, and its task would be looked for in a
 * time when it could not have come yet. The same begin with a later time takes the place of the
 * first; the limit of the work stays.
 */
async function beginAgain(attempt: Attempt): Promise<Attempt> {
  const { sending, begin, deadlineMs } = attempt;
  const { clock, rules } = sending.ports;
  if (begin.proof.requestLimitMs === undefined || !rules.beginAgain) return attempt;
  const atMs = clock.now();
  const uptime = clock.uptime?.();
  const { serverTimeMs } = begin;
  const later: BeginEntry = {
    ...begin,
    atMs,
    ...(uptime === undefined ? {} : { uptime }),
    proof: { ...begin.proof, limitMs: Math.max(0, deadlineMs - atMs) },
    ...(serverTimeMs === undefined ? {} : { serverTimeMs: serverTimeMs + atMs - begin.atMs }),
  };
  await sending.ledger.append([later]);
  return { ...attempt, begin: later };
}

/**
 * Says why it waits, again only when that changes or a minute has passed. How far the work of
 * somebody else has come is no change.
 */
function announcer({ sending, operation }: Attempt): (message: string, pauseMs: number) => void {
  const { clock, events } = sending.ports;
  let told = "";
  let toldMs = 0;
  return (message, pauseMs) => {
    const gist = message.replaceAll(/\b\d+ %/g, "");
    if (gist === told && clock.now() - toldMs < 60_000) return;
    told = gist;
    toldMs = clock.now();
    const { id } = operation;
    const { address } = operation.subject;
    const text = `${message}; next try in ${Math.ceil(pauseMs / 1000)} s`;
    events({ kind: "operation-waiting", address, id, message: text });
  };
}

async function afterReply(attempt: Attempt, result: SendResult): Promise<Sent> {
  if (result.handle === undefined) return afterSuccess(attempt, result, "reply");
  const followed = await afterTask(attempt, result.handle);
  if (followed === "gone") return afterSuccess(attempt, result, "gone task");
  if ("outcome" in followed) return followed;
  const attributes = { ...result.attributes, ...followed.attributes };
  return afterSuccess(attempt, { ...result, ...followed, attributes }, "task");
}

/** What the task told when it ended well; or it is gone, and the object decides. */
async function afterTask(attempt: Attempt, handle: Value): Promise<Sent | TaskResult | "gone"> {
  const { sending, session, operation, begin, deadlineMs } = attempt;
  const { id, planId } = begin;
  const { address } = begin.subject;
  await sending.ledger.append([{ kind: "handle", planId, id, handle }]);
  sending.freeSlot(id);
  sending.tasks.set(id, { session, handle });
  const { clock, events } = sending.ports;
  const onNews = (news: TaskNews): void => {
    if (!("trouble" in news)) return events({ kind: "operation-progress", address, id, ...news });
    const message = `its remote task cannot be looked at: ${news.trouble}`;
    events({ kind: "operation-waiting", address, id, message });
  };
  const following = { untilMs: deadlineMs, absenceMs: taskAbsenceMs, onNews };
  const task = await followTask(session, clock, handle, following);
  sending.tasks.delete(id);
  switch (task.status) {
    case "overdue":
      return { outcome: "open", message: overdueText(operation.proof.limitMs, task.word) };
    case "lost":
      return { outcome: "open", message: lostText(task.message) };
    case "failed":
      return {
        outcome: "failed",
        message: task.message,
        observed: await readAfterFailure({ ...attempt, ports: sending.ports }),
        ...toldBy(task),
      };
    case "vanished":
      return "gone";
    case "success": {
      const { attributes, message: told } = task;
      return {
        ...(attributes === undefined ? {} : { attributes }),
        ...(told === undefined ? {} : { message: told }),
      };
    }
  }
}

const attaches = "the next run attaches to it again";

export function overdueText(limitMs: number, word: string): string {
  return (
    `its remote task is still ${word} after ${Math.round(limitMs / 1000)} s; ` +
    `it goes on there, and ${attaches}`
  );
}

function lostText(message: string): string {
  return `its remote task is out of sight: ${message}; it goes on there, and ${attaches}`;
}

async function afterSuccess(attempt: Attempt, result: TaskResult, claim: Claim): Promise<Ended> {
  const { sending, session, operation, deadlineMs } = attempt;
  const { rules } = sending.ports;
  const attributes = rules.readBack ? result.attributes : undefined;
  const told = {
    ...(attributes === undefined ? {} : { attributes }),
    ...(result.message === undefined ? {} : { message: result.message }),
  };
  if (operation.proof.unobservable && claim === "gone task") {
    const message = "its remote task is gone, and no read tells whether it took effect";
    return { outcome: "unknown", message, observed: nothingRead };
  }
  if (operation.proof.unobservable) {
    return { outcome: "success", observed: { met: true, observation: undefined }, ...told };
  }
  const { id, summary } = operation;
  const what = `waiting for the effect of: ${summary}`;
  const { ports } = sending;
  const isGuest = operation.proof.lagging && rules.waitForGuest;
  const waiting = isGuest
    ? { untilMs: deadlineMs, endsOn: restingListener(ports.clock, operation) }
    : { untilMs: effectUntilMs(attempt, claim) };
  let settled = await settleAloud(ports, session, operation, { what, id, ...waiting });
  const { observation } = settled;
  const isOpen =
    (observation !== undefined && isChanging(observation)) ||
    (operation.proof.lagMs !== undefined && isSilent(operation.proof.expect, settled));
  if (!settled.met && isOpen) {
    settled = await settleAloud(ports, session, operation, { what, id, untilMs: deadlineMs });
  }
  if (!settled.met) {
    return { outcome: "failed", observed: settled, message: unmetText(operation, settled, claim) };
  }
  return { outcome: "success", observed: settled, ...told };
}

/** How long a positive reply, or a task that succeeded, may be without an effect that is read. */
function effectUntilMs({ sending, operation, deadlineMs }: Attempt, claim: Claim): number {
  const { lagMs = effectGraceMs } = operation.proof;
  const untilMs = sending.ports.clock.now() + lagMs;
  // The limit is for the work; a task that ended just before it still has an effect to be read.
  return claim === "reply" ? Math.min(deadlineMs, untilMs) : untilMs;
}

async function afterError(
  attempt: Attempt,
  error: RemoteError,
  message = error.message,
): Promise<Sent> {
  const { sending, session, operation, deadlineMs } = attempt;
  if (error.effect === "unknown") return afterSilence(attempt, message, toldBy(error));
  if (operation.effect.kind === "create" && error.kind === "conflict") {
    return afterConflict(sending, session, operation, deadlineMs, error);
  }
  if (operation.proof.unobservable || !sending.ports.rules.readAfterError) {
    return { outcome: "failed", message, observed: nothingRead, ...toldBy(error) };
  }
  const observed = await readAfterFailure({ ...attempt, ports: sending.ports });
  return { outcome: observed.met ? "success" : "failed", message, observed, ...toldBy(error) };
}

function toldBy({
  attributes,
}: {
  readonly attributes?: Attributes | undefined;
}): Pick<Ended, "attributes"> {
  return attributes === undefined ? {} : { attributes };
}

/** No reply, or none that can be read: its task tells, else only the limit settles. */
async function afterSilence(
  attempt: Attempt,
  message: string,
  told: Pick<Ended, "attributes">,
): Promise<Sent> {
  const { sending, session, operation, begin, deadlineMs } = attempt;
  const { ports } = sending;
  const { clock, rules } = ports;
  if (begin.proof.requestLimitMs !== undefined && rules.findTask) {
    const wait = settlingOf(attempt, message);
    const located = await locateAloud(ports, session, begin, wait).then((found) =>
      found.status === "none" ? locateAtLast(ports, session, begin) : found,
    );
    if (located.status === "found") return afterReply(attempt, { handle: located.handle });
    // A create may be somebody else's; anything else that is there is as wanted.
    if (located.status === "none") {
      const observed =
        operation.effect.kind === "create" ? nothingRead : await readOnce(session, operation);
      if (observed.met) return { outcome: "success", message, observed };
      const lost = `${message}; the server lists no task of it, so the request did not arrive`;
      return { outcome: "failed", message: lost, observed };
    }
  }
  const wait = settlingOf(attempt, message);
  if (operation.proof.unobservable) {
    if (rules.settle) await sleepAloud(ports, operation.subject.address, wait);
    return { outcome: "unknown", message, observed: nothingRead, ...told };
  }
  const untilMs = rules.settle ? deadlineMs : clock.now();
  const observed = await settleAloud(ports, session, operation, { ...wait, untilMs });
  if (observed.givenUp !== undefined) {
    return { outcome: "open", message: givenUpLooking(message, observed) };
  }
  if (observed.met) return { outcome: "success", message, observed };
  return { outcome: "unknown", message, observed, ...told };
}

function settlingOf({ sending, operation, deadlineMs }: Attempt, reason: string): Settling {
  const { id, verb } = operation;
  const { address } = operation.subject;
  const { window } = operation.order;
  return {
    what: `looking whether ${verb} has happened`,
    wayOut: resolveHint(address),
    announced: true,
    id,
    reason,
    untilMs: deadlineMs,
    absenceMs: absenceLimitMs,
    // What closes a window is sent after this; not while it may still happen.
    isOver: () => window === undefined && sending.isDraining(),
  };
}

function givenUpLooking(message: string, { givenUp, reason = "" }: SettledAloud): string {
  const why = givenUp === "over" ? "not looked for any longer" : `no answer since: ${reason}`;
  return `${message}; ${why}; whether it happened, the next run finds out`;
}

/** Somebody else's object, unless we once began to create it ourselves. */
async function afterConflict(
  sending: Sending,
  session: ProviderSession,
  operation: PreparedOperation,
  deadlineMs: number,
  error: RemoteError,
): Promise<Ended> {
  const record = sending.ledger.object(operation.subject.address);
  const ours = record?.status === "tentative" && record.identity === operation.subject.identity;
  if (!ours || !sending.ports.rules.settleConflict) {
    return { outcome: "failed", message: error.message, observed: nothingRead };
  }
  const { id } = operation;
  const { address } = operation.subject;
  const observed = await settleAloud(sending.ports, session, operation, {
    what: "looking whether what is there is what an earlier run has begun",
    wayOut: resolveHint(address),
    announced: true,
    id,
    reason: error.message,
    untilMs: deadlineMs,
  });
  return { outcome: observed.met ? "success" : "unknown", message: error.message, observed };
}
