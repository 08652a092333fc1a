/**
 * Any file operation fails with an error and the run goes on: what is acknowledged stays, nothing is
 * appended behind a gap, and after a failed write nothing more is.
 */

import { describe, expect, test } from "vitest";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import { type Fence, StoreError } from "../../../../src/model/recorded/store.ts";
import { nowhere } from "../../../../src/model/said/problem.ts";
import { problem as storeProblem } from "../../../../src/state/codes.ts";
import type { LocalStore } from "../../../../src/store/local/local-store.ts";
import {
  entries,
  entry,
  foldStored,
  initial,
  openStore,
  path,
  problemOf,
  stateAt,
} from "./fixtures.ts";
import {
  createMemoryFileSystem,
  type Fault,
  type FaultMoment,
  type MemoryFileSystem,
} from "./memory-file-system.ts";

/** What each step answered: positions, `done`, or the code of its error. */
type Answers = (number | string)[];

/** Appends and compactions, each step made whatever became of the ones before. */
async function run(store: LocalStore): Promise<{ answers: Answers; acknowledged: number }> {
  const answers: Answers = [];
  let acknowledged = 0;
  let submitted = 0;
  const note = async (work: Promise<unknown>): Promise<void> => {
    const answer = await work.catch((error: unknown) => error);
    if (answer instanceof StoreError) answers.push(answer.code);
    else if (answer instanceof Error) throw answer;
    else answers.push(typeof answer === "number" ? answer : "done");
  };
  const fence = await store.lock("apply", 0).catch((error: unknown) => error);
  if (fence instanceof StoreError) return { answers: [fence.code], acknowledged };
  const held = fence as Fence;
  const append = async (count: number): Promise<void> => {
    const first = submitted + 1;
    submitted += count;
    const writes = Array.from({ length: count }, async (_, index) => {
      const position = await store.append([entry(first + index)], held);
      acknowledged = Math.max(acknowledged, position);
      return position;
    });
    await Promise.all(writes.map(note));
  };
  const compact = (state: RecordedState): Promise<void> => note(store.compact(state, held));
  await note(store.read());
  await compact(initial);
  if (answers.at(-1) !== "done") await compact(initial);
  if (answers.at(-1) !== "done") return { answers, acknowledged };
  await append(1);
  await append(2);
  await compact(stateAt(acknowledged));
  await append(2);
  await compact(stateAt(acknowledged));
  await append(1);
  await note(store.unlock(held));
  return { answers, acknowledged };
}

async function countCalls(): Promise<number> {
  const fs = createMemoryFileSystem();
  const { answers } = await run(openStore(fs));
  expect(answers).toEqual(["done", "done", 1, 2, 3, "done", 4, 5, "done", 6, "done"]);
  return fs.calls.length;
}

async function check(fs: MemoryFileSystem, fault: Fault): Promise<Answers> {
  fs.arm(fault);
  const { answers, acknowledged } = await run(openStore(fs));
  expect(fs.met()).toBe(true);
  fs.arm(undefined);
  for (const power of [false, true]) {
    if (power) fs.cutPower(() => false);
    const found = foldStored(await openStore(fs).read());
    const position = found?.journal.position ?? 0;
    expect(position).toBeGreaterThanOrEqual(acknowledged);
    if (found !== undefined) expect(found).toEqual(stateAt(position));
  }
  const store = openStore(fs);
  const fence = await store.lock("apply", 0);
  const found = foldStored(await store.read());
  const position = found?.journal.position ?? 0;
  if (found === undefined) await store.compact(initial, fence);
  expect(await store.append([entry(position + 1)], fence)).toBe(position + 1);
  await store.unlock(fence);
  expect(foldStored(await openStore(fs).read())).toEqual(stateAt(position + 1));
  return answers;
}

const moments: readonly FaultMoment[] = ["before", "partly", "after"];

test.each(["EIO", "ENOSPC", "EACCES"])("%s at any file operation", async (error) => {
  const calls = await countCalls();
  const codes = new Set<number | string>();
  for (let call = 1; call <= calls; call += 1) {
    for (const moment of moments) {
      const answers = await check(createMemoryFileSystem(), { call, moment, error });
      for (const answer of answers) codes.add(answer);
    }
  }
  // Each kind of failure was met: unreadable, unwritable, and stopped after a failed write.
  expect([...codes].filter((code) => typeof code === "string").toSorted()).toEqual([
    "STO006",
    "STO007",
    "STO008",
    "done",
  ]);
});

/** A store that holds the lock and recorded three entries. */
async function begin(): Promise<{ fs: MemoryFileSystem; store: LocalStore; fence: Fence }> {
  const fs = createMemoryFileSystem();
  const store = openStore(fs);
  const fence = await store.lock("apply", 0);
  await store.compact(initial, fence);
  await store.append(entries(1, 3), fence);
  return { fs, store, fence };
}

/** Fails the first call with this beginning from now on. */
async function failOn(fs: MemoryFileSystem, name: string, fault: Omit<Fault, "call">) {
  fs.arm(undefined);
  fs.gate = async (call) => {
    if (!call.startsWith(name)) return;
    fs.gate = async () => {};
    fs.arm({ call: 1, ...fault });
  };
}

describe("a failed append", () => {
  test.each<[string, Omit<Fault, "call">]>([
    ["write", { moment: "before", error: "ENOSPC" }],
    ["write", { moment: "partly", error: "ENOSPC" }],
    ["write", { moment: "after", error: "EIO" }],
    ["sync", { moment: "before", error: "EIO" }],
    ["sync", { moment: "after", error: "EIO" }],
  ])("%s %o: rejects its whole batch and everything later", async (name, fault) => {
    const { fs, store, fence } = await begin();
    await failOn(fs, `${name} ${path}.journal`, fault);
    const [first, second] = [store.append([entry(4)], fence), store.append([entry(5)], fence)];
    expect(await problemOf(first)).toMatchObject({ code: "STO007" });
    expect(await problemOf(second)).toMatchObject({ code: "STO007" });
    const later = await problemOf(store.append([entry(4)], fence));
    expect(later.code).toBe("STO008");
    expect(later.message).toContain(fault.error);
    expect((await problemOf(store.compact(stateAt(3), fence))).code).toBe("STO008");
    await store.unlock(fence);
    // Nothing of the batch is left behind.
    expect(foldStored(await openStore(fs).read())).toEqual(stateAt(3));
  });

  test("says what to do about a full disk", async () => {
    const { fs, store, fence } = await begin();
    await failOn(fs, `write ${path}.journal`, { moment: "before", error: "ENOSPC" });
    const problem = await problemOf(store.append([entry(4)], fence));
    expect(problem.message).toContain(`${path} cannot be written: ENOSPC`);
    expect(problem.fix).toBe("Free some space, then run the same command again.");
  });
});

test("a compaction that fails before it replaces anything leaves the store usable", async () => {
  const { fs, store, fence } = await begin();
  await failOn(fs, `write ${path}.tmp`, { moment: "partly", error: "ENOSPC" });
  expect((await problemOf(store.compact(stateAt(3), fence))).code).toBe("STO007");
  expect(fs.paths().filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(await store.append([entry(4)], fence)).toBe(4);
  await store.compact(stateAt(4), fence);
  await store.unlock(fence);
  expect(foldStored(await openStore(fs).read())).toEqual(stateAt(4));
});

test.each([
  ["EACCES", "Run as the user who may write to that folder, or change its permissions."],
  ["EROFS", "Put the state on a file system that can be written: vmform.state.local.path."],
])("a folder that cannot be written, %s: the lock says so and what to do", async (code, fix) => {
  const fs = createMemoryFileSystem();
  const refused = Object.assign(new Error(`${code}: refused`), { code });
  const store = openStore({ ...fs, open: () => Promise.reject(refused) });
  const problem = await problemOf(store.lock("apply", 0));
  expect([problem.code, problem.fix]).toEqual(["STO007", fix]);
  expect(problem.message).toContain(`${path} cannot be written: ${code}`);
});

test("a write of no bytes is an error, not an endless loop", async () => {
  const { fs, store, fence } = await begin();
  fs.writeMax = 0;
  expect((await problemOf(store.append([entry(4)], fence))).message).toContain("wrote nothing");
});

describe("an emergency copy", () => {
  const cause = new StoreError(
    storeProblem(nowhere, "STO007", { detail: "The disk is full.", fix: "Free some space." }),
  );

  test("is written beside the state, and can be put back", async () => {
    const { fs, store } = await begin();
    const problem = await store.writeEmergencyCopy(stateAt(5), cause);
    const copy = fs.paths().find((name) => name.includes("emergency"));
    expect(copy).toBe(`${path}.emergency-2023-11-14T22-13-20-000Z`);
    expect(problem.message).toContain(`An emergency copy is in ${copy}`);
    expect(problem.message).toContain("The disk is full.");
    expect(problem.fix).toContain(`copy ${copy} over ${path}`);
    fs.put(path, fs.text(copy ?? "") ?? "");
    const next = openStore(fs);
    expect(foldStored(await next.read())).toEqual(stateAt(5));
    const fence = await next.lock("apply", 0);
    expect(await next.append([entry(6)], fence)).toBe(6);
    expect(foldStored(await next.read())).toEqual(stateAt(6));
    fs.cutPower(() => false);
    expect(foldStored(await openStore(fs).read())).toEqual(stateAt(6));
  });

  test("goes to the folder for temporary files when the own folder takes nothing", async () => {
    const fs = createMemoryFileSystem();
    const store = openStore(fs, { temporaryFolder: "/tmp/somewhere" });
    fs.arm({ call: 1, moment: "before", error: "EROFS" });
    const problem = await store.writeEmergencyCopy(stateAt(5), cause);
    expect(fs.paths()).toEqual(["/tmp/somewhere/web.json.emergency-2023-11-14T22-13-20-000Z"]);
    expect(problem.message).toContain(fs.paths()[0]);
  });

  test.each([1, 2])("of a run whose lock was taken away is no state (write %d)", async (writes) => {
    const { fs, store, fence } = await begin();
    const thief = openStore(fs, { hasEnded: () => false, user: "eve" });
    await thief.forceUnlock(fence.lockId);
    await thief.lock("apply", 0);
    if (writes === 2) await problemOf(store.append([entry(4)], fence));
    const refused = await problemOf(store.append([entry(4)], fence));
    expect(refused.code).toBe(writes === 2 ? "STO008" : "STO010");
    const problem = await store.writeEmergencyCopy(stateAt(4), refused);
    const copy = fs.paths().find((name) => name.includes("emergency"));
    expect(problem.code).toBe("STO010");
    expect(problem.message).toContain(`is in ${copy}, to be looked at`);
    expect(problem.fix).toContain(`Do not copy it over ${path}`);
  });

  test("says so when no place takes it", async () => {
    const fs = createMemoryFileSystem();
    const broken = { ...fs, open: () => Promise.reject(new Error("EROFS")) };
    const problem = await openStore(broken).writeEmergencyCopy(stateAt(5), cause);
    expect(problem.message).toContain("nor could an emergency copy");
  });
});
