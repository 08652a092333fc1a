/** Refresh: reads recorded objects and looks up wanted ones, in bulk per provider. */

import type { EngineEvent, EventSink, Wait } from "../../model/operation/event.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Observation, Wanted } from "../../model/provider/observation.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import type { Reference } from "../../model/value/expression.ts";
import type { Value } from "../../model/value/value.ts";
import type { Observations } from "../../plan/before/prior.ts";
import type { DataAnswers } from "../../plan/input.ts";
import { objectKeyOf } from "../../state/working.ts";
import type { EnginePorts } from "../ports.ts";
import type { Sessions } from "../sessions.ts";
import { isChanging } from "../settle.ts";
import { configuredNames, type LookupContext, type Lookups, lookupRequests } from "./lookups.ts";

export type Refreshed = {
  readonly observations: Observations;
  readonly lookups: Lookups;
};

type Request = { readonly provider: string; readonly wanted: Wanted; readonly key: string };

/** How long a refresh waits for objects in transition, milliseconds. */
const transitionLimitMs = 30_000;
/** Most have ended before this, and are not worth a line. */
const announceAfterMs = 1_500;

/** Reads nothing of the configuration when `desired` is undefined (drift, destroy). */
export async function refresh(
  ports: EnginePorts,
  sessions: Sessions,
  recorded: RecordedState,
  desired: Desired | undefined,
  settings: ReadonlyMap<string, Value>,
  answers: DataAnswers = new Map(),
): Promise<Refreshed> {
  const none = { answers, known: new Map(), observations: new Map() };
  const requests = [
    ...recordedRequests(ports, recorded, desired),
    ...requestsOfLookups(ports, recorded, desired, none),
  ];
  return readRequests(ports, sessions, requests, settings);
}

/**
 * Looks up wanted objects whose key became known meanwhile: with the answer of a data source, with
 * another object that was found, or because a recorded one is gone. The same map when there are
 * none.
 */
export async function lookUpMore(
  ports: EnginePorts,
  sessions: Sessions,
  recorded: RecordedState,
  desired: Desired | undefined,
  settings: ReadonlyMap<string, Value>,
  context: Pick<LookupContext, "answers" | "known" | "observations">,
): Promise<Lookups> {
  const requests = requestsOfLookups(ports, recorded, desired, context);
  if (requests.length === 0) return context.known;
  // Lines for every round would say nothing new; one that takes long is told of as a wait.
  const isFirst = context.known.size + context.observations.size === 0;
  const told = isFirst ? ports : withoutLines(ports);
  const more = await readRequests(told, sessions, requests, settings);
  return new Map([...context.known, ...more.lookups]);
}

function withoutLines(ports: EnginePorts): EnginePorts {
  const lines: ReadonlySet<EngineEvent["kind"]> = new Set(["refresh-started", "refresh-ended"]);
  const events: EventSink = (event) => {
    if (!lines.has(event.kind)) ports.events(event);
  };
  return { ...ports, events };
}

function requestsOfLookups(
  { types }: EnginePorts,
  recorded: RecordedState,
  desired: Desired | undefined,
  context: Pick<LookupContext, "answers" | "known" | "observations">,
): readonly Request[] {
  if (desired === undefined) return [];
  return lookupRequests({ ...context, types, recorded, desired }).map((request) => ({
    ...request,
    key: `${lookupPrefix}${request.wanted.address}`,
  }));
}

async function readRequests(
  ports: EnginePorts,
  sessions: Sessions,
  requests: readonly Request[],
  settings: ReadonlyMap<string, Value>,
): Promise<Refreshed> {
  if (requests.length === 0) return { observations: new Map(), lookups: new Map() };
  const startedMs = ports.clock.now();
  const sentBefore = ports.requestsSent();
  const lookups = requests.filter(({ key }) => key.startsWith(lookupPrefix)).length;
  ports.events({ kind: "refresh-started", count: requests.length, lookups });
  const objects = `${requests.length} object${requests.length === 1 ? "" : "s"}`;
  const words = (): string => `requests so far: ${ports.requestsSent() - sentBefore}`;
  const wait: Wait = { rank: "work", what: `reading ${objects}`, words };
  const results = await whileWaiting(ports.events, wait, () =>
    readAll(sessions, requests, settings),
  );
  await untilSteady(ports, sessions, requests, settings, results);
  const elapsedMs = ports.clock.now() - startedMs;
  const sent = ports.requestsSent() - sentBefore;
  const count = requests.length;
  ports.events({ kind: "refresh-ended", count, lookups, elapsedMs, requests: sent });
  const observations = new Map<string, Observation>();
  const found = new Map<Address, Observation>();
  for (const request of requests) {
    const observation = results.get(request.key);
    if (observation === undefined) continue;
    if (request.key.startsWith(lookupPrefix)) found.set(request.wanted.address, observation);
    else observations.set(request.key, observation);
  }
  return { observations, lookups: found };
}

const lookupPrefix = "lookup ";

function referencesOf(desired: Desired | undefined): readonly Reference[] {
  if (desired === undefined) return [];
  return [...desired.instances, ...desired.outputs, ...(desired.checks ?? [])].flatMap(
    (item) => item.references,
  );
}

function recordedRequests(
  ports: EnginePorts,
  recorded: RecordedState,
  desired: Desired | undefined,
): readonly Request[] {
  const attributes = new Map<Address, Set<string>>();
  // Whoever reads an object as a whole needs all that it has.
  const whole = new Set<Address>();
  for (const { address, attribute, reads } of referencesOf(desired)) {
    const names = attributes.get(address) ?? new Set();
    for (const name of attribute === undefined ? (reads ?? []) : [attribute]) names.add(name);
    if (attribute === undefined && reads === undefined) whole.add(address);
    attributes.set(address, names);
  }
  const configured = configuredAttributes(ports, desired);
  return recorded.objects.map((object) => {
    const { address, objectKey, type, provider, identity } = object;
    const names = [
      ...(attributes.get(address) ?? []),
      ...(whole.has(address) ? Object.keys(ports.types[type]?.schema.attributes ?? {}) : []),
      ...pendingAttributes(ports, object),
      ...configuredNames(object.applied ?? {}),
      ...(configured.get(address) ?? []),
    ];
    const wanted: Wanted = {
      address,
      type,
      identity,
      recorded: { ...object.applied, ...object.attributes },
      attributes: [...new Set(names)],
    };
    return { provider, key: objectKeyOf(address, objectKey), wanted };
  });
}

/** Of attached objects: some attributes cost a request each, worth it where they are configured. */
function configuredAttributes(
  { types }: EnginePorts,
  desired: Desired | undefined,
): ReadonlyMap<Address, readonly string[]> {
  const configured = new Map<Address, readonly string[]>();
  for (const instance of desired?.instances ?? []) {
    if (types[instance.type]?.ownership !== "attached") continue;
    const { attributes } = instance.resolve(() => undefined);
    configured.set(instance.address, configuredNames(attributes));
  }
  return configured;
}

/** What shows that the guest's tools run, while the last answer was "not yet". */
function pendingAttributes(ports: EnginePorts, object: RecordedObject): readonly string[] {
  const expect = ports.types[object.type]?.power?.toolsWait?.expect ?? [];
  return expect.flatMap((item) => {
    if (!("attribute" in item)) return [];
    return object.attributes[item.attribute] === null ? [item.attribute] : [];
  });
}

async function readAll(
  sessions: Sessions,
  requests: readonly Request[],
  settings: ReadonlyMap<string, Value>,
): Promise<Map<string, Observation>> {
  const results = new Map<string, Observation>();
  const byProvider = new Map<string, Request[]>();
  for (const request of requests) {
    const group = byProvider.get(request.provider) ?? [];
    group.push(request);
    byProvider.set(request.provider, group);
  }
  const reads = [...byProvider].map(async ([provider, group]) => {
    const observations = await readGroup(sessions, provider, settings, group);
    group.forEach((request, index) => {
      const observation = observations[index];
      if (observation !== undefined) results.set(request.key, observation);
    });
  });
  await Promise.all(reads);
  return results;
}

/** An endpoint that cannot be read makes its objects unreadable, never missing. */
async function readGroup(
  sessions: Sessions,
  provider: string,
  settings: ReadonlyMap<string, Value>,
  group: readonly Request[],
): Promise<readonly Observation[]> {
  try {
    const session = await sessions.get(provider, settings.get(provider) ?? null);
    return await session.read(group.map((request) => request.wanted));
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const reason = error.message;
    return group.map(() => ({ status: "unreadable", rule: "failed", reason, endpoint: true }));
  }
}

/** Transitional power is polled: planning needs to know where it ends. */
async function untilSteady(
  ports: EnginePorts,
  sessions: Sessions,
  requests: readonly Request[],
  settings: ReadonlyMap<string, Value>,
  results: Map<string, Observation>,
): Promise<void> {
  const { clock, events } = ports;
  const startedMs = clock.now();
  const untilMs = startedMs + transitionLimitMs;
  let wait: Wait | undefined;
  for (let pauseMs = 200; clock.now() < untilMs; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    const changing = requests.filter((request) => {
      const observation = results.get(request.key);
      return observation !== undefined && isChanging(observation);
    });
    if (changing.length === 0) break;
    if (wait === undefined && clock.now() - startedMs >= announceAfterMs) {
      wait = transitionWait(changing, untilMs);
      events({ kind: "wait-started", wait });
    }
    await clock.sleep(pauseMs);
    sessions.renew?.();
    for (const [key, observation] of await readAll(sessions, changing, settings)) {
      results.set(key, observation);
    }
  }
  if (wait !== undefined) events({ kind: "wait-ended", wait });
}

function transitionWait(changing: readonly Request[], untilMs: number): Wait {
  const names = addressesText(
    changing.map(({ wanted: { address } }) => address),
    3,
  );
  const what = `waiting for the end of a transition of ${names}`;
  const wayOut = "Ctrl-C is safe; after that it counts as not readable";
  return { rank: "work", what, untilMs, wayOut, announced: true };
}
