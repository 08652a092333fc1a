/**
 * One call and what becomes of it. What was never taken by an agent was never sent, and that is
 * proved; what was taken and is not answered may have happened, as a request without a reply.
 */

import type { Clock } from "../model/clock.ts";
import { RemoteError, type RemoteErrorKind } from "../model/operation/remote-error.ts";
import type { SendAttempt } from "../model/provider/provider.ts";
import { travelTextMax } from "./answer.ts";
import {
  type CallMethod,
  type Channel,
  ChannelError,
  changingMethods,
  type Presence,
  type RefusalReason,
  type SiteAnswer,
  type SiteCall,
  siteProtocol,
} from "./call.ts";
import { decode, encode } from "./codec.ts";

export type Traveller = {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Of vmform. */
  readonly version: string;
  readonly site: string;
  /** What is the same of all calls of the session. */
  readonly common: Pick<SiteCall, "session" | "provider" | "settings" | "access">;
  /** How long a site without an agent is waited for, milliseconds. */
  readonly waitMs: number;
  /** Since when there has been no agent, or one that is silent. */
  absentSinceMs: number | undefined;
  /** Hears that an agent is waited for, and that it is there again. */
  readonly tell?: (message: string) => void;
};

export type Asked = {
  readonly method: CallMethod;
  readonly words: readonly unknown[];
  /** When nobody waits any more, by the clock of this machine. Absent: while the agent is there. */
  readonly endByMs?: number;
  readonly operation?: SendAttempt & { readonly operationId: string };
};

/** After which a change is withdrawn that lies there: an agent takes it at once, else is busy. */
const startMs = 30_000;
/** The same of a read, which may wait behind hundreds of others. */
const readStartMs = 120_000;
/** How often it is looked whether the agent is still there, milliseconds. */
const lookMs = 2_000;
const absencePauseMs = 500;
/** What was answered is there for longer than that (`queue/sites/definitions.ts`: an hour). */
const keptMs = 30 * 60 * 1000;
/** What the engine waits before it asks again for one that is absent. */
const putOffMs = 2_000;
/** A read that was lost on the way is made again this often. */
const readTriesMax = 3;

function isChanging(method: CallMethod): boolean {
  return (changingMethods as readonly string[]).includes(method);
}

/** Gives what the method gives there, and throws what it throws: `RemoteError`. */
export async function exchange(
  traveller: Traveller,
  asked: Asked,
): Promise<SiteAnswer & { status: "done" }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await exchangeOnce(traveller, asked);
    } catch (error) {
      const lost = error instanceof LostOnTheWay;
      if (!lost || isChanging(asked.method) || tries === readTriesMax) throw error;
    }
  }
}

/** Nothing was told of the call itself. */
class LostOnTheWay extends RemoteError {}

async function exchangeOnce(
  traveller: Traveller,
  asked: Asked,
): Promise<SiteAnswer & { status: "done" }> {
  const { channel, clock, site } = traveller;
  const agent = await requireAgent(traveller, asked);
  const { nowMs, fence } = await handing(traveller, channel.mark);
  const offeredMs = clock.now();
  const restMs = asked.endByMs === undefined ? undefined : Math.max(0, asked.endByMs - offeredMs);
  // What begins at the last moment would hardly be answered.
  const patienceMs = Math.min(
    isChanging(asked.method) ? startMs : readStartMs,
    (restMs ?? Number.POSITIVE_INFINITY) / 2,
  );
  const id = traveller.newId();
  const call: SiteCall = {
    protocol: siteProtocol,
    version: traveller.version,
    site,
    ...traveller.common,
    method: asked.method,
    words: asked.words,
    notAfterMs: nowMs + patienceMs,
    endByMs: nowMs + (restMs ?? longestMs),
    ...(fence === undefined || !isChanging(asked.method) ? {} : { fence }),
    ...(asked.operation === undefined ? {} : { operation: asked.operation }),
  };
  const isThere = await offer(traveller, id, callText(call));
  const waiting = {
    id,
    agent,
    isThere,
    // What may not have come is not waited for: it is withdrawn, or was taken by then.
    startByMs: offeredMs + (isThere ? patienceMs : 0),
    endByMs: offeredMs + (restMs ?? longestMs),
    changes: isChanging(asked.method),
  };
  return interpret(traveller, await answerOf(traveller, waiting));
}

function callText(call: SiteCall): string {
  const text = encode(call);
  if (text.length <= travelTextMax) return text;
  const message = `a call of ${text.length} characters is too large to travel to ${call.site}`;
  throw new RemoteError({ kind: "invalid", effect: "none", message });
}

/** No call takes longer: a listing of everything, at a slow server. */
const longestMs = 60 * 60 * 1000;

/** An agent that speaks as we do. Throws `RemoteError` when there is none in time. */
async function requireAgent(traveller: Traveller, { method }: Asked): Promise<Presence> {
  const { channel, clock, site, waitMs } = traveller;
  for (;;) {
    const present = await handing(traveller, () => channel.present(site));
    if (present !== undefined && present.silentSinceMs === undefined) {
      if (traveller.absentSinceMs !== undefined) {
        traveller.tell?.(`the agent of the site ${site} is there`);
      }
      traveller.absentSinceMs = undefined;
      requireSuited(traveller, present, method);
      return present;
    }
    const message = missingText(traveller, present);
    if (traveller.absentSinceMs === undefined) {
      traveller.absentSinceMs = clock.now();
      if (waitMs > 0) traveller.tell?.(`${message}; it is waited for`);
    }
    const isOver = clock.now() - traveller.absentSinceMs >= waitMs;
    if (isOver) throw unsent(message, "unavailable");
    // The engine waits itself, since it has to begin anew what begins so late.
    if (method === "send") {
      throw new LostOnTheWay({ kind: "busy", effect: "none", message, retryAfterMs: putOffMs });
    }
    await clock.sleep(absencePauseMs);
  }
}

/** Without an agent, or with one that keeps its place and is silent. */
function missingText({ site, channel }: Traveller, agent: Presence | undefined): string {
  if (agent?.silentSinceMs === undefined) {
    return `no agent of the site ${site} is there (${channel.place})`;
  }
  const since = new Date(agent.silentSinceMs).toISOString();
  return `the agent of the site ${site} on ${agent.host} is silent since ${since}`;
}

function requireSuited({ site, version }: Traveller, present: Presence, method: CallMethod): void {
  if (present.protocol !== siteProtocol) {
    throw new RemoteError({
      kind: "precondition",
      effect: "none",
      message:
        `the agent of the site ${site} is vmform ${present.version}, which calls of vmform ` +
        `${version} cannot be handed to: install the same version on both sides`,
    });
  }
  if (present.readOnly && isChanging(method)) {
    const message = `the agent of the site ${site} is read-only and changes nothing`;
    throw new RemoteError({ kind: "forbidden", effect: "none", message });
  }
}

/** False where nobody has told that it is there: it may be there all the same. */
async function offer(traveller: Traveller, id: string, text: string): Promise<boolean> {
  try {
    await traveller.channel.offer(traveller.site, id, text);
    return true;
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    if (!error.offered) throw unsent(wayText(traveller, error), "unavailable");
    return false;
  }
}

type Waiting = {
  readonly id: string;
  readonly agent: Presence;
  /** It was handed over for certain. */
  readonly isThere: boolean;
  readonly startByMs: number;
  readonly endByMs: number;
  readonly changes: boolean;
};

/** Throws `RemoteError` where there is none. */
async function answerOf(traveller: Traveller, waiting: Waiting): Promise<string> {
  const { channel, clock, site } = traveller;
  const { id, agent, isThere, startByMs, endByMs, changes } = waiting;
  // A read that is gone was lost, whoever had it: it is made again. A change that was answered long
  // ago is gone as well, so that later on nothing proves that it never came.
  const isKnown = (): boolean => changes && (isThere || clock.now() >= startByMs + keptMs);
  let taken = false;
  let heardMs = clock.now();
  for (;;) {
    const fromMs = clock.now();
    const untilMs = Math.min(fromMs + lookMs, taken ? endByMs : startByMs, endByMs);
    const withinMs = Math.max(1, untilMs - fromMs);
    const answered = await patiently(traveller, () => channel.answer(site, id, withinMs));
    if (answered !== undefined && answered !== unheard) return answered;
    const present = await patiently(traveller, () => channel.present(site));
    if (present !== unheard) heardMs = clock.now();
    const gone = (): boolean =>
      present !== unheard && isGoneFor(present, agent, { taken, changes });
    const isGone = gone();
    const isDeaf = !changes && clock.now() - heardMs >= deafMs;
    const isOver = clock.now() >= endByMs || isGone || isDeaf;
    if (!isOver && (taken || clock.now() < startByMs)) continue;
    if (!taken) {
      const withdrawn = await patiently(traveller, () => channel.withdraw(site, id, isKnown()));
      if (withdrawn === "never-taken") throw notTaken(site, isThere);
      taken = withdrawn === "taken";
      if (!isOver || (isGone && !gone() && clock.now() < endByMs)) continue;
    }
    // It may have been answered just before the agent went.
    const last = await patiently(traveller, () => channel.answer(site, id, 1));
    if (last !== undefined && last !== unheard) return last;
    throw unanswered(site, { isGone, changes });
  }
}

/** A change that a silent agent has taken may still be sent: it is waited for. */
function isGoneFor(
  present: Presence | undefined,
  { agent }: Presence,
  { taken, changes }: { readonly taken: boolean; readonly changes: boolean },
): boolean {
  if (present?.agent !== agent) return true;
  return present.silentSinceMs !== undefined && !(taken && changes);
}

const troublePauseMs = 500;
/** A read waits no longer for a channel that is out of order, milliseconds. */
const deafMs = 30_000;
const unheard = Symbol("the channel is out of order");

/** What was handed over is still there when the channel is in order again. */
async function patiently<T>(
  { clock }: Traveller,
  work: () => Promise<T>,
): Promise<T | typeof unheard> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    await clock.sleep(troublePauseMs);
    return unheard;
  }
}

function notTaken(site: string, isThere: boolean): RemoteError {
  const message = isThere
    ? `the agent of the site ${site} did not take the call in time`
    : `the call was cut off on its way to the site ${site}`;
  return unsent(message, "unavailable");
}

function unanswered(
  site: string,
  { isGone, changes }: { readonly isGone: boolean; readonly changes: boolean },
): RemoteError {
  const why = isGone ? "has ended since" : "has not answered";
  return new LostOnTheWay({
    kind: "timeout",
    effect: changes ? "unknown" : "none",
    message: `the agent of the site ${site} took the call and ${why}`,
  });
}

/** Proved: nobody has taken it, and nobody will. */
function unsent(message: string, kind: RemoteErrorKind): RemoteError {
  return new LostOnTheWay({ kind, effect: "none", message });
}

async function handing<T>(traveller: Traveller, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    throw unsent(wayText(traveller, error), "unavailable");
  }
}

function wayText({ site, channel }: Traveller, { message }: ChannelError): string {
  return `the site ${site} cannot be reached by way of ${channel.place}: ${message}`;
}

const kindsOfRefusal: { readonly [reason in RefusalReason]: RemoteErrorKind } = {
  late: "unavailable",
  claim: "unavailable",
  lost: "unavailable",
  ending: "unavailable",
  fenced: "busy",
  "read-only": "forbidden",
  endpoint: "forbidden",
  protocol: "precondition",
};

function interpret({ site }: Traveller, text: string): SiteAnswer & { status: "done" } {
  const answer = answerFrom(text);
  switch (answer?.status) {
    case "done":
      return answer;
    case "failed":
      throw new RemoteError(answer.error);
    case "refused": {
      const { reason, message } = answer;
      const kind = kindsOfRefusal[reason];
      const detail = { kind, effect: "none", message: `${message} (site ${site})` } as const;
      throw reason === "lost" ? new LostOnTheWay(detail) : new RemoteError(detail);
    }
    case undefined: {
      const message = `the agent of the site ${site} answered what cannot be read`;
      throw new RemoteError({ kind: "protocol", effect: "unknown", message });
    }
  }
}

/** Undefined of what is none. */
function answerFrom(text: string): SiteAnswer | undefined {
  try {
    const answer = decode(text);
    const isAnswer = typeof answer === "object" && answer !== null && "status" in answer;
    return isAnswer ? (answer as SiteAnswer) : undefined;
  } catch {
    return undefined;
  }
}
