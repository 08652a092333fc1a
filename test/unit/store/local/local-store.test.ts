/** The store's contract, and the same on the real file system. */

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeFileSystem } from "../../../../src/lib/files/file-system.ts";
import { ownProcess } from "../../../../src/lib/files/process-identity.ts";
import type { JournalEntry } from "../../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import { createLocalStore, type LocalStore } from "../../../../src/store/local/local-store.ts";
import { plainSeal } from "../../../helpers/seals.ts";
import { objectAt } from "../../state/samples.ts";
import {
  createTestClock,
  entries,
  entry,
  foldStored,
  initial,
  openStore,
  path,
  problemOf,
  stateAt,
} from "./fixtures.ts";
import { createMemoryFileSystem } from "./memory-file-system.ts";

describe("group commit", () => {
  test("concurrent appends share one write and keep their order", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    fs.arm(undefined);
    const positions = await Promise.all(entries(1, 50).map((one) => store.append([one], fence)));
    expect(positions).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(fs.calls.filter((call) => call === `write ${path}.journal`)).toHaveLength(1);
    expect(fs.calls.filter((call) => call === `sync ${path}.journal`)).toHaveLength(1);
    expect(foldStored(await store.read())).toEqual(stateAt(50));
  });

  test("appends made during a write share the next one", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append([entry(1)], fence);
    fs.arm(undefined);
    const later: Promise<number>[] = [];
    let durable = false;
    fs.gate = async (call) => {
      if (call !== `sync ${path}.journal` || later.length > 0) return;
      for (const one of entries(3, 9)) later.push(store.append([one], fence));
      // Give them every chance to be written too early.
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      expect(durable).toBe(false);
      expect(fs.calls.filter((name) => name === `write ${path}.journal`)).toHaveLength(1);
    };
    expect(await store.append([entry(2)], fence)).toBe(2);
    durable = true;
    expect(await Promise.all(later)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(fs.calls.filter((call) => call === `sync ${path}.journal`)).toHaveLength(2);
  });

  test("an append is answered only when its entries are durable", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append(entries(1, 3), fence);
    fs.cutPower(() => false);
    expect(foldStored(await openStore(fs).read())).toEqual(stateAt(3));
  });

  test("no entries: answers the position and writes nothing", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append(entries(1, 3), fence);
    fs.arm(undefined);
    expect(await store.append([], fence)).toBe(3);
    expect(fs.calls.filter((call) => call.startsWith("write"))).toEqual([]);
  });

  test("a malformed entry fails alone", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    const wrong = { kind: "note" } as unknown as JournalEntry;
    const [first, failing, second] = [
      store.append([entry(1)], fence),
      store.append([wrong], fence),
      store.append([entry(2)], fence),
    ];
    await expect(failing).rejects.toThrow(TypeError);
    expect([await first, await second]).toEqual([1, 2]);
  });

  test("the first entry needs a first snapshot", async () => {
    const store = openStore(createMemoryFileSystem());
    const fence = await store.lock("apply", 0);
    await expect(store.append([entry(1)], fence)).rejects.toThrow("before the first snapshot");
  });
});

describe("compaction", () => {
  async function begin(): Promise<{ store: LocalStore; fence: { lockId: string } }> {
    const store = openStore(createMemoryFileSystem());
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append(entries(1, 3), fence);
    await store.compact(stateAt(2), fence);
    return { store, fence };
  }

  test("holds appends back and keeps what they wrote", async () => {
    const { store, fence } = await begin();
    const [, position] = await Promise.all([
      store.compact(stateAt(3), fence),
      store.append([entry(4)], fence),
    ]);
    expect(position).toBe(4);
    expect(foldStored(await store.read())).toEqual(stateAt(4));
  });

  test("of the same state again does nothing, and keeps the backup", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append(entries(1, 3), fence);
    await store.compact(stateAt(3), fence);
    const before = fs.text(`${path}.backup`);
    fs.arm(undefined);
    await store.compact(stateAt(3), fence);
    expect(fs.calls.filter((call) => call.startsWith("rename"))).toEqual([]);
    expect(fs.text(`${path}.backup`)).toBe(before);
  });

  test.each<[string, RecordedState, string]>([
    ["ahead", stateAt(4), "ahead of the journal"],
    ["behind", stateAt(1), "older than the snapshot"],
    ["another lineage", { ...stateAt(3), lineage: "other" }, "of another history"],
    ["another journal", { ...stateAt(3), journal: { id: "x", position: 3 } }, "of another history"],
  ])("refuses a state that is not a later one: %s", async (_, state, message) => {
    const { store, fence } = await begin();
    await expect(store.compact(state, fence)).rejects.toThrow(message);
    expect(foldStored(await store.read())).toEqual(stateAt(3));
    expect(await store.append([entry(4)], fence)).toBe(4);
  });

  test("refuses a state that is not sound, and leaves the store usable", async () => {
    const { store, fence } = await begin();
    const web = objectAt("daemon_vm.web");
    const problem = await problemOf(store.compact({ ...stateAt(3), objects: [web, web] }, fence));
    expect(problem.code).toBe("STO013");
    expect(problem.message).toContain("daemon_vm.web: recorded twice as current (invariant 2)");
    expect(await store.append([entry(4)], fence)).toBe(4);
  });
});

test("what another process wrote between two locks is seen", async () => {
  const fs = createMemoryFileSystem();
  const first = openStore(fs, { hasEnded: () => false });
  const second = openStore(fs, { hasEnded: () => false });
  let fence = await first.lock("apply", 0);
  await first.compact(initial, fence);
  await first.append([entry(1)], fence);
  await first.unlock(fence);
  fence = await second.lock("apply", 0);
  expect(await second.append([entry(2)], fence)).toBe(2);
  await second.compact(stateAt(2), fence);
  await second.unlock(fence);
  fence = await first.lock("apply", 0);
  expect(await first.append([entry(3)], fence)).toBe(3);
  expect(foldStored(await first.read())).toEqual(stateAt(3));
});

describe("on the real file system", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vmform-store-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  const realStore = (file: string, pid = process.pid): LocalStore => {
    let id = 0;
    return createLocalStore({
      path: file,
      seal: plainSeal(file),
      clock: createTestClock(),
      random: () => `real-${pid}-${Date.now()}-${(id += 1)}`,
      host: hostname(),
      process: { ...ownProcess(), pid },
      user: "ann",
    });
  };

  test("makes the folder, keeps files private, leaves nothing behind", async () => {
    const state = join(folder, "deep", "er", "state.json");
    const store = realStore(state);
    expect(await store.read()).toEqual({ snapshot: undefined, journal: [] });
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append(entries(1, 4), fence);
    await store.compact(stateAt(3), fence);
    await store.append([entry(5)], fence);
    expect((await readdir(join(folder, "deep", "er"))).toSorted()).toEqual([
      "state.json",
      "state.json.backup",
      "state.json.journal",
      "state.json.lock",
    ]);
    await store.unlock(fence);
    const names = await readdir(join(folder, "deep", "er"));
    expect(names).not.toContain("state.json.lock");
    for (const name of names) {
      expect((await stat(join(folder, "deep", "er", name))).mode & 0o777).toBe(0o600);
    }
    expect(foldStored(await realStore(state).read())).toEqual(stateAt(5));
  });

  test("a torn last line is cut", async () => {
    const state = join(folder, "state.json");
    const store = realStore(state);
    const fence = await store.lock("apply", 0);
    await store.compact(initial, fence);
    await store.append(entries(1, 2), fence);
    await store.unlock(fence);
    const whole = await readFile(`${state}.journal`, "utf8");
    await writeFile(`${state}.journal`, `${whole}{"crc":"torn`);
    const next = await store.lock("apply", 0);
    expect(await store.append([entry(3)], next)).toBe(3);
    await store.unlock(next);
    expect((await readFile(`${state}.journal`, "utf8")).startsWith(`${whole}{"crc":"`)).toBe(true);
    expect(foldStored(await store.read())).toEqual(stateAt(3));
  });

  test("a lock that is held says by whom, to whoever asks, and is free again with its file", async () => {
    const state = join(folder, "state.json");
    const fence = await realStore(state).lock("apply", 0);
    const other = realStore(state, process.ppid);
    expect(await other.holder()).toMatchObject({ id: fence.lockId, pid: process.pid });
    expect((await problemOf(other.lock("apply", 0))).code).toBe("STO009");
    const problem = await problemOf(other.forceUnlock(fence.lockId));
    expect(problem.code).toBe("STO015");
    expect(problem.message).toContain(`process ${process.pid}`);
    expect(await other.holder()).toMatchObject({ id: fence.lockId });
  });

  test("a folder that cannot be made is named", async () => {
    await writeFile(join(folder, "file"), "");
    const problem = await problemOf(realStore(join(folder, "file", "state.json")).lock("apply", 0));
    expect(problem.code).toBe("STO007");
    expect(problem.message).toContain(join(folder, "file", "state.json"));
    expect(problem.message).toMatch(/ENOTDIR|EEXIST/);
  });

  test("a folder in the place of the state is an error, not an empty state", async () => {
    const state = join(folder, "state.json");
    await mkdir(state);
    expect((await problemOf(realStore(state).read())).code).toBe("STO006");
  });

  test("the port behaves as the one in memory does", async () => {
    const memory = createMemoryFileSystem();
    const answers = await Promise.all(
      [
        { fs: nodeFileSystem, at: (name: string) => join(folder, name) },
        { fs: memory, at: (name: string) => `/${name}` },
      ].map(async ({ fs, at }) => {
        const seen: unknown[] = [];
        const note = async (work: Promise<unknown>): Promise<void> => {
          const answer = await work.catch((error: { code: string }) => error.code);
          seen.push(answer instanceof Uint8Array ? new TextDecoder().decode(answer) : answer);
        };
        const bytes = new TextEncoder().encode("0123456789");
        await note(fs.read(at("a")));
        await note(fs.open(at("a"), "r+"));
        const file = await fs.open(at("a"), "wx");
        await note(file.write(bytes, 0));
        await note(file.write(bytes.subarray(0, 2), 5));
        await note(file.truncate(8));
        await note(file.sync());
        await note(file.close());
        await note(fs.read(at("a")));
        await note(fs.open(at("a"), "wx"));
        await note(fs.link(at("a"), at("b")));
        await note(fs.link(at("a"), at("b")));
        await note(fs.link(at("none"), at("c")));
        await note(fs.unlink(at("a")));
        await note(fs.unlink(at("a")));
        await note(fs.read(at("b")));
        await note(fs.rename(at("b"), at("c")));
        await note(fs.rename(at("b"), at("c")));
        const emptied = await fs.open(at("c"), "w");
        await note(emptied.write(bytes.subarray(0, 1), 2));
        await note(emptied.close());
        await note(fs.read(at("c")));
        await note(fs.syncFolder(at(".")));
        return seen;
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toContain("01234017");
  });
});
