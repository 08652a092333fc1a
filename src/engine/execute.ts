/**
 * Executes one operation: *begin* durable before the request, the effect read back, *end* durable
 * before anything else starts because of it.
 */

import type { BeginEntry, EndEntry, OperationOutcome } from "../model/journal.ts";
import type { Observation } from "../model/observation.ts";
import type { Operation, PreparedOperation } from "../model/operation.ts";
import type { ProviderSession, SendResult } from "../model/provider.ts";
import { RemoteError } from "../model/remote-error.ts";
import { type Attributes, isKnown, type PlannedAttributes, type Value } from "../model/value.ts";
import type { LateReferences } from "./late-references.ts";
import type { Ledger } from "./ledger.ts";
import type { EnginePorts } from "./ports.ts";
import type { Sessions } from "./sessions.ts";
import {
  attributesOf,
  existenceOf,
  isChanging,
  isMet,
  readSubject,
  type Settled,
  settle,
} from "./settle.ts";
import { followTask } from "./task.ts";

export type Execution = {
  readonly ports: EnginePorts;
  readonly sessions: Sessions;
  readonly ledger: Ledger;
  readonly references: LateReferences;
  readonly planId: string;
  /** Settings by provider name. */
  readonly settings: ReadonlyMap<string, Value>;
  /** The request was answered and a task is polled: its slot is free. */
  readonly freeSlot: (id: string) => void;
};

export type Ended = {
  readonly outcome: OperationOutcome;
  readonly observed: Settled;
  readonly message?: string;
};

/** A positive reply whose effect no read shows within this time was without effect. */
const effectGraceMs = 5_000;
/** A closing word read back as without effect is sent again this often. */
const closingRetries = 3;
const closingPauseMs = 1_000;

export async function execute(
  execution: Execution,
  operation: Operation,
): Promise<{ readonly outcome: "success" | "failed"; readonly message?: string }> {
  const { ports, sessions, settings } = execution;
  const prepared = await prepare(execution, operation);
  if ("message" in prepared) return { outcome: "failed", message: prepared.message };
  const provider = settings.get(operation.provider) ?? null;
  const session = await sessions.get(operation.provider, provider);
  if (operation.request === undefined) return wait(execution, session, prepared.operation);
  if (isWorthAsking(execution, operation)) {
    const observation = await readSubject(session, operation);
    if (observation !== undefined && isSatisfied(operation, observation)) {
      await journalPair(execution, prepared.operation, { met: true, observation });
      return { outcome: "success" };
    }
  }
  const attempts = operation.closing && ports.rules.retryClosing ? 1 + closingRetries : 1;
  let ended = await attempt(execution, session, prepared.operation);
  for (let count = 1; count < attempts && ended.outcome !== "success"; count += 1) {
    await ports.clock.sleep(closingPauseMs * count);
    ended = await attempt(execution, session, prepared.operation);
  }
  return {
    outcome: ended.outcome === "success" ? "success" : "failed",
    ...(ended.message === undefined ? {} : { message: ended.message }),
  };
}

/** A word may be satisfied already; an object once begun may have appeared meanwhile. */
function isWorthAsking({ ports, ledger }: Execution, operation: Operation): boolean {
  if (operation.effect === "power") return ports.rules.skipSatisfied;
  const record = ledger.object(operation.address);
  const begun = record?.status === "tentative" && record.identity === operation.identity;
  return operation.effect === "create" && begun;
}

function isSatisfied(operation: Operation, observation: Observation): boolean {
  if (isMet(operation.expect, observation)) return true;
  return (operation.satisfiedBy ?? []).some((item) => isMet([item], observation));
}

/** Evaluates what was known only after apply. Throws `RemoteError` for a data source. */
async function prepare(
  execution: Execution,
  operation: Operation,
): Promise<{ readonly operation: PreparedOperation } | { readonly message: string }> {
  const values: { [name: string]: Value } = {};
  for (const [name, deferred] of Object.entries(operation.deferred)) {
    const lookup = await execution.references(deferred.references);
    const { value, problems } = execution.ports.evaluate(deferred, lookup);
    if (problems.length > 0) return { message: `${name}: ${problems.join("; ")}` };
    if (!isKnown(value)) return { message: `${name} is still unknown: ${deferred.template}` };
    values[name] = value;
  }
  const { inputs, records, deferred: _deferred, ...rest } = operation;
  const known = { ...rest, inputs: fill(inputs, values), records: fill(records, values) };
  const type = execution.ports.types[operation.type];
  const request = type?.request(operation.verb, operation.identity, known.inputs);
  return { operation: request === undefined ? known : { ...known, request } };
}

function fill(planned: PlannedAttributes, values: Attributes): Attributes {
  const filled: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(planned)) {
    const known = values[name] ?? value;
    if (isKnown(known)) filled[name] = known;
  }
  return filled;
}

async function wait(
  execution: Execution,
  session: ProviderSession,
  operation: PreparedOperation,
): Promise<{ readonly outcome: "success" | "failed"; readonly message?: string }> {
  const { clock } = execution.ports;
  const settled = await settle(session, clock, operation, clock.now() + operation.limitMs);
  await journalPair(execution, operation, settled);
  if (settled.met) return { outcome: "success" };
  return { outcome: "failed", message: `not seen within ${operation.limitMs / 1000} s` };
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
): Promise<Ended> {
  const begin = beginEntry(execution, operation, await session.serverTime?.());
  await execution.ledger.append([begin]);
  const ended = await send(execution, session, operation, begin);
  await execution.ledger.append([endEntry(execution, operation, ended)]);
  return ended;
}

async function send(
  execution: Execution,
  session: ProviderSession,
  operation: PreparedOperation,
  begin: BeginEntry,
): Promise<Ended> {
  const { clock } = execution.ports;
  const deadlineMs = begin.atMs + operation.limitMs;
  let pauseMs = 500;
  for (let tries = 1; ; tries += 1) {
    try {
      const result = await session.send(operation, deadlineMs);
      return await afterReply(execution, session, operation, begin, result);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      if (!mayRepeat(error, tries) || clock.now() + pauseMs >= deadlineMs) {
        return afterError(execution, session, operation, deadlineMs, error);
      }
      const pause = error.retryAfterMs ?? pauseMs;
      execution.ports.events({
        kind: "operation-waiting",
        address: operation.address,
        id: operation.id,
        message: `${error.message}; next try in ${Math.ceil(pause / 1000)} s`,
      });
      await clock.sleep(pause);
      pauseMs = Math.min(pauseMs * 2, 10_000);
    }
  }
}

/** Only a reply that proves no effect may be followed by the same request. */
function mayRepeat(error: RemoteError, tries: number): boolean {
  if (error.effect !== "none") return false;
  if (error.kind === "busy") return true;
  return (error.kind === "throttled" || error.kind === "unavailable") && tries < 5;
}

async function afterReply(
  execution: Execution,
  session: ProviderSession,
  operation: PreparedOperation,
  begin: BeginEntry,
  result: SendResult,
): Promise<Ended> {
  const { clock, rules } = execution.ports;
  const deadlineMs = begin.atMs + operation.limitMs;
  if (result.handle !== undefined) {
    const { id, planId } = begin;
    await execution.ledger.append([{ kind: "handle", planId, id, handle: result.handle }]);
    execution.freeSlot(operation.id);
    const task = await followTask(session, clock, result.handle, deadlineMs);
    if (task.status === "failed") {
      return {
        outcome: "failed",
        message: task.message,
        observed: await readOnce(session, operation),
      };
    }
  }
  if (operation.unobservable) {
    return { outcome: "success", observed: { met: true, observation: undefined } };
  }
  const graceMs = clock.now() + effectGraceMs;
  const untilMs = operation.lagging ? deadlineMs : Math.min(deadlineMs, graceMs);
  let settled = await settle(session, clock, operation, untilMs);
  const { observation } = settled;
  if (!settled.met && observation !== undefined && isChanging(observation)) {
    settled = await settle(session, clock, operation, deadlineMs);
  }
  if (!settled.met) {
    const message = "the server accepted the request, but its effect cannot be read back";
    return { outcome: "failed", observed: settled, message };
  }
  const attributes = rules.readBack ? result.attributes : undefined;
  return { outcome: "success", observed: withReply(settled, attributes) };
}

/** What the reply told and no read can tell (a new VM's name, while it is off). */
function withReply(settled: Settled, attributes: Attributes | undefined): Settled {
  const { observation } = settled;
  if (attributes === undefined || observation?.status !== "found") return settled;
  const merged = { ...attributes, ...observation.attributes };
  return { ...settled, observation: { ...observation, attributes: merged } };
}

async function afterError(
  execution: Execution,
  session: ProviderSession,
  operation: PreparedOperation,
  deadlineMs: number,
  error: RemoteError,
): Promise<Ended> {
  const { clock, rules } = execution.ports;
  const { message } = error;
  if (error.effect === "unknown") {
    if (operation.unobservable) {
      if (rules.settle) await clock.sleep(Math.max(0, deadlineMs - clock.now()));
      return { outcome: "unknown", message, observed: { met: false, observation: undefined } };
    }
    const untilMs = rules.settle ? deadlineMs : clock.now();
    const observed = await settle(session, clock, operation, untilMs);
    return { outcome: observed.met ? "success" : "unknown", message, observed };
  }
  if (operation.effect === "create" && error.kind === "conflict") {
    return afterConflict(execution, session, operation, deadlineMs, error);
  }
  if (operation.unobservable || !rules.readAfterError) {
    return { outcome: "failed", message, observed: { met: false, observation: undefined } };
  }
  const observed = await readOnce(session, operation);
  return { outcome: observed.met ? "success" : "failed", message, observed };
}

/** Somebody else's object, unless we once began to create it ourselves. */
async function afterConflict(
  execution: Execution,
  session: ProviderSession,
  operation: PreparedOperation,
  deadlineMs: number,
  error: RemoteError,
): Promise<Ended> {
  const record = execution.ledger.object(operation.address);
  const ours = record?.status === "tentative" && record.identity === operation.identity;
  if (!ours || !execution.ports.rules.settleConflict) {
    const observed = { met: false, observation: undefined };
    return { outcome: "failed", message: error.message, observed };
  }
  const observed = await settle(session, execution.ports.clock, operation, deadlineMs);
  return { outcome: observed.met ? "success" : "unknown", message: error.message, observed };
}

async function readOnce(session: ProviderSession, operation: PreparedOperation): Promise<Settled> {
  const observation = await readSubject(session, operation);
  const met = observation !== undefined && isMet(operation.expect, observation);
  return { met, observation };
}

function beginEntry(
  execution: Execution,
  operation: PreparedOperation,
  serverTimeMs?: number,
): BeginEntry {
  const { container, deposes, endsContentOf, restore, request } = operation;
  return {
    kind: "begin",
    planId: execution.planId,
    id: operation.id,
    address: operation.address,
    objectKey: operation.objectKey,
    type: operation.type,
    provider: operation.provider,
    settings: execution.settings.get(operation.provider) ?? null,
    identity: operation.identity,
    verb: operation.verb,
    effect: operation.effect,
    request: request === undefined ? null : `${request.method} ${request.path}`,
    expect: operation.expect,
    unobservable: operation.unobservable,
    repeat: operation.repeat,
    records: operation.records,
    dependencies: operation.dependencies,
    locks: operation.locks,
    ...(container === undefined ? {} : { container }),
    ...(endsContentOf === undefined ? {} : { endsContentOf }),
    ...(deposes === undefined ? {} : { deposes }),
    ...(restore === undefined ? {} : { restore }),
    settlesRestore: operation.settlesRestore ?? false,
    timeoutsMs: operation.timeoutsMs,
    readBack: operation.readBack,
    atMs: execution.ports.clock.now(),
    limitMs: operation.limitMs,
    ...(serverTimeMs === undefined ? {} : { serverTimeMs }),
  };
}

function endEntry(execution: Execution, operation: PreparedOperation, ended: Ended): EndEntry {
  const { observation } = ended.observed;
  const existence = existenceOf(observation);
  const attributes = execution.ports.rules.readBack ? attributesOf(observation) : {};
  return {
    kind: "end",
    planId: execution.planId,
    id: operation.id,
    outcome: ended.outcome,
    atMs: execution.ports.clock.now(),
    ...(existence === undefined ? {} : { existence }),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...(ended.message === undefined || ended.outcome === "success"
      ? {}
      : { message: ended.message }),
  };
}
