/** The simulation of many states counts right where it can be reckoned by hand. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { createHeap } from "../../bench/fleet/heap.ts";
import { type Costs, type Fleet, simulateRound, workersFor } from "../../bench/fleet/simulate.ts";

const free: Costs = { run: 0, read: 0, readObject: 0, append: 0, call: 0 };
const small: Fleet = {
  states: 10,
  objectsPerState: 100,
  sites: 10,
  workers: 10,
  callsAtOnce: 1,
  objectsPerCall: 50,
  answerMs: 1000,
  objectMs: 0,
  databaseServers: 1,
};

it("with a worker for each state, a round takes what one run takes", () => {
  expect(simulateRound(small, free)).toEqual({
    lastMs: 2000,
    medianMs: 2000,
    database: 0,
    workers: 1,
    sites: 1,
    runs: 10,
    calls: 20,
  });
});

it("with one worker, runs come one after another", () => {
  const round = simulateRound({ ...small, workers: 1 }, free);
  expect(round).toMatchObject({ lastMs: 20_000, medianMs: 10_000, workers: 1, sites: 0.1 });
});

it("a site takes so many calls at once, whoever asks", () => {
  expect(simulateRound({ ...small, sites: 1 }, free).lastMs).toBe(20_000);
  expect(simulateRound({ ...small, sites: 1, callsAtOnce: 5 }, free).lastMs).toBe(4000);
});

it("what the database does is done once, and limits the rest", () => {
  const costs = { ...free, run: 300, read: 100, readObject: 1 };
  const round = simulateRound({ ...small, answerMs: 0 }, costs);
  expect(round.lastMs).toBe(10 * (300 + 100 + 100));
  expect(round.database).toBe(1);
});

it("so many workers are enough, and one less is not", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2_000, max: 30_000 }), (withinMs) => {
      const enough = workersFor(small, free, withinMs) ?? 0;
      expect(simulateRound({ ...small, workers: enough }, free).lastMs).toBeLessThanOrEqual(
        withinMs,
      );
      if (enough > 1) {
        const fewer = simulateRound({ ...small, workers: enough - 1 }, free);
        expect(fewer.lastMs).toBeGreaterThan(withinMs);
      }
    }),
    { numRuns: 20 },
  );
  expect(workersFor(small, free, 1_999)).toBeUndefined();
});

it("a heap gives what is due, and of equals the first", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (keys) => {
      const heap = createHeap<number>();
      for (const [index, key] of keys.entries()) heap.push(key, index);
      const out = keys.map(() => heap.pop());
      const sorted = keys
        .map((key, index) => ({ key, item: index }))
        .toSorted((left, right) => left.key - right.key || left.item - right.item);
      expect(out.map((entry) => entry && { key: entry.key, item: entry.item })).toEqual(sorted);
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
