/**
 * Recovery: closes operations that an interrupted run began and did not end. It never runs them
 * again: it polls, or reads until settled, writes what was seen, and leaves the rest to planning.
 */

import type { Diagnostic } from "../model/diagnostic.ts";
import type { BeginEntry, EndEntry } from "../model/journal.ts";
import type { ProviderSession } from "../model/provider.ts";
import { RemoteError } from "../model/remote-error.ts";
import type { Value } from "../model/value.ts";
import type { Ledger } from "./ledger.ts";
import type { EnginePorts } from "./ports.ts";
import type { Sessions } from "./sessions.ts";
import { attributesOf, existenceOf, type Settled, settle } from "./settle.ts";
import { followTask } from "./task.ts";

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
  let handle = begin.handle;
  try {
    session = await sessions.get(begin.provider, begin.settings);
    handle ??= await session.findTask?.(begin);
  } catch (error) {
    if (error instanceof RemoteError) return unreachable(begin, error.message);
    throw error;
  }
  if (begin.unobservable && begin.repeat === "unsafe" && handle === undefined) {
    return undecided(begin);
  }
  const task = await followed(ports, ledger, session, begin, handle);
  const untilMs = settleUntil(ports, begin, task);
  // What cannot be read may still be on its way: a later request must not overtake it.
  if (begin.unobservable) await ports.clock.sleep(Math.max(0, untilMs - ports.clock.now()));
  const settled = begin.unobservable
    ? { met: task === "success", observation: undefined }
    : await settle(session, ports.clock, begin, untilMs);
  const closed = closedEntry(ports, begin, settled);
  await ledger.append([closed]);
  const { outcome } = closed;
  ports.events({ kind: "recovery-ended", address, id, outcome, message: closed.message ?? "" });
  return undefined;
}

async function followed(
  ports: EnginePorts,
  ledger: Ledger,
  session: ProviderSession,
  begin: BeginEntry,
  handle: Value | undefined,
): Promise<"none" | "success" | "ended"> {
  if (handle === undefined) return "none";
  if (begin.handle === undefined) {
    await ledger.append([{ kind: "handle", planId: begin.planId, id: begin.id, handle }]);
  }
  const untilMs = begin.atMs + begin.limitMs;
  const task = await followTask(session, ports.clock, handle, untilMs);
  return task.status === "success" ? "success" : "ended";
}

/** A task that ended has had its effect; without one, only the limit settles. */
function settleUntil(ports: EnginePorts, begin: BeginEntry, task: string): number {
  if (task !== "none" || !ports.rules.settle) return ports.clock.now();
  return begin.atMs + begin.limitMs;
}

function closedEntry(ports: EnginePorts, begin: BeginEntry, settled: Settled): EndEntry {
  const existence = existenceOf(settled.observation);
  const attributes = attributesOf(settled.observation);
  const outcome = settled.met ? "success" : "unknown";
  return {
    kind: "closed",
    planId: begin.planId,
    id: begin.id,
    outcome,
    atMs: ports.clock.now(),
    ...(existence === undefined ? {} : { existence }),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    message: settled.met
      ? `${begin.verb} had taken effect`
      : `${begin.verb} has had no effect that can be read`,
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
