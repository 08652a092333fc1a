/**
 * What every store promises, tried on each. Whatever is special to one is tried beside this suite,
 * in a file of its own.
 */

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JournalEntry } from "../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../src/model/recorded/recorded.ts";
import type { RunRecord } from "../../src/model/recorded/run-record.ts";
import type { Fence, Store, StoredState } from "../../src/model/recorded/store.ts";
import { foldAll } from "../../src/state/fold.ts";
import { encodeState } from "../../src/state/form/encode.ts";
import { initialState } from "../../src/state/initial.ts";
import { everyEntry, fullState } from "../unit/state/samples.ts";
import { entries, entry, problemOf } from "../unit/store/local/fixtures.ts";

/** One recorded state somewhere, empty at first. */
export type StorePlace = {
  /** A store as another process opens it, on a host of this name. */
  readonly open: (host: string) => Store;
  /** What is left when the process of a store is killed: nothing of it runs any more. */
  readonly kill: (store: Store) => Promise<void>;
  readonly remove: () => Promise<void>;
};

export type StoreTraits = {
  /**
   * `fences`: the old holder is shut out and the next goes on. `refused`: the lock cannot be taken
   * from a process that runs.
   */
  readonly forceUnlock: "fences" | "refused";
  /** Of a holder that was killed: whether its lock ends with it. Default: it does. */
  readonly killed?: "frees" | "stays locked";
  /** When others can see who holds the lock without asking for it. Default: at once. */
  readonly tellsHolder?: "at once" | "once it writes";
};

const initial = initialState("6f1d6a51-0f3c-4d8e-9b7a-3d1f0c5e2a10", "journal-1", false);

/** `orders` is how many orders of appends, snapshots, reads and deaths are tried. */
export function checkStore(
  name: string,
  traits: StoreTraits,
  openPlace: () => Promise<StorePlace>,
  orders = 12,
): void {
  describe(`the ${name} store`, () => {
    let place: StorePlace;
    let opened: Store[];
    const open = (host = "host-a"): Store => {
      const store = place.open(host);
      opened.push(store);
      return store;
    };
    beforeEach(async () => {
      place = await openPlace();
      opened = [];
    });
    afterEach(async () => {
      for (const store of opened) await store.close();
      await place.remove();
    });

    describe("what is recorded", () => {
      contents(open);
    });
    describe("the history of runs", () => {
      runs(open);
    });
    describe("the lock", () => {
      lock(open, traits, (store) => place.kill(store));
      fence(open, traits);
    });
    test("any order of appends, snapshots, reads and deaths gives what a list would give", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const own = await openPlace();
          try {
            await follow(own, traits, steps);
          } finally {
            await own.remove();
          }
        }),
        { numRuns: orders },
      );
      expect(await openedAfterwards(openPlace)).toEqual({ snapshot: undefined, journal: [] });
    });
  });
}

type Open = (host?: string) => Store;

/** A record of a run that has ended, unless parts say otherwise. */
export function runRecord(id: string, parts: Partial<RunRecord> = {}): RunRecord {
  return {
    ...{ id, command: "apply", who: "ann", host: "host-a", version: "0.1.0" },
    ...{ lockId: "lock", beganMs: 1, position: 0 },
    ...{ operations: [], changes: [], said: ["error X: \u0000 ü \ud800 line\nline"] },
    end: { atMs: 2, outcome: "done", serial: 1 },
    ...parts,
  };
}

function runs(open: Open): void {
  const [one, two] = [runRecord("one"), runRecord("two", { position: 3 })];
  const now = { drop: [], late: false };

  test("records of runs come back in order, the later of two with one id", async () => {
    const store = open();
    expect(await store.runs()).toEqual([]);
    const held = await first(store, initial);
    const { end: _, ...begun } = one;
    await store.saveRuns([two, begun], now, held);
    expect(await open().runs()).toEqual([begun, two]);
    await store.saveRuns([one], now, held);
    await store.append(entries(1, 2), held);
    await store.compact(stateAt(2), held);
    expect(await open().runs()).toEqual([one, two]);
    expect(await store.runs()).toEqual([one, two]);
    expect(await open().read()).toEqual({ snapshot: stateAt(2), journal: [] });
    expect(await store.append([entry(3)], held)).toBe(3);
  });

  test("their heads tell of the same records, whatever stands in their texts", async () => {
    const store = open();
    expect(await store.runHeads()).toEqual([]);
    const held = await first(store, initial);
    const { end: _, ...begun } = runRecord("three", { who: 'ann","operations":[', position: 4 });
    const operations = [{ planId: "p", id: "o", verb: "add", address: "noop_resource.a" }];
    const long = runRecord("two", { operations: operations as never, position: 3 });
    await store.saveRuns([begun, long, one], now, held);
    const records: readonly RunRecord[] = [one, long, begun];
    const heads = records.map(({ id, position, beganMs, end }) =>
      end === undefined ? { id, position, beganMs } : { id, position, beganMs, end },
    );
    const told = await open().runHeads();
    expect(told).toMatchObject(heads);
    expect(told.map(({ end }) => end?.outcome)).toEqual(["done", "done", undefined]);
  });

  test("one that may be late is there with the next write", async () => {
    const store = open();
    const held = await store.lock("apply", 0);
    await store.saveRuns([one], { drop: [], late: true }, held);
    await store.compact(initial, held);
    expect(await open().runs()).toEqual([one]);
    await store.saveRuns([two], { drop: [], late: true }, held);
    await store.append([entry(1)], held);
    expect(await open().runs()).toEqual([one, two]);
    await store.unlock(held);
    expect(await open().runs()).toEqual([one, two]);
  });

  test("those that are dropped are gone, the others stay", async () => {
    const store = open();
    const held = await first(store, initial);
    await store.saveRuns([one, two], now, held);
    await store.saveRuns(
      [runRecord("three", { position: 5 })],
      { drop: ["one"], late: false },
      held,
    );
    expect((await open().runs()).map(({ id }) => id)).toEqual(["two", "three"]);
  });

  test("where nothing is recorded yet, it stays so", async () => {
    const store = open();
    const held = await store.lock("action", 0);
    await store.saveRuns([one], now, held);
    await store.unlock(held);
    expect(await open().read()).toMatchObject({ snapshot: undefined, journal: [] });
    expect(await open().runs()).toEqual([one]);
    const next = open();
    await first(next, initial);
    expect(await open().runs()).toEqual([one]);
  });

  test("nobody saves one without the lock", async () => {
    const held = await first(open(), initial);
    const other = open("host-b");
    expect((await problemOf(other.saveRuns([one], now, held))).code).toBe("STO010");
    expect(await open().runs()).toEqual([]);
  });
}

function contents(open: Open): void {
  test("nothing was ever written: neither snapshot nor entries, also under a lock", async () => {
    const store = open();
    expect(await store.read()).toMatchObject({ snapshot: undefined, journal: [] });
    const held = await store.lock("apply", 0);
    expect(await store.read()).toMatchObject({ snapshot: undefined, journal: [] });
    await store.unlock(held);
    expect(await open().read()).toMatchObject({ snapshot: undefined, journal: [] });
  });

  test("comes back byte for byte: numbers of any size, any text, every field", async () => {
    const state = { ...fullState, journal: { ...fullState.journal, position: 0 } };
    await first(open(), state);
    const { snapshot, journal } = await open().read();
    expect(snapshot === undefined ? undefined : encodeState(snapshot)).toBe(encodeState(state));
    expect(journal).toEqual([]);
  });

  test("an entry comes back as it was, of every kind with every field", async () => {
    const store = open();
    const held = await first(store, initial);
    await store.append(everyEntry, held);
    expect((await open().read()).journal).toEqual(everyEntry);
  });

  test("an entry is refused before the first snapshot", async () => {
    const store = open();
    const held = await store.lock("apply", 0);
    await expect(store.append([entry(1)], held)).rejects.toThrow("before the first snapshot");
  });

  test("entries are there for everybody once they are answered, in order", async () => {
    const store = open();
    const held = await first(store, initial);
    const all = entries(1, 60);
    const groups = [all.slice(0, 1), all.slice(1, 20), [], all.slice(20)];
    const positions = await Promise.all(groups.map((group) => store.append(group, held)));
    expect(positions).toEqual([1, 20, 20, 60]);
    expect(await open().read()).toEqual({ snapshot: initial, journal: all });
    expect(await store.read()).toEqual({ snapshot: initial, journal: all });
  });

  test("a snapshot contains the entries up to its position, and the rest follows it", async () => {
    const store = open();
    const held = await first(store, initial);
    await store.append(entries(1, 7), held);
    await store.compact(stateAt(5), held);
    expect(await open().read()).toEqual({ snapshot: stateAt(5), journal: entries(6, 7) });
    expect(await store.append([entry(8)], held)).toBe(8);
    expect(await open().read()).toEqual({ snapshot: stateAt(5), journal: entries(6, 8) });
    await store.compact(stateAt(8), held);
    await store.compact(stateAt(8), held);
    expect(await open().read()).toEqual({ snapshot: stateAt(8), journal: [] });
  });

  test("positions go on with the next holder", async () => {
    const store = open();
    const held = await first(store, initial);
    await store.append(entries(1, 3), held);
    await store.unlock(held);
    const next = open("host-b");
    const theirs = await next.lock("apply", 0);
    expect(await next.append(entries(4, 5), theirs)).toBe(5);
    expect(await open().read()).toEqual({ snapshot: initial, journal: entries(1, 5) });
  });

  test.each<readonly [string, (state: RecordedState) => RecordedState, string]>([
    ["of another history", (state) => ({ ...state, lineage: "b" }), "of another history"],
    ["with another journal", (state) => at(state, 3, "b"), "of another history"],
    ["ahead of the journal", (state) => at(state, 9), "ahead of the journal"],
    ["older than the one before", (state) => at(state, 1), "older than the snapshot"],
    ["that is not sound", unsound, "would not be sound"],
  ])("a snapshot %s is refused, and nothing is changed", async (_name, change, why) => {
    const store = open();
    const held = await first(store, initial);
    await store.append(entries(1, 4), held);
    await store.compact(stateAt(2), held);
    await expect(store.compact(change(stateAt(3)), held)).rejects.toThrow(why);
    expect(await open().read()).toEqual({ snapshot: stateAt(2), journal: entries(3, 4) });
    expect(await store.append([entry(5)], held)).toBe(5);
  });
}

function lock(open: Open, traits: StoreTraits, kill: (store: Store) => Promise<void>): void {
  test("keeps others out, names its holder, and is free afterwards", async () => {
    const store = open("host-a");
    const held = await store.lock("apply", 0);
    if (traits.tellsHolder === "once it writes") {
      await store.compact(initial, held);
      await store.append([entry(1)], held);
    }
    const holder = await open("host-b").holder();
    expect(holder).toMatchObject({ host: "host-a", who: "ann", operation: "apply" });
    const refused = await problemOf(open("host-b").lock("destroy", 0));
    expect(refused.code).toBe("STO009");
    expect(refused.message).toContain("ann on host-a");
    expect(refused.fix).toBeTruthy();
    await store.unlock(held);
    expect(await open().holder()).toBeUndefined();
    const other = open("host-b");
    await other.unlock(await other.lock("destroy", 0));
  });

  test("is waited for", async () => {
    const store = open("host-a");
    const held = await store.lock("apply", 0);
    const waiting = open("host-b").lock("destroy", 600_000);
    await store.unlock(held);
    expect(await waiting).toBeDefined();
  });

  test("only one of many gets it", async () => {
    const stores = Array.from({ length: 8 }, (_, index) => open(`host-${index}`));
    const taken = await Promise.allSettled(stores.map((store) => store.lock("apply", 0)));
    expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("reading asks for none", async () => {
    const store = open("host-a");
    const held = await first(store, initial);
    await store.append(entries(1, 2), held);
    expect(await open("host-b").read()).toEqual({ snapshot: initial, journal: entries(1, 2) });
  });

  test("is free, or can be freed, when its holder was killed, and what that had begun is there", async () => {
    const store = open("host-a");
    const held = await first(store, initial);
    await store.append(entries(1, 2), held);
    await kill(store);
    const next = open("host-a");
    if (traits.killed === "stays locked") await unlockDead(next, held);
    const theirs = await next.lock("apply", 600_000);
    expect(await next.read()).toEqual({ snapshot: initial, journal: entries(1, 2) });
    expect(await next.append([entry(3)], theirs)).toBe(3);
  });

  test("closing gives it back", async () => {
    const store = open("host-a");
    await store.lock("apply", 0);
    await store.close();
    expect(await open("host-b").lock("apply", 600_000)).toBeDefined();
  });
}

/** What a killed run left behind says whose it is, and goes by its id alone. */
async function unlockDead(store: Store, held: Fence): Promise<void> {
  const refused = await problemOf(store.lock("apply", 0));
  expect(refused).toMatchObject({ code: "STO009" });
  expect(refused.message).toContain("ann on host-a");
  expect(refused.fix).toContain(held.lockId);
  await store.forceUnlock(held.lockId);
}

function fence(open: Open, traits: StoreTraits): void {
  test("without it nothing is written", async () => {
    const held = await first(open(), initial);
    const other = open("host-b");
    expect((await problemOf(other.append([entry(1)], held))).code).toBe("STO010");
    expect((await problemOf(other.compact(initial, held))).code).toBe("STO010");
    expect((await problemOf(other.unlock(held))).code).toBe("STO010");
    expect(await open().read()).toEqual({ snapshot: initial, journal: [] });
  });

  test("after it was given back nothing is written", async () => {
    const store = open();
    const held = await first(store, initial);
    await store.unlock(held);
    expect((await problemOf(store.append([entry(1)], held))).code).toBe("STO010");
    expect((await problemOf(store.compact(stateAt(0), held))).code).toBe("STO010");
    expect(await open().read()).toEqual({ snapshot: initial, journal: [] });
  });

  test("is not ended by the id of another, nor where there is none", async () => {
    expect((await problemOf(open("host-b").forceUnlock("no-such-id"))).code).toBe("STO011");
    const store = open("host-a");
    const held = await first(store, initial);
    expect((await problemOf(open("host-b").forceUnlock("no-such-id"))).code).toBe("STO012");
    expect(await store.append([entry(1)], held)).toBe(1);
  });

  const refuses = traits.forceUnlock === "refused";
  test.runIf(refuses)("cannot be taken from a process that runs", async () => {
    const store = open("host-a");
    const held = await first(store, initial);
    const { id = "" } = (await open().holder()) ?? {};
    expect((await problemOf(open("host-b").forceUnlock(id))).code).toBe("STO015");
    expect(await store.append([entry(1)], held)).toBe(1);
  });

  test.skipIf(refuses).each(["before the next has it", "after the next wrote"])(
    "once it is taken away, the old holder writes nothing, %s",
    async (when) => {
      const store = open("host-a");
      const held = await first(store, initial);
      await store.append([entry(1)], held);
      const other = open("host-b");
      const { id = "" } = (await other.holder()) ?? {};
      await other.forceUnlock(id);
      let expected = entries(1, 1);
      if (when === "after the next wrote") {
        const theirs = await other.lock("apply", 600_000);
        expect(await other.append([entry(2)], theirs)).toBe(2);
        expected = entries(1, 2);
      }
      expect((await problemOf(store.append([entry(9)], held))).code).toBe("STO010");
      expect((await problemOf(store.compact(stateAt(1), held))).code).toMatch(/STO010|STO008/);
      await store.unlock(held).catch(() => undefined);
      await store.close();
      expect(await open().read()).toEqual({ snapshot: initial, journal: expected });
      // What the old holder gave back was not the lock of the next.
      if (when === "after the next wrote") expect(await open().holder()).toBeDefined();
    },
  );
}

type Step =
  | { readonly do: "append"; readonly count: number }
  | { readonly do: "compact"; readonly back: number }
  | { readonly do: "reopen" | "kill" | "read" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ do: fc.constant("compact" as const), back: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ do: fc.constantFrom("reopen" as const, "kill" as const, "read" as const) }),
);

/** One place has nothing of another. */
async function openedAfterwards(openPlace: () => Promise<StorePlace>): Promise<StoredState> {
  const place = await openPlace();
  const store = place.open("host-a");
  const stored = await store.read();
  await store.close();
  await place.remove();
  return stored;
}

/** Does the same to the store and to a list, and compares. */
async function follow(
  place: StorePlace,
  { killed }: StoreTraits,
  steps: readonly Step[],
): Promise<void> {
  let store = place.open("host-a");
  let held = await first(store, initial);
  let [count, compacted] = [0, 0];
  const compare = async (reader: Store): Promise<void> => {
    const stored = await reader.read();
    expect(stored).toEqual({
      snapshot: stateAt(compacted),
      journal: entries(compacted + 1, count),
    } satisfies StoredState);
  };
  for (const one of steps) {
    if (one.do === "append") {
      const more = entries(count + 1, count + one.count);
      count += one.count;
      expect(await store.append(more, held)).toBe(count);
    } else if (one.do === "compact") {
      compacted = Math.max(compacted, count - one.back);
      await store.compact(stateAt(compacted), held);
    } else if (one.do === "read") {
      await compare(store);
    } else {
      if (one.do === "kill") await place.kill(store);
      else await store.unlock(held);
      await store.close();
      store = place.open("host-a");
      if (one.do === "kill" && killed === "stays locked") await unlockDead(store, held);
      held = await store.lock("apply", 600_000);
    }
  }
  const reader = place.open("host-b");
  await compare(reader);
  await reader.close();
  await store.unlock(held);
  await store.close();
}

async function first(store: Store, state: RecordedState): Promise<Fence> {
  const held = await store.lock("apply", 0);
  await store.compact(state, held);
  return held;
}

function stateAt(n: number): RecordedState {
  const all: readonly JournalEntry[] = entries(1, n);
  return foldAll(initial, all);
}

function at(state: RecordedState, position: number, id = state.journal.id): RecordedState {
  return { ...state, journal: { id, position } };
}

/** Two objects under one key. */
function unsound(state: RecordedState): RecordedState {
  const [object] = fullState.objects;
  if (object === undefined) throw new Error("the sample has no object");
  return { ...state, objects: [object, object] };
}
