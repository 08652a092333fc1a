/** The history of runs: what is kept of a run that ended, of one that was killed, and who is blamed. */

import { describe, expect, test } from "vitest";
import type { CommandStore } from "../../../../src/commands/environment.ts";
import { blame } from "../../../../src/commands/history/blame.ts";
import { createRunKeeper, type KeeperEnvironment } from "../../../../src/commands/history/keep.ts";
import type { JournalEntry } from "../../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import type { RunRecord } from "../../../../src/model/recorded/run-record.ts";
import type { StoreError } from "../../../../src/model/recorded/store.ts";
import { foldAll } from "../../../../src/state/fold.ts";
import {
  decodeRuns,
  encodeRun,
  encodeRuns,
  roomFor,
} from "../../../../src/state/form/run-lines.ts";
import { createMemoryStore } from "../../../../src/store/memory/memory-store.ts";
import {
  address,
  beginEntry,
  recordedObject,
  recordedState,
} from "../../../helpers/recorded-builder.ts";
import { keySeal, plainSeal } from "../../../helpers/seals.ts";
import { runRecord } from "../../../stores/conformance.ts";

const dayMs = 24 * 60 * 60 * 1000;
const web = recordedObject("daemon_vm.web", {
  attributes: { id: "web", name: "Web", power_state: "running" },
});
const start = recordedState([web], { journal: { id: "j1", position: 0 } });
const begin = beginEntry({ atMs: 10 });
const end: JournalEntry = {
  kind: "end",
  planId: begin.planId,
  id: begin.id,
  outcome: "success",
  atMs: 20,
  attributes: { name: "Web", power_state: "stopped" },
};
const renamed: JournalEntry = {
  kind: "observed",
  address: web.address,
  objectKey: "current",
  existence: "found",
  attributes: { ...web.attributes, name: "Shop" },
};

function place(store = createMemoryStore("here")) {
  const told: string[] = [];
  let nowMs = 5;
  let ids = 0;
  const commandStore: CommandStore = {
    ...store,
    writeEmergencyCopy: () => Promise.reject<StoreError>(new Error("nothing is saved elsewhere")),
  };
  const environment: KeeperEnvironment = {
    clock: { now: () => nowMs, sleep: () => Promise.resolve() },
    newId: () => `run-${(ids += 1)}`,
    operator: { who: "ann", host: "host-a" },
    version: "0.1.0",
    remark: (diagnostics) => void told.push(...diagnostics.map(({ code }) => code)),
    maskText: (text) => text.replaceAll("hunter2", "***"),
  };
  const open = async (command = "apply", keepMs = 365 * dayMs, how = "folds") => {
    const fence = await commandStore.lock(command, 0);
    const keeper = createRunKeeper(environment, commandStore, fence, { command, keepMs });
    const { snapshot, journal } = await keeper.store.read();
    if (snapshot !== undefined && how === "folds")
      keeper.know({ state: foldAll(snapshot, journal) });
    return { ...keeper, fence };
  };
  const fill = async (state: RecordedState) =>
    commandStore.compact(state, await commandStore.lock("test", 0));
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { open, fill, pass, told, runs: () => commandStore.runs() };
}

describe("a run", () => {
  test("that writes nothing leaves nothing", async () => {
    const { open, fill, runs } = place();
    await fill(start);
    const run = await open();
    await run.end("done");
    expect(await runs()).toEqual([]);
  });

  test("is there from its first write on, and tells its operations at its end", async () => {
    const { open, fill, pass, runs } = place();
    await fill(start);
    const run = await open();
    await Promise.all([
      run.store.append([renamed], run.fence),
      run.store.append([begin], run.fence),
    ]);
    const [begun] = await runs();
    expect(begun).toMatchObject({ id: "run-1", who: "ann", operations: [], position: 0 });
    expect(begun?.end).toBeUndefined();
    await run.store.append([end], run.fence);
    run.notes.say([{ severity: "error", code: "X", summary: "s", detail: "hunter2 is wrong" }]);
    pass(100);
    await run.end("failed");
    const [ended] = await runs();
    expect(ended).toMatchObject({
      position: 3,
      changes: [{ what: "outside", address: "daemon_vm.web", attributes: ["name"] }],
      operations: [{ verb: begin.verb, outcome: "success", attributes: ["name", "power_state"] }],
      said: ["error X: *** is wrong"],
      end: { atMs: 105, outcome: "failed", serial: start.serial },
    });
  });

  test.each([false, true])(
    "that was killed is told by the next, compacted meanwhile: %s",
    async (isCompacted) => {
      const { open, fill, runs } = place();
      await fill(start);
      const killed = await open();
      await killed.store.append([begin], killed.fence);
      if (isCompacted) await killed.store.compact(foldAll(start, [begin]), killed.fence);
      const next = await open();
      await next.store.append([{ ...end, kind: "closed" }], next.fence);
      await next.end("done");
      const [first, second] = await runs();
      expect(first).toMatchObject({ id: "run-1", position: 1, end: { outcome: "lost" } });
      expect(first?.operations).toMatchObject([{ id: begin.id, beganMs: 10 }]);
      expect(first?.operations[0]?.outcome).toBeUndefined();
      expect(second?.operations).toMatchObject([
        { id: begin.id, settled: true, outcome: "success", attributes: ["power_state"] },
      ]);
    },
  );

  test("goes when it is old, and never while its entries are in the journal", async () => {
    const { open, fill, pass, runs } = place();
    await fill(start);
    const first = await open("state rm");
    await first.store.append([renamed], first.fence);
    await first.end("done");
    pass(2 * dayMs);
    const second = await open("apply", dayMs);
    await second.store.append([begin], second.fence);
    await second.store.compact(foldAll(start, [renamed, begin]), second.fence);
    await second.end("done");
    expect((await runs()).map(({ id }) => id)).toEqual(["run-1", "run-2"]);
    pass(2 * dayMs);
    const third = await open("apply", dayMs);
    await third.store.append([end], third.fence);
    await third.end("done");
    // Whether so much time has passed, the run after it knows.
    expect((await runs()).map(({ id }) => id)).toEqual(["run-2", "run-3"]);
  });

  test("stays though the clock of a later run is years ahead", async () => {
    const { open, fill, pass, runs } = place();
    await fill(start);
    let state = start;
    for (const days of [0, 1, 3_000, -2_999]) {
      pass(days * dayMs);
      const run = await open();
      await run.store.append([renamed], run.fence);
      state = foldAll(state, [renamed]);
      await run.store.compact(state, run.fence);
      await run.end("done");
    }
    expect((await runs()).map(({ id }) => id)).toEqual(["run-1", "run-2", "run-3", "run-4"]);
  });

  test("has its place among others where the command folds by itself what it reads", async () => {
    const { open, fill, pass, runs } = place();
    await fill(start);
    const first = await open();
    await first.store.append([renamed], first.fence);
    await first.end("done");
    pass(1);
    const second = await open("state reseal", undefined, "reads alone");
    await second.store.compact(foldAll(start, [renamed]), second.fence);
    await second.end("done");
    expect((await runs()).map(({ id, position }) => [id, position])).toEqual([
      ["run-1", 1],
      ["run-2", 1],
    ]);
  });

  test("adopts an object with what is first read of it, and tells later changes as such", async () => {
    const { open, runs } = place();
    const run = await open("adopt");
    const adopt: JournalEntry = {
      kind: "note",
      note: { what: "adopt", object: { ...web, attributes: {} } },
    };
    const read: JournalEntry = { ...renamed, attributes: web.attributes };
    await run.store.append([adopt, read, renamed], run.fence);
    await run.end("done");
    const { address: of } = web;
    expect((await runs())[0]?.changes).toEqual([
      { what: "adopted", address: of, attributes: ["id", "name", "power_state"] },
      { what: "outside", address: of, attributes: ["name"] },
    ]);
  });

  test("whose record cannot be saved goes on, and says so once", async () => {
    const broken = createMemoryStore("here");
    const { open, fill, told } = place({
      ...broken,
      saveRuns: () => Promise.reject(new Error("no space left")),
    });
    await fill(start);
    const run = await open();
    expect(await run.store.append([begin, end], run.fence)).toBe(2);
    await run.end("done");
    expect(told).toEqual(["CLI053"]);
  });
});

describe("blame", () => {
  const told = (record: RunRecord) => ({ ...record, status: "done" as const });
  const change = (what: "outside" | "along", attributes: readonly string[]) => ({
    ...{ what, attributes, address: web.address },
  });
  const operation = (attributes: readonly string[], at = web.address) => ({
    ...{ planId: "p", id: "i", verb: "resize", address: at, beganMs: 1 },
    ...{ outcome: "success" as const, attributes },
  });

  test("takes the last that changed it, under the names that the object had", () => {
    const old = address("daemon_vm.old");
    const runs = [
      runRecord("a", { operations: [operation(["id", "name", "tag"], old)] }),
      runRecord("b", { changes: [{ what: "moved", address: web.address, from: old }] }),
      runRecord("c", {
        operations: [operation(["name"])],
        changes: [change("outside", ["name", "power_state"]), change("along", ["ip"])],
      }),
    ];
    const names = new Set(["id", "name", "power_state", "ip", "other"]);
    const found = [...blame(runs.map(told), web.address, names)];
    expect(found.map(([name, { how, run }]) => [name, how, run?.id])).toEqual([
      ["ip", "along", "c"],
      ["name", "operation", "c"],
      ["power_state", "outside", "c"],
      ["id", "operation", "a"],
    ]);
  });

  test("ends where another object was at the address, or all was pushed", () => {
    const first = runRecord("a", { operations: [operation(["id", "name"])] });
    const gone = runRecord("b", { changes: [{ what: "forgotten", address: web.address }] });
    const names = new Set(["id"]);
    expect([...blame([first, gone].map(told), web.address, names)]).toEqual([]);
    const pushed = runRecord("c", { command: "state push" });
    expect(blame([first, pushed].map(told), web.address, names).get("id")).toMatchObject({
      how: "pushed",
    });
  });
});

describe("records as text", () => {
  test("lines that are torn or of something else are passed over", () => {
    const [one, two] = [runRecord("one"), runRecord("two")];
    const text = `${encodeRun(one)}\n{"id":"torn"\n\n7\n"x"\n${encodeRun(two)}`;
    expect(decodeRuns(text, plainSeal())).toEqual([one, two]);
  });

  test("nothing of them can be read where recorded state is encrypted", () => {
    const run = runRecord("one", { said: ["canary"] });
    const text = encodeRuns([run], keySeal());
    expect(text).not.toMatch(/canary|ann|apply|host-a/);
    expect(decodeRuns(text, keySeal())).toEqual([run]);
    expect(() => decodeRuns(text, plainSeal())).toThrow(/encrypted/);
  });

  test("where there is little room, old ones go, and a long one is cut but for what failed", () => {
    const operations = Array.from({ length: 400 }, (_, index) => ({
      ...{ planId: "p", id: `${index}`, verb: "on", address: web.address, beganMs: index },
      outcome: index === 399 ? ("failed" as const) : ("success" as const),
    }));
    const runs = Array.from({ length: 20 }, (_, index) =>
      runRecord(`run-${index}`, { position: index, ...(index === 19 ? { operations } : {}) }),
    );
    const kept = roomFor(runs, 4_000);
    expect(kept.map(encodeRun).join("").length).toBeLessThanOrEqual(4_000);
    expect(kept.length).toBeGreaterThan(2);
    const last = kept.at(-1);
    expect(last?.id).toBe("run-19");
    expect(last?.operations[0]?.outcome).toBe("failed");
    expect((last?.leftOut ?? 0) + (last?.operations.length ?? 0)).toBe(400);
  });
});
