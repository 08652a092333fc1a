/** Recorded state between any two stores: nothing is lost, and never do two copies count. */

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentsIn, handOver, type Side } from "../../src/commands/migrate/handover.ts";
import { ownProcess } from "../../src/lib/files/process-identity.ts";
import type { RecordedState } from "../../src/model/recorded/recorded.ts";
import type { RunRecord } from "../../src/model/recorded/run-record.ts";
import type { Seal } from "../../src/model/recorded/seal.ts";
import type { Fence, Store } from "../../src/model/recorded/store.ts";
import { foldAll } from "../../src/state/fold.ts";
import { initialState } from "../../src/state/initial.ts";
import { createLocalStore } from "../../src/store/local/local-store.ts";
import { amount, some } from "../helpers/amount.ts";
import { keySeal, plainSeal, testKey } from "../helpers/seals.ts";
import { fullState } from "../unit/state/samples.ts";
import { createTestClock, entries, entry } from "../unit/store/local/fixtures.ts";
import { runRecord } from "./conformance.ts";
import { openHttpStore, placeAt } from "./http-place.ts";
import { openIn } from "./postgres-place.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";
import { openS3Store } from "./s3-place.ts";
import { type RunningS3, startCareless } from "./s3-server.ts";
import { startStateServer } from "./state-server.ts";

type Place = { readonly open: () => Store; readonly remove: () => Promise<void> };
const kinds = ["local", "http", "s3", "postgres"] as const;
type Kind = (typeof kinds)[number];

const postgres = hasPostgres();
let folder: string;
let bucket: RunningS3;
let database: PostgresServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vmform-migrate-"));
  bucket = await startCareless([]);
  if (postgres) database = await startPostgres();
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await bucket.stop();
  await database?.remove();
});

const opening: { readonly [kind in Kind]: (seal?: Seal) => Promise<Place> } = {
  local: async (seal = plainSeal()) => {
    const path = join(folder, randomUUID(), "state.json");
    const clock = createTestClock();
    const own = {
      clock,
      seal,
      random: randomUUID,
      host: "host-a",
      user: "ann",
      process: ownProcess(),
    };
    return { open: () => createLocalStore({ path, ...own }), remove: async () => {} };
  },
  http: async (seal) => {
    const server = await startStateServer("gitlab");
    return {
      open: () => openHttpStore(placeAt(server), "host-a", seal).store,
      remove: server.stop,
    };
  },
  s3: async (seal) => {
    const key = `${randomUUID()}.json`;
    return {
      open: () => openS3Store(bucket.endpoint, key, "host-a", undefined, seal).store,
      remove: async () => {},
    };
  },
  postgres: async (seal = plainSeal()) => {
    const name = randomUUID();
    const url = database?.url("postgres") ?? "";
    return { open: () => openIn(url, { name, seal }), remove: async () => {} };
  },
};

const pairs = kinds
  .flatMap((from) => kinds.map((to) => [from, to] as const))
  .filter((pair) => postgres || !pair.includes("postgres"));

/** Each kind is written to and read from; between files all kills are tried, which take no time. */
const kills = [1, 2, 3, 4, 5, 6];
const tried = some(
  pairs.map(([from, to], index) => {
    const own = kills[index % kills.length] ?? 1;
    return [from, to, from === "local" && to === "local" ? kills : [own]] as const;
  }),
  4,
);

/** Snapshot and tail: what a run that was killed has left. */
const base: RecordedState = { ...fullState, journal: { ...fullState.journal, position: 0 } };
const tail = entries(1, 7);
const whole = foldAll(base, tail);
const lastRun = runRecord("last", { position: 7 });

/** Which of the two places is encrypted; keys differ, as of two configurations. */
const sealings = {
  "in plain text": [undefined, undefined],
  "and is encrypted there": [undefined, keySeal()],
  "and is encrypted here": [keySeal(), undefined],
  "encrypted by another key": [keySeal(), keySeal({ first: testKey("2") })],
} as const;
type Sealing = keyof typeof sealings;

/** Of encrypted ones, all kills in the long run, in which each kind meets each way of it. */
const ways = [
  "and is encrypted there",
  "and is encrypted here",
  "encrypted by another key",
] as const;
const encrypted = pairs.map(([from, to], index) => {
  const way = ways[(index + Math.floor(index / kinds.length)) % ways.length] ?? ways[0];
  return [from, to, kills, way] as const;
});
const all: readonly (readonly [Kind, Kind, readonly number[], Sealing])[] = [
  ...tried.map(([from, to, deaths]) => [from, to, deaths, "in plain text"] as const),
  ...encrypted.slice(0, amount(1, encrypted.length)),
];

describe.each(all)("from %s to %s, also killed at %s, %s", (fromKind, toKind, deaths, way) => {
  test("all of it arrives, one copy counts, and it is so wherever it is killed", async () => {
    const [fromSeal, toSeal] = sealings[way];
    for (const dies of [undefined, ...deaths]) {
      const [from, to] = [await opening[fromKind](fromSeal), await opening[toKind](toSeal)];
      await fill(from);
      const killed = dies === undefined ? false : await migrate(from, to, dies);
      expect(killed).toBe(dies !== undefined);
      const [left, right] = await Promise.all([peek(from), peek(to)]);
      const counting = [left, right].filter((one) => one !== undefined && !one.handover);
      expect(counting.length, `killed at ${dies}`).toBeLessThanOrEqual(1);
      expect(await migrate(from, to)).toBe(false);
      expect(await peek(to)).toEqual(whole);
      const moved = expect.objectContaining({ id: "move", command: "state migrate" }) as RunRecord;
      expect(await runsIn(to)).toEqual([lastRun, moved]);
      expect(await peek(from)).toMatchObject({
        ...whole,
        handover: { kind: "moved", other: "to" },
      });
      await goOn(to);
      await from.remove();
      await to.remove();
    }
  });
});

describe("between two files", () => {
  let from: Place;
  let to: Place;
  /** What becomes of it, with what is in both places before and after. */
  const refusal = async (first: () => Promise<void>) => {
    [from, to] = [await opening.local(), await opening.local()];
    await first();
    const before = [await peek(from), await peek(to)];
    const words = await migrate(from, to).then(String, String);
    return { words, before, after: [await peek(from), await peek(to)] };
  };

  test("where nothing is recorded nothing is moved", async () => {
    const { words, before, after } = await refusal(async () => {});
    expect(words).toContain("Nothing is recorded at from");
    expect(after).toEqual(before);
  });

  test.each<readonly [string, RecordedState, number, string]>([
    ["another history", { ...base, lineage: "other" }, 7, "another history"],
    ["the same and more", base, 9, "it would lose"],
    ["as much, of another run", { ...base, serial: 9 }, 7, "two copies"],
    ["an older copy", base, 3, "an older copy"],
  ])("over %s nothing is written", async (_name, state, count, why) => {
    const { words, before, after } = await refusal(async () => {
      await fill(from);
      await fill(to, state, count);
    });
    expect(words).toContain(why);
    expect(after).toEqual(before);
  });

  test("an older copy is replaced where that is asked for", async () => {
    [from, to] = [await opening.local(), await opening.local()];
    await fill(from);
    await fill(to, base, 3);
    await migrate(from, to, undefined, true);
    expect(await peek(to)).toEqual(whole);
    await goOn(to);
  });

  test("what no run has used yet makes room", async () => {
    [from, to] = [await opening.local(), await opening.local()];
    await fill(from);
    await fill(to, initialState("other", "journal-of-it", false), 0);
    await migrate(from, to);
    expect(await peek(to)).toEqual(whole);
    await goOn(to);
  });

  test("there and back again, with what was recorded meanwhile", async () => {
    [from, to] = [await opening.local(), await opening.local()];
    await fill(from);
    await migrate(from, to);
    await goOn(to);
    await migrate(to, from, undefined, false, { from: "to", to: "from" });
    expect(await peek(from)).toEqual(foldAll(whole, [entry(8)]));
    expect(await peek(to)).toMatchObject({ handover: { kind: "moved", other: "from" } });
    await goOn(from, 9);
  });

  test("what was moved goes nowhere else", async () => {
    [from, to] = [await opening.local(), await opening.local()];
    await fill(from);
    await migrate(from, to);
    const third = await opening.local();
    const names = { from: "from", to: "third" };
    await expect(migrate(from, third, undefined, false, names)).rejects.toThrow("was moved to to");
    expect(await peek(third)).toBeUndefined();
  });
});

async function fill(place: Place, state = base, count = 7): Promise<void> {
  await locked(place, async (store, fence) => {
    await store.compact(state, fence);
    await store.append(entries(1, count), fence);
    await store.saveRuns([lastRun], { drop: [], late: false }, fence);
  });
}

async function goOn(place: Place, next = 8): Promise<void> {
  await locked(place, async (store, fence) => {
    expect(await store.append([entry(next)], fence)).toBe(next);
  });
  expect((await peek(place))?.journal.position).toBe(next);
}

async function locked(
  place: Place,
  work: (store: Store, fence: Fence) => Promise<void>,
): Promise<void> {
  const store = place.open();
  const fence = await store.lock("apply", 0);
  await work(store, fence);
  await store.unlock(fence);
  await store.close();
}

async function peek(place: Place): Promise<RecordedState | undefined> {
  const store = place.open();
  const state = await contentsIn(store);
  await store.close();
  return state;
}

async function runsIn(place: Place): Promise<readonly RunRecord[]> {
  const store = place.open();
  const runs = await store.runs();
  await store.close();
  return runs;
}

class Killed extends Error {}

/**
 * Whether it was killed: at the write of that number, before it for even ones and after it for odd
 * ones.
 */
async function migrate(
  from: Place,
  to: Place,
  dies = 0,
  force = false,
  names = { from: "from", to: "to" },
): Promise<boolean> {
  let count = 0;
  const mortal = (store: Store): Store => ({
    ...store,
    compact: async (state, fence) => {
      count += 2;
      if (count === dies) throw new Killed();
      await store.compact(state, fence);
      if (count - 1 === dies) throw new Killed();
    },
  });
  const sides = await Promise.all([side(from, names.from), side(to, names.to)]);
  const [source, target] = sides.map((one) => ({ ...one, store: mortal(one.store) }));
  if (source === undefined || target === undefined) throw new Error("there are two");
  const operator = { who: "ann", host: "host-a" };
  try {
    await handOver(source, target, { operator, nowMs: 2, runId: "move", version: "0.1.0", force });
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  } finally {
    for (const { store } of sides) await store.close();
  }
}

async function side(place: Place, name: string): Promise<Side> {
  const store = place.open();
  const fence = await store.lock("state migrate", 600_000);
  return { store, fence, name, readAnew: () => peek(place), runsAnew: () => runsIn(place) };
}
