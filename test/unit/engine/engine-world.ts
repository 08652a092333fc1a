/** Ports of an engine in memory: virtual clock, a store that counts, sessions given by the test. */

import { createDryLedger, createLedger, type Ledger } from "../../../src/engine/ledger.ts";
import type { EnginePorts } from "../../../src/engine/ports.ts";
import { createSessions } from "../../../src/engine/sessions.ts";
import type { EngineEvent } from "../../../src/model/operation/event.ts";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import { allRules } from "../../../src/model/plan/rules.ts";
import type { Observation, Wanted } from "../../../src/model/provider/observation.ts";
import type { ProviderSession, TypeRegistry } from "../../../src/model/provider/provider.ts";
import type { JournalEntry } from "../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../src/model/recorded/recorded.ts";
import { foldAll } from "../../../src/state/fold.ts";
import { initialState } from "../../../src/state/initial.ts";
import { fakeTypes } from "../../simulation/fake-types.ts";
import { createDisk, createMemoryStore, type Disk } from "../../simulation/memory-store.ts";
import { createProcess } from "../../simulation/process.ts";
import { createVirtualClock, type VirtualClock } from "../../simulation/virtual-clock.ts";

export const startMs = 1_000_000;

export type EngineWorld = {
  readonly clock: VirtualClock;
  readonly disk: Disk;
  readonly events: EngineEvent[];
  readonly ports: EnginePorts;
};

export function engineWorld(
  open: EnginePorts["open"],
  types: TypeRegistry = fakeTypes,
  state: RecordedState = initialState("lineage", "journal", false),
): EngineWorld {
  const clock = createVirtualClock(startMs);
  const disk = createDisk();
  disk.snapshot = state;
  disk.position = state.journal.position;
  const events: EngineEvent[] = [];
  let ids = 0;
  const ports: EnginePorts = {
    store: createMemoryStore(disk, createProcess(Number.POSITIVE_INFINITY)),
    clock,
    types,
    open,
    events: (event) => events.push(event),
    newId: () => {
      ids += 1;
      return `plan-${ids}`;
    },
    evaluate: (deferred, lookup) => {
      const [reference] = deferred.references;
      const attributes = reference === undefined ? undefined : lookup(reference.address);
      return { value: attributes?.[reference?.attribute ?? ""] ?? null, problems: [] };
    },
    rules: allRules,
    requestsSent: () => 0,
  };
  return { clock, disk, events, ports };
}

/** Tells of every entry once it is durable. */
export function onAppend(
  { ports: { store } }: EngineWorld,
  listener: (entries: readonly JournalEntry[]) => void,
): void {
  const append = store.append.bind(store);
  store.append = async (entries, fence) => {
    const position = await append(entries, fence);
    listener(entries);
    return position;
  };
}

/** Entries after the snapshot the world began with. */
export function journalOf({ disk }: EngineWorld): readonly JournalEntry[] {
  return disk.journal.map((item) => item.entry);
}

export function recordedIn({ disk }: EngineWorld): RecordedState {
  const snapshot = disk.snapshot ?? initialState("lineage", "journal", false);
  const tail = disk.journal.filter((item) => item.position > snapshot.journal.position);
  return foldAll(
    snapshot,
    tail.map((item) => item.entry),
  );
}

export function ledgerOf(world: EngineWorld, kind: "stored" | "dry" = "stored"): Ledger {
  const state = recordedIn(world);
  return kind === "dry"
    ? createDryLedger(state, allRules)
    : createLedger(world.ports.store, { lockId: "memory" }, state, allRules);
}

export function sessionsOf(world: EngineWorld): ReturnType<typeof createSessions> {
  return createSessions(world.ports, "mutate");
}

/** A session that reads what the test says and refuses everything else. */
export function session(parts: Partial<ProviderSession>): ProviderSession {
  return {
    read: (wanted) => Promise.resolve(wanted.map(() => found({}))),
    send: () => Promise.reject(new Error("nothing is to be sent")),
    close: () => Promise.resolve(),
    ...parts,
  };
}

/** Answers each read with the next observation; the last one stays. An error is thrown. */
export function reads(
  script: readonly (Observation | RemoteError)[],
  seen: Wanted[] = [],
): ProviderSession["read"] {
  let next = 0;
  return (wanted) => {
    seen.push(...wanted);
    const answer = script[Math.min(next, script.length - 1)];
    next += 1;
    if (answer === undefined) throw new Error("nothing to answer");
    return answer instanceof RemoteError
      ? Promise.reject(answer)
      : Promise.resolve(wanted.map(() => answer));
  };
}

type Found = Extract<Observation, { status: "found" }>;

export function found(attributes: Found["attributes"]): Observation {
  return { status: "found", identity: "a", attributes, unreadable: {} };
}

export const missing: Observation = { status: "missing", proof: "not listed" };
export const unreadable: Observation = {
  status: "unreadable",
  rule: "failed",
  reason: "no answer",
};
export const unavailable = new RemoteError({
  kind: "unavailable",
  effect: "none",
  message: "connection refused",
});
