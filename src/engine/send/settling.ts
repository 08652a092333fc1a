/**
 * Settling that people know of: what is looked for, what the last read said, until when, and what
 * to do about it. It ends early where the endpoint does not answer any more.
 */

import { shellWord } from "../../lib/shell-word.ts";
import type { Wait } from "../../model/operation/event.ts";
import type { OperationId } from "../../model/operation/operation.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { Address } from "../../model/value/address.ts";
import type { EnginePorts } from "../ports.ts";
import { type Expected, type ReadListener, type Settled, settle } from "../settle.ts";
import { type LocatedTask, locateTask, shownByMs } from "./task.ts";
import { seenText } from "./unmet.ts";

/** An endpoint that a run works with may be away for a moment, milliseconds. */
export const absenceLimitMs = 60_000;
/** Reads without an answer before it counts as away, each with the repeats of the client. */
const unansweredReadsMin = 3;

export type Settling = Pick<Wait, "what" | "wayOut" | "announced"> & {
  readonly id?: OperationId;
  /** Why it is not known, until a read says more. */
  readonly reason?: string;
  readonly untilMs: number;
  /** How long no read may be answered; without it, until the end. */
  readonly absenceMs?: number;
  /** True when it is not worth waiting for any more, for another reason than a read. */
  readonly isOver?: () => boolean;
  /** A read that shows what will not change any more: it counts like one at the limit. */
  readonly endsOn?: ReadListener;
};

/** `given up`: before the limit, without an answer or because it was over. */
export type SettledAloud = Settled & { readonly givenUp?: "unanswered" | "over" };

export async function settleAloud(
  { clock, events }: Pick<EnginePorts, "clock" | "events">,
  session: ProviderSession,
  expected: Expected,
  settling: Settling,
): Promise<SettledAloud> {
  const { untilMs, absenceMs, isOver, endsOn, reason, ...about } = settling;
  let words = reason;
  let givenUp: SettledAloud["givenUp"];
  let unanswered = 0;
  let answeredMs = clock.now();
  const onRead: ReadListener = (read) => {
    words = seenText(expected.proof.expect, read) ?? words;
    unanswered = read.unanswered === true ? unanswered + 1 : 0;
    if (unanswered === 0) answeredMs = clock.now();
    const isAway = absenceMs !== undefined && clock.now() - answeredMs >= absenceMs;
    const isGone = isAway && unanswered >= unansweredReadsMin;
    // What is known at the limit is judged by the limit.
    if (clock.now() < untilMs) givenUp = isGone ? "unanswered" : overOr(isOver);
    return givenUp !== undefined || endsOn?.(read) === true;
  };
  const { address } = expected.subject;
  const wait: Wait = { rank: "work", address, untilMs, words: () => words, ...about };
  const settled = await whileWaiting(events, wait, () =>
    settle(session, clock, expected, untilMs, onRead),
  );
  return givenUp === undefined || settled.met ? settled : { ...settled, givenUp };
}

/** Looks for the remote task of a request that was not answered. */
export function locateAloud(
  { clock, events }: Pick<EnginePorts, "clock" | "events">,
  session: ProviderSession,
  begin: BeginEntry,
  settling: Settling,
): Promise<LocatedTask> {
  const { untilMs: _limit, absenceMs, isOver: _over, endsOn: _ends, reason, ...about } = settling;
  const untilMs = shownByMs(begin);
  const words = (): string | undefined => reason;
  const wait: Wait = { rank: "work", address: begin.subject.address, untilMs, words, ...about };
  return whileWaiting(events, wait, () => locateTask(session, clock, begin, absenceMs));
}

/** Waits until then, where no read can tell anything. */
export function sleepAloud(
  { clock, events }: Pick<EnginePorts, "clock" | "events">,
  address: Address,
  settling: Settling,
): Promise<void> {
  const { untilMs, absenceMs: _absence, isOver: _over, endsOn: _ends, reason, ...about } = settling;
  const words = (): string | undefined => reason;
  return whileWaiting(events, { rank: "work", address, untilMs, words, ...about }, () =>
    clock.sleep(Math.max(0, untilMs - clock.now())),
  );
}

function overOr(isOver: (() => boolean) | undefined): SettledAloud["givenUp"] {
  return isOver?.() === true ? "over" : undefined;
}

/** What ends the wait for an operation that nobody has seen the end of. */
export function resolveHint(address: Address): string {
  return (
    "Ctrl-C is safe, the next run goes on looking; where you know that it did not happen, then: " +
    `vmform state resolve ${shellWord(address)} --not-done`
  );
}
