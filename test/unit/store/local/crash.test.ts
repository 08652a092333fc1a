/**
 * Killed before, during and after every file operation, with and without a power cut: what was
 * acknowledged is there, what is there is a prefix of what was asked for, and the next run goes on.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { LocalStore } from "../../../../src/store/local/local-store.ts";
import { amount, onlyInLongRun, some } from "../../../helpers/amount.ts";
import { entry, foldStored, initial, openStore, stateAt } from "./fixtures.ts";
import {
  crash,
  createMemoryFileSystem,
  type FaultMoment,
  type MemoryFileSystem,
} from "./memory-file-system.ts";

/** How far a run asked and how far it was told. Entries are numbered from 1. */
type Run = { submitted: number; acknowledged: number };

/**
 * A run from the very beginning: first snapshot, single and joined appends, a compaction in the
 * middle of a batch, compactions with a backup, and appends after them.
 */
async function run(store: LocalStore, told: Run): Promise<void> {
  const fence = await store.lock("apply", 0);
  await store.read();
  await store.compact(initial, fence);
  const append = async (count: number): Promise<void> => {
    const first = told.submitted + 1;
    told.submitted += count;
    const writes = Array.from({ length: count }, async (_, index) => {
      const position = await store.append([entry(first + index)], fence);
      expect(position).toBe(first + index);
      told.acknowledged = Math.max(told.acknowledged, position);
    });
    const results = await Promise.allSettled(writes);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  };
  await append(1);
  await append(3);
  await store.compact(stateAt(2), fence);
  await append(2);
  await store.compact(stateAt(6), fence);
  await append(1);
  await store.compact(stateAt(7), fence);
  await append(1);
  await store.unlock(fence);
}

/** The next process: locks, reads, checks, goes on, and everything stays whole. */
async function checkAndGoOn(fs: MemoryFileSystem, told: Run): Promise<void> {
  const store = openStore(fs);
  const fence = await store.lock("apply", 0);
  const found = foldStored(await store.read());
  let position = found?.journal.position ?? 0;
  expect(position).toBeGreaterThanOrEqual(told.acknowledged);
  expect(position).toBeLessThanOrEqual(told.submitted);
  if (found === undefined) await store.compact(initial, fence);
  else expect(found).toEqual(stateAt(position));
  expect(await store.append([entry(position + 1), entry(position + 2)], fence)).toBe(position + 2);
  position += 2;
  await store.compact(stateAt(position - 1), fence);
  expect(await store.append([entry(position + 1)], fence)).toBe(position + 1);
  await store.unlock(fence);
  expect(foldStored(await openStore(fs).read())).toEqual(stateAt(position + 1));
  fs.cutPower(() => false);
  expect(foldStored(await openStore(fs).read())).toEqual(stateAt(position + 1));
}

async function runUntilCrash(
  call: number,
  moment: FaultMoment,
  writeMax: number,
): Promise<{ fs: MemoryFileSystem; told: Run }> {
  const fs = createMemoryFileSystem();
  fs.writeMax = writeMax;
  fs.arm({ call, moment, error: crash });
  const told: Run = { submitted: 0, acknowledged: 0 };
  await run(openStore(fs), told).catch((error: unknown) => {
    expect(String(error)).toContain(crash);
  });
  expect(fs.met()).toBe(true);
  fs.restart();
  return { fs, told };
}

async function countCalls(writeMax: number): Promise<number> {
  const fs = createMemoryFileSystem();
  fs.writeMax = writeMax;
  await run(openStore(fs), { submitted: 0, acknowledged: 0 });
  return fs.calls.length;
}

const moments: readonly FaultMoment[] = ["before", "partly", "after"];

test.each(some([100, Number.POSITIVE_INFINITY], 1))(
  "killed at any file operation, %d bytes a write",
  async (max) => {
    const calls = await countCalls(max);
    expect(calls).toBeGreaterThan(100);
    let crashes = 0;
    for (let call = 1; call <= calls; call += 1) {
      for (const moment of moments) {
        const { fs, told } = await runUntilCrash(call, moment, max);
        crashes += 1;
        await checkAndGoOn(fs, told);
      }
    }
    expect(crashes).toBe(calls * moments.length);
  },
);

test("the power is cut at any file operation", async () => {
  const calls = await countCalls(Number.POSITIVE_INFINITY);
  for (let call = 1; call <= calls; call += 1) {
    for (const moment of moments) {
      const { fs, told } = await runUntilCrash(call, moment, Number.POSITIVE_INFINITY);
      fs.cutPower(() => false);
      await checkAfterPowerCut(fs, told);
    }
  }
  expect(calls).toBeGreaterThan(100);
});

test("the power is cut, and any part of what was not durable survives", async () => {
  const calls = await countCalls(Number.POSITIVE_INFINITY);
  let acknowledged = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: calls }),
      fc.constantFrom(...moments),
      fc.infiniteStream(fc.boolean()),
      async (call, moment, choices) => {
        const { fs, told } = await runUntilCrash(call, moment, Number.POSITIVE_INFINITY);
        fs.cutPower(() => choices.next().value === true);
        await checkAfterPowerCut(fs, told);
        acknowledged += told.acknowledged;
      },
    ),
    { numRuns: amount(50, 1000) },
  );
  expect(acknowledged).toBeGreaterThan(amount(100, 1000));
});

/** A lock file may survive without its content; then it holds until it is removed by hand. */
async function checkAfterPowerCut(fs: MemoryFileSystem, told: Run): Promise<void> {
  const holder = await openStore(fs).holder();
  if (holder !== undefined) {
    expect(holder.id).toBe("unreadable");
    await openStore(fs).forceUnlock(holder.id);
  }
  await checkAndGoOn(fs, told);
}

test(
  "killed twice: in a run, and at any file operation of the run after it",
  onlyInLongRun,
  async () => {
    const calls = await countCalls(Number.POSITIVE_INFINITY);
    let killedTwice = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: calls }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(...moments),
        fc.boolean(),
        async (first, second, moment, power) => {
          const { fs, told } = await runUntilCrash(first, "partly", Number.POSITIVE_INFINITY);
          fs.arm({ call: second, moment, error: crash });
          const toldLater = await goOnUntilCrash(fs, told);
          if (fs.met()) killedTwice += 1;
          fs.restart();
          if (power) fs.cutPower(() => false);
          await checkAfterPowerCut(fs, toldLater);
        },
      ),
      { numRuns: amount(200, 1000) },
    );
    expect(killedTwice).toBeGreaterThan(amount(80, 500));
  },
);

/** Another run after the crash that may be killed as well. */
async function goOnUntilCrash(fs: MemoryFileSystem, before: Run): Promise<Run> {
  const told = { ...before };
  const store = openStore(fs);
  try {
    const fence = await store.lock("apply", 0);
    const found = foldStored(await store.read());
    const position = found?.journal.position ?? 0;
    // What was read is durable only once something was appended behind it.
    if (found === undefined) await store.compact(initial, fence);
    told.submitted = position + 2;
    told.acknowledged = await store.append([entry(position + 1), entry(position + 2)], fence);
    await store.compact(stateAt(position + 1), fence);
    await store.unlock(fence);
  } catch (error) {
    expect(String(error)).toContain(crash);
    told.submitted = Math.max(told.submitted, before.submitted);
  }
  return told;
}
