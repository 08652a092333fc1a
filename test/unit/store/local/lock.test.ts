/** The lock: one holder whatever the interleaving, honest about who, stale holders taken over. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../../../src/lib/files/file-system.ts";
import { readLock } from "../../../../src/lib/lock/lock-file.ts";
import { amount, some } from "../../../helpers/amount.ts";
import {
  createTestClock,
  entry,
  foldStored,
  initial,
  openStore,
  path,
  problemOf,
  stateAt,
} from "./fixtures.ts";
import {
  crash,
  createMemoryFileSystem,
  type FaultMoment,
  type MemoryFileSystem,
} from "./memory-file-system.ts";

const lockPath = `${path}.lock`;
/** A lock file of a process that is gone. */
const stale = {
  id: "old-1",
  operation: "apply",
  who: "bob",
  host: "host-a",
  pid: 17,
  createdMs: 1_690_000_000_000,
};

function fileSystemWith(lock: unknown): MemoryFileSystem {
  const fs = createMemoryFileSystem();
  fs.put(lockPath, typeof lock === "string" ? lock : JSON.stringify(lock));
  return fs;
}

describe("a taken lock", () => {
  test("names who, host, process, operation, since when, and the way out", async () => {
    const fs = fileSystemWith({ ...stale, host: "host-b" });
    const problem = await problemOf(openStore(fs).lock("apply", 0));
    expect(problem.code).toBe("STO009");
    expect(problem.message).toBe(
      `The recorded state in ${path} is locked by bob on host-b (process 17, apply) ` +
        "since 22 Jul 2023 04:26:40.",
    );
    expect(problem.fix).toContain("vmform force-unlock old-1");
    expect(fs.paths()).toEqual([lockPath]);
  });

  test("is waited for, as long as asked and no longer", async () => {
    const fs = fileSystemWith({ ...stale, host: "host-b" });
    const clock = createTestClock();
    await problemOf(openStore(fs, { clock }).lock("apply", 1_100));
    expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(1_100);
  });

  test("is taken as soon as it is free", async () => {
    const fs = fileSystemWith({ ...stale, host: "host-b" });
    const clock = createTestClock();
    const release = {
      now: () => clock.now(),
      sleep: async (ms: number) => {
        await clock.sleep(ms);
        if (clock.sleeps.length === 3) await openStore(fs).forceUnlock("old-1");
      },
    };
    const store = openStore(fs, { clock: release });
    const fence = await store.lock("apply", 60_000);
    expect(clock.sleeps.length).toBe(3);
    expect(await store.holder()).toMatchObject({ id: fence.lockId, who: "ann" });
  });

  test("is not taken by its own holder a second time", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    await store.lock("apply", 0);
    expect((await problemOf(store.lock("apply", 0))).code).toBe("STO009");
    const twin = openStore(fs, { pid: store.pid });
    expect((await problemOf(twin.lock("apply", 0))).message).toContain("locked by ann on host-a");
  });

  test.each(["", "{", "[]", "{}", '{"id":"../x"}', JSON.stringify({ ...stale, pid: 0 })])(
    "by a file that says not by whom: %j",
    async (content) => {
      const fs = fileSystemWith(content);
      const problem = await problemOf(openStore(fs).lock("apply", 0));
      expect(problem.fix).toContain("vmform force-unlock unreadable");
      await openStore(fs).forceUnlock("unreadable");
      await openStore(fs).lock("apply", 0);
    },
  );
});

describe("holder", () => {
  test("of a free lock, a held one, a stale one, one on another host", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    expect(await store.holder()).toBeUndefined();
    const fence = await store.lock("destroy", 0);
    const held = { id: fence.lockId, operation: "destroy", who: "ann", host: "host-a" };
    expect(await store.holder()).toMatchObject({ ...held, pid: store.pid });
    await store.unlock(fence);
    expect(await store.holder()).toBeUndefined();
    expect(await openStore(fileSystemWith(stale)).holder()).toBeUndefined();
    expect(await openStore(fileSystemWith({ ...stale, host: "b" })).holder()).toBeDefined();
  });
});

describe("a stale lock", () => {
  test("is taken over without waiting", async () => {
    const fs = fileSystemWith(stale);
    const clock = createTestClock();
    const store = openStore(fs, { clock });
    const fence = await store.lock("apply", 0);
    expect(clock.sleeps).toEqual([]);
    expect(await store.holder()).toMatchObject({ id: fence.lockId });
    expect(fs.paths()).toEqual([lockPath]);
  });

  test("of an earlier process with our own process id is stale", async () => {
    const store = openStore(fileSystemWith(stale), { pid: stale.pid });
    await store.lock("apply", 0);
    expect(await store.holder()).toMatchObject({ who: "ann" });
  });

  test("on another host is never taken for stale", async () => {
    const fs = fileSystemWith({ ...stale, host: "host-b" });
    expect((await problemOf(openStore(fs).lock("apply", 0))).code).toBe("STO009");
  });
});

describe("forced unlocking", () => {
  test("removes the lock of this id only", async () => {
    const fs = fileSystemWith({ ...stale, host: "host-b" });
    const store = openStore(fs);
    const problem = await problemOf(store.forceUnlock("other-2"));
    expect([problem.code, problem.fix]).toEqual([
      "STO012",
      "Unlock by the id that stands there now: vmform force-unlock old-1",
    ]);
    expect(await store.holder()).toBeDefined();
    await store.forceUnlock("old-1");
    expect(fs.paths()).toEqual([]);
    expect((await problemOf(store.forceUnlock("old-1"))).code).toBe("STO011");
  });

  test("stops the holder it was taken from, before anything is written", async () => {
    const fs = createMemoryFileSystem();
    const first = openStore(fs, { hasEnded: () => false });
    const fence = await first.lock("apply", 0);
    await first.compact(initial, fence);
    await first.append([entry(1)], fence);
    const second = openStore(fs, { hasEnded: () => false, user: "eve" });
    await second.forceUnlock(fence.lockId);
    const next = await second.lock("apply", 0);
    expect(await second.append([entry(2)], next)).toBe(2);
    const before = fs.text(`${path}.journal`);
    const problem = await problemOf(first.append([entry(2)], fence));
    expect(problem.code).toBe("STO010");
    expect(problem.message).toContain("eve on host-a holds it now");
    expect((await problemOf(first.compact(stateAt(1), fence))).code).toBe("STO008");
    expect((await problemOf(first.unlock(fence))).code).toBe("STO010");
    expect(fs.text(`${path}.journal`)).toBe(before);
    await second.unlock(next);
    expect(foldStored(await second.read())).toEqual(stateAt(2));
  });

  test("before a compaction stops it", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append([entry(1)], fence);
    await openStore(fs, { hasEnded: () => false }).forceUnlock(fence.lockId);
    const before = fs.text(path);
    expect((await problemOf(store.compact(stateAt(1), fence))).code).toBe("STO010");
    expect(fs.text(path)).toBe(before);
  });

  test("while a compaction prepares its files stops it", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append([entry(1)], fence);
    const before = fs.text(path);
    fs.gate = async (call) => {
      if (call !== `open ${path}.tmp`) return;
      fs.gate = async () => {};
      await openStore(fs, { hasEnded: () => false }).forceUnlock(fence.lockId);
    };
    expect((await problemOf(store.compact(stateAt(1), fence))).code).toBe("STO010");
    expect(fs.text(path)).toBe(before);
  });
});

test("a fence of another lock writes nothing", async () => {
  const fs = createMemoryFileSystem();
  const store = openStore(fs);
  const fence = await store.lock("apply", 0);
  await store.compact(initial, fence);
  const wrong = { lockId: "other" };
  expect((await problemOf(store.append([entry(1)], wrong))).code).toBe("STO010");
  expect((await problemOf(store.compact(initial, wrong))).code).toBe("STO010");
  expect((await problemOf(store.unlock(wrong))).code).toBe("STO010");
  await store.unlock(fence);
  expect((await problemOf(store.append([entry(1)], fence))).code).toBe("STO010");
});

test("killed at any file operation of locking or unlocking, the next one locks at once", async () => {
  const lockAndUnlock = async (fs: FileSystem): Promise<void> => {
    const store = openStore(fs);
    await store.unlock(await store.lock("apply", 0));
  };
  const seconds = Array.from({ length: 40 }, (_, index) => index + 1);
  const start = [createMemoryFileSystem, () => fileSystemWith(stale)];
  for (const create of start) {
    const counted = create();
    await lockAndUnlock(counted);
    for (let first = 1; first <= counted.calls.length; first += 1) {
      for (const second of some(seconds, 14)) {
        for (const moment of ["before", "after"] satisfies FaultMoment[]) {
          const fs = create();
          fs.arm({ call: first, moment, error: crash });
          await lockAndUnlock(fs).catch(() => undefined);
          fs.restart();
          // Killed again while it takes over, or unlocks.
          fs.arm({ call: second, moment, error: crash });
          await lockAndUnlock(fs).catch(() => undefined);
          fs.restart();
          const store = openStore(fs);
          const fence = await store.lock("apply", 0);
          expect(await readLock(fs, lockPath)).toMatchObject({ id: fence.lockId });
          await store.unlock(fence);
          expect(fs.text(lockPath)).toBeUndefined();
        }
      }
    }
  }
});

test("without links, the lock is made by exclusive creation", async () => {
  const fs = createMemoryFileSystem();
  const noLinks = {
    ...fs,
    link: () => Promise.reject(Object.assign(new Error("EPERM"), { code: "EPERM" })),
  };
  const first = openStore(noLinks);
  const fence = await first.lock("apply", 0);
  const second = openStore(noLinks, { hasEnded: () => false });
  expect((await problemOf(second.lock("apply", 0))).message).toContain("locked by ann");
  await first.unlock(fence);
  await second.lock("apply", 0);
});

test("takers in any interleaving: one at a time, each in its turn", async () => {
  let takeovers = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom(2, 3),
      fc.boolean(),
      fc.boolean(),
      async (scheduler, takers, beginsStale, forced) => {
        const fs = beginsStale ? fileSystemWith(stale) : createMemoryFileSystem();
        const scheduled = { ...fs };
        for (const name of ["read", "open", "rename", "link", "unlink"] as const) {
          const call = fs[name] as (...rest: unknown[]) => Promise<unknown>;
          Object.assign(scheduled, { [name]: scheduler.scheduleFunction(call) });
        }
        let inside = 0;
        let turns = 0;
        const still = createTestClock();
        const clock = {
          now: () => still.now(),
          sleep: () => scheduler.schedule(Promise.resolve(), "sleep"),
        };
        const hasEnded = ({ pid }: { readonly pid: number }): boolean => pid === stale.pid;
        const take = async (): Promise<void> => {
          const store = openStore(scheduled, { clock, hasEnded });
          const fence = await store.lock("apply", 60_000);
          inside += 1;
          expect(inside).toBe(1);
          await scheduler.schedule(Promise.resolve(), "work");
          inside -= 1;
          await store.unlock(fence);
          turns += 1;
        };
        const force = async (): Promise<void> => {
          await openStore(scheduled, { clock, hasEnded })
            .forceUnlock(stale.id)
            .catch(() => undefined);
        };
        const work = [...Array.from({ length: takers }, take), ...(forced ? [force()] : [])];
        await scheduler.waitFor(Promise.all(work));
        expect(turns).toBe(takers);
        if (beginsStale) takeovers += 1;
        expect(fs.text(lockPath)).toBeUndefined();
      },
    ),
    { numRuns: amount(150, 500) },
  );
  expect(takeovers).toBeGreaterThan(amount(15, 50));
});
