/**
 * Recovery: closes operations that an interrupted run began and did not end. It never runs them
 * again: it polls, or reads until settled, writes what was seen, and leaves the rest to planning.
 */

import type { Diagnostic } from "../model/diagnostic.ts";
import type { BeginEntry, EndEntry } from "../model/journal.ts";
import type { ProviderSession } from "../model/provider.ts";
import { RemoteError } from "../model/remote-error.ts";
import { chosenIdentity } from "./entries.ts";
import type { Ledger } from "./ledger.ts";
import type { EnginePorts } from "./ports.ts";
import { overdueText } from "./send.ts";
import type { Sessions } from "./sessions.ts";
import { attributesOf, existenceOf, type Settled, settle } from "./settle.ts";
import { type FollowedTask, followTask, type LocatedTask, locateTask } from "./task.ts";

/** A task that succeeded shows its effect within this time, or had none. */
const effectGraceMs = 5_000;

/** Waits run concurrently. Returns what could not be closed. */
export async function closeInterrupted(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
): Promise<readonly Diagnostic[]> {
  const results = await Promise.all(
    ledger.open().map((begin) => closeOne(ports, sessions, ledger, begin)),
  );
  return results.flatMap((result) => result ?? []);
}

async function closeOne(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  begin: BeginEntry,
): Promise<Diagnostic | undefined> {
  const { address, id, verb } = begin;
  const deadlineMs = begin.atMs + begin.limitMs;
  ports.events({ kind: "recovery-started", address, id, verb, deadlineMs });
  let session: ProviderSession;
  let located: LocatedTask;
  try {
    session = await sessions.get(begin.provider, begin.settings);
    located = await locate(ports, session, begin);
  } catch (error) {
    if (error instanceof RemoteError) return unreachable(begin, error.message);
    throw error;
  }
  if (located.status === "unreadable") return unreachable(begin, located.message);
  if (begin.unobservable && begin.repeat === "unsafe" && located.status === "unknown") {
    return undecided(begin);
  }
  const task = await followed(ports, ledger, session, begin, located);
  if (task.status === "overdue") return overdue(begin, task.word);
  const closed = closedEntry(ports, begin, await settleAfter(ports, session, begin, task), task);
  await ledger.append([closed]);
  const { outcome } = closed;
  ports.events({ kind: "recovery-ended", address, id, outcome, message: closed.message ?? "" });
  return undefined;
}

/** How the task of an interrupted request was left; `none` and `unknown` as located. */
type Followed = FollowedTask | { readonly status: "none" } | { readonly status: "unknown" };
type Readable = Exclude<LocatedTask, { status: "unreadable" }>;

async function locate(
  ports: EnginePorts,
  session: ProviderSession,
  begin: BeginEntry,
): Promise<LocatedTask> {
  if (begin.handle !== undefined) return { status: "found", handle: begin.handle };
  if (!ports.rules.findTask) return { status: "unknown" };
  return locateTask(session, ports.clock, begin);
}

async function followed(
  ports: EnginePorts,
  ledger: Ledger,
  session: ProviderSession,
  begin: BeginEntry,
  located: Readable,
): Promise<Followed> {
  if (located.status !== "found") return located;
  const { handle } = located;
  const { id, planId, address } = begin;
  if (begin.handle === undefined) await ledger.append([{ kind: "handle", planId, id, handle }]);
  const untilMs = begin.atMs + begin.limitMs;
  return followTask(session, ports.clock, handle, untilMs, (progress) => {
    ports.events({ kind: "operation-progress", address, id, ...progress });
  });
}

/** A task that ended has had its effect, and no task has none; else only the limit settles. */
async function settleAfter(
  ports: EnginePorts,
  session: ProviderSession,
  begin: BeginEntry,
  task: Followed,
): Promise<Settled> {
  const { clock, rules } = ports;
  const waits = task.status === "unknown" && rules.settle;
  const untilMs = waits ? begin.atMs + begin.limitMs : clock.now();
  if (begin.unobservable) {
    // What cannot be read may still be on its way: a later request must not overtake it.
    await clock.sleep(Math.max(0, untilMs - clock.now()));
    return { met: task.status === "success", observation: undefined };
  }
  const graceMs = task.status === "success" || task.status === "vanished" ? effectGraceMs : 0;
  return settle(session, clock, begin, untilMs + graceMs);
}

function closedEntry(
  ports: EnginePorts,
  begin: BeginEntry,
  settled: Settled,
  task: Followed,
): EndEntry {
  // What is there without a task of ours that has made it is somebody else's.
  const made = task.status !== "none" && task.status !== "failed";
  const foreign = begin.effect === "create" && !made;
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
    return met ? `${verb} was not sent, and its effect is there` : `${verb} had not been sent`;
  }
  if (met && task.status === "success" && task.message !== undefined) return task.message;
  if (met) return `${verb} had taken effect`;
  if (task.status === "failed") return `${verb} has failed: ${task.message}`;
  return `${verb} has had no effect that can be read`;
}

/** Left open, with its task recorded: whatever is planned would come on top of it. */
function overdue(begin: BeginEntry, word: string): Diagnostic {
  return {
    severity: "error",
    code: "RUN007",
    summary: "Remote task of an interrupted operation still runs",
    detail:
      `${begin.verb} of ${begin.address} was begun at ${new Date(begin.atMs).toISOString()}: ` +
      `${overdueText(begin.limitMs, word)}.`,
    fix: `Wait and run again, or cancel it: vmform action '${begin.address}' cancel-task`,
    address: begin.address,
  };
}

function undecided(begin: BeginEntry): Diagnostic {
  return {
    severity: "error",
    code: "RUN001",
    summary: "Outcome of an interrupted operation is unknown",
    detail:
      `${begin.verb} of ${begin.address} was begun at ${new Date(begin.atMs).toISOString()}, ` +
      "and nothing that can be read tells whether it took effect.",
    fix: `Look for yourself, then: vmform state resolve '${begin.address}' --done (or --not-done)`,
    address: begin.address,
  };
}

function unreachable(begin: BeginEntry, message: string): Diagnostic {
  return {
    severity: "error",
    code: "RUN002",
    summary: "Interrupted operation cannot be settled",
    detail: `${begin.verb} of ${begin.address} was begun and not ended: ${message}.`,
    fix: "Make the endpoint reachable and run again.",
    address: begin.address,
  };
}
