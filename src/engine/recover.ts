/**
 * Recovery: closes operations that an interrupted run began and did not end. It never runs them
 * again: it polls, or reads until settled, writes what was seen, and leaves the rest to planning.
 */

import { shellWord } from "../lib/shell-word.ts";
import type { Wait } from "../model/operation/event.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import { whileWaiting } from "../model/operation/wait.ts";
import type { ProviderSession } from "../model/provider/provider.ts";
import type { BeginEntry } from "../model/recorded/begin-entry.ts";
import { type Endpoint, relateEndpoints } from "../model/recorded/endpoint.ts";
import type { EndEntry } from "../model/recorded/journal.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { equalValues, type Value } from "../model/value/value.ts";
import { likenessOf } from "../plan/before/recognize.ts";
import { dated } from "./begun.ts";
import type { Ledger } from "./ledger.ts";
import { endpointOf } from "./look/endpoints.ts";
import type { EnginePorts } from "./ports.ts";
import { createMovedAlong, type MovedAlong } from "./run/moved-along.ts";
import { chosenIdentity } from "./send/entries.ts";
import {
  locateAloud,
  resolveHint,
  type SettledAloud,
  type Settling,
  settleAloud,
  sleepAloud,
} from "./send/settling.ts";
import {
  type FollowedTask,
  followTask,
  type LocatedTask,
  locateTask,
  shownByMs,
  type TaskNews,
} from "./send/task.ts";
import { seenText } from "./send/unmet.ts";
import type { Sessions } from "./sessions.ts";
import {
  attributesOf,
  effectGraceMs,
  existenceOf,
  restingListener,
  type Settled,
} from "./settle.ts";
import { another, elsewhere, left, overdue, undecided, unreachable } from "./unrecovered.ts";

/**
 * `settle`: waits until each has ended or its limit has passed. `look`: looks once, and leaves open
 * what may still happen.
 */
export type RecoveryPatience = "settle" | "look";

/**
 * Waits run concurrently. Returns what could not be closed, and what was left open. `configured`
 * are the present settings of providers: they count only where they name the very server at its
 * new address.
 */
export async function closeInterrupted(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  configured: ReadonlyMap<string, Value> = new Map(),
  patience: RecoveryPatience = "settle",
): Promise<readonly Diagnostic[]> {
  const open = ledger.open();
  if (open.length === 0) return [];
  const sessionOf = (begin: BeginEntry) => sessionOfBegin(sessions, begin, configured);
  const recorded = new Map(ledger.state().providers.map((item) => [item.name, item.settings]));
  const along = createMovedAlong({
    ...{ ports, ledger },
    sessionOf: (name) => sessions.get(name, configured.get(name) ?? recorded.get(name) ?? null),
  });
  const recovery: Recovery = { ports, ledger, patience, sessionOf, along };
  const results = await Promise.all(open.map((begin) => closeOne(recovery, begin)));
  return results.flatMap((result) => result ?? []);
}

/** Where it was begun, and nowhere else: another server knows nothing of it. */
async function sessionOfBegin(
  sessions: Sessions,
  { subject: { provider }, settings, endpoint }: BeginEntry,
  configured: ReadonlyMap<string, Value>,
): Promise<ProviderSession> {
  const now = configured.get(provider);
  if (endpoint?.instance !== undefined && now !== undefined && !equalValues(now, settings)) {
    const moved = await sessionAt(sessions, provider, now, endpoint.instance);
    if (moved !== undefined) return moved;
  }
  return sessions.get(provider, settings);
}

/** Undefined where another server is spoken to, or none that answers. */
async function sessionAt(
  sessions: Sessions,
  provider: string,
  settings: Value,
  instance: string,
): Promise<ProviderSession | undefined> {
  try {
    const session = await sessions.get(provider, settings);
    return (await endpointOf(session))?.instance === instance ? session : undefined;
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

type Recovery = {
  readonly ports: EnginePorts;
  readonly ledger: Ledger;
  readonly patience: RecoveryPatience;
  readonly sessionOf: (begin: BeginEntry) => Promise<ProviderSession>;
  readonly along: MovedAlong;
};

async function closeOne(recovery: Recovery, opened: BeginEntry): Promise<Diagnostic | undefined> {
  const { ports, ledger, patience } = recovery;
  const begin = dated(ports.clock, opened, patience);
  const { id, verb } = begin;
  const { address } = begin.subject;
  const deadlineMs = begin.atMs + begin.proof.limitMs;
  const nowMs = ports.clock.now();
  if (patience === "settle") {
    ports.events({ kind: "recovery-started", address, id, verb, deadlineMs });
  }
  let session: ProviderSession;
  let located: LocatedTask;
  try {
    session = await recovery.sessionOf(begin);
    const present = await endpointOf(session);
    if (isElsewhere(begin, present)) return elsewhere(begin, present);
    located = await locate(recovery, session, begin);
  } catch (error) {
    if (error instanceof RemoteError) return unreachable(begin, error.message, nowMs);
    throw error;
  }
  if (located.status === "unreadable") return unreachable(begin, located.message, nowMs);
  if (begin.proof.unobservable && begin.repeat === "unsafe" && located.status === "unknown") {
    return undecided(begin, nowMs);
  }
  const mayShow = located.status === "none" && nowMs < shownByMs(begin);
  if (patience === "look" && mayShow) return left(begin, undefined, nowMs);
  const task = await followed(recovery, session, begin, located);
  if (task.status === "overdue") {
    return patience === "look" ? left(begin, task.word, nowMs) : overdue(begin, task.word, nowMs);
  }
  if (task.status === "lost") return unreachable(begin, task.message, nowMs);
  const settled = await settleAfter(recovery, session, begin, task);
  if (settled.givenUp !== undefined) return unreachable(begin, settled.reason ?? "", nowMs);
  const difference = differenceOf(ports, begin, settled);
  if (difference !== undefined) return another(begin, difference);
  const isOpen = patience === "look" && task.status === "unknown" && nowMs < deadlineMs;
  if (isOpen && !settled.met) return left(begin, seenText(begin.proof.expect, settled), nowMs);
  const closed = closedEntry(ports, begin, settled, task);
  const { outcome } = closed;
  await ledger.append([
    begin.atMs === opened.atMs ? closed : { ...closed, begunMs: begin.atMs },
    ...(outcome === "success" ? await recovery.along.read([begin]) : []),
  ]);
  ports.events({ kind: "recovery-ended", address, id, outcome, message: closed.message ?? "" });
  return undefined;
}

function isElsewhere({ endpoint }: BeginEntry, present: Endpoint | undefined): present is Endpoint {
  if (endpoint === undefined || present === undefined) return false;
  return relateEndpoints(endpoint, present) === "other";
}

/** How what is read is another object than the one that the operation was begun on. */
function differenceOf(
  { types }: EnginePorts,
  { subject: { type, knownBy } }: BeginEntry,
  { observation }: Settled,
): string | undefined {
  const described = types[type];
  if (described === undefined || knownBy === undefined) return undefined;
  if (observation?.status !== "found") return undefined;
  const likeness = likenessOf(described, knownBy, observation.attributes);
  return typeof likeness === "string" ? undefined : likeness.difference;
}

/** How the task of an interrupted request was left; `none` and `unknown` as located. */
type Followed = FollowedTask | { readonly status: "none" } | { readonly status: "unknown" };
type Readable = Exclude<LocatedTask, { status: "unreadable" }>;

async function locate(
  { ports, patience }: Recovery,
  session: ProviderSession,
  begin: BeginEntry,
): Promise<LocatedTask> {
  if (begin.handle !== undefined) return { status: "found", handle: begin.handle };
  if (!ports.rules.findTask) return { status: "unknown" };
  const nowMs = ports.clock.now();
  if (patience === "settle") {
    const what = `looking for the remote task of the interrupted ${begin.verb}`;
    return locateAloud(ports, session, begin, { what, untilMs: nowMs, ...ways(begin) });
  }
  // As if its time were over: asked once.
  if (begin.proof.requestLimitMs === undefined) return locateTask(session, ports.clock, begin);
  const proof = { ...begin.proof, requestLimitMs: nowMs - begin.atMs };
  return locateTask(session, ports.clock, { ...begin, proof });
}

function ways({ subject: { address } }: BeginEntry): Pick<Settling, "wayOut" | "absenceMs"> {
  return { wayOut: resolveHint(address), absenceMs: 0 };
}

async function followed(
  { ports, ledger, patience }: Recovery,
  session: ProviderSession,
  begin: BeginEntry,
  located: Readable,
): Promise<Followed> {
  if (located.status !== "found") return located;
  const { handle } = located;
  const { id, planId, verb } = begin;
  const { address } = begin.subject;
  const { clock, events } = ports;
  if (begin.handle === undefined) await ledger.append([{ kind: "handle", planId, id, handle }]);
  const isLook = patience === "look";
  const untilMs = isLook ? clock.now() : begin.atMs + begin.proof.limitMs;
  let words: string | undefined;
  const onNews = (news: TaskNews): void => {
    const isTrouble = "trouble" in news;
    words = isTrouble ? news.trouble : `its remote task is ${news.word}`;
    if (!isLook && !isTrouble) events({ kind: "operation-progress", address, id, ...news });
  };
  const what = `waiting for the end of the interrupted ${verb}`;
  const wayOut = `Ctrl-C is safe; to cancel it: vmform action ${shellWord(address)} cancel-task`;
  const wait: Wait = { rank: "work", what, address, untilMs, words: () => words, wayOut };
  return whileWaiting(events, wait, () =>
    followTask(session, clock, handle, { untilMs, absenceMs: 0, onNews }),
  );
}

/** A task that ended has had its effect, and no task has none; else only the limit settles. */
async function settleAfter(
  { ports, patience }: Recovery,
  session: ProviderSession,
  begin: BeginEntry,
  task: Followed,
): Promise<SettledAloud> {
  const { clock, rules } = ports;
  const waits = task.status === "unknown" && rules.settle && patience === "settle";
  const untilMs = waits ? begin.atMs + begin.proof.limitMs : clock.now();
  const what = `looking what became of the interrupted ${begin.verb}`;
  if (begin.proof.unobservable) {
    // What cannot be read may still be on its way: a later request must not overtake it.
    await sleepAloud(ports, begin.subject.address, { what, untilMs, ...ways(begin) });
    return { met: task.status === "success", observation: undefined };
  }
  if (task.status === "success" && begin.proof.lagging && rules.waitForGuest) {
    const limitMs = patience === "settle" ? begin.atMs + begin.proof.limitMs : clock.now();
    const endsOn = restingListener(clock, begin);
    return settleAloud(ports, session, begin, { what, untilMs: limitMs, endsOn });
  }
  const shows = task.status === "success" || task.status === "vanished";
  const { lagMs = effectGraceMs } = patience === "settle" ? begin.proof : {};
  const graceMs = shows ? lagMs : 0;
  const settling = { what, untilMs: untilMs + graceMs, wayOut: resolveHint(begin.subject.address) };
  // Of a task that has ended, what it told counts where no read is answered.
  return settleAloud(ports, session, begin, waits ? { ...settling, absenceMs: 0 } : settling);
}

function closedEntry(
  ports: EnginePorts,
  begin: BeginEntry,
  settled: Settled,
  task: Followed,
): EndEntry {
  // What is there without a task of ours that has made it is somebody else's.
  const made = task.status !== "none" && task.status !== "failed";
  const foreign = begin.effect.kind === "create" && !made;
  const observation = foreign ? undefined : settled.observation;
  const met = settled.met && !foreign;
  const existence = existenceOf(observation);
  // As of an end: what the task told and no read can tell, under what a read shows.
  const tells = task.status === "failed" || (met && task.status === "success");
  const told = tells ? task.attributes : undefined;
  const attributes = { ...told, ...attributesOf(observation) };
  // A task that has ended, and shows nothing of itself, will have no effect any more.
  const ended = task.status !== "unknown" && observation !== undefined;
  const definite = !made || ended;
  const outcome = met ? "success" : definite ? "failed" : "unknown";
  return {
    kind: "closed",
    planId: begin.planId,
    id: begin.id,
    outcome,
    atMs: ports.clock.now(),
    ...(existence === undefined ? {} : { existence }),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...chosenIdentity(begin, met ? observation : undefined),
    message: closedText(begin, met, task),
  };
}

function closedText({ verb }: BeginEntry, met: boolean, task: Followed): string {
  if (task.status === "none") {
    const none = `the server shows no task of ${verb}`;
    return met ? `${none}, and its effect is there` : `${none}, so it counts as not arrived`;
  }
  if (met && task.status === "success" && task.message !== undefined) return task.message;
  if (met) return `${verb} had taken effect`;
  if (task.status === "failed") return `${verb} has failed: ${task.message}`;
  return `${verb} has had no effect that can be read`;
}
