/** A mirror is what its store was, never fails a run, and never goes backwards. */

import { describe, expect, test } from "vitest";
import { foldAll } from "../../../../src/state/fold.ts";
import { encodeState } from "../../../../src/state/form/encode.ts";
import { some } from "../../../helpers/amount.ts";
import { keySeal, plainSeal, testKey } from "../../../helpers/seals.ts";
import { entries, entry, foldStored, initial, problemOf, stateAt } from "../local/fixtures.ts";
import { crash, createMemoryFileSystem } from "../local/memory-file-system.ts";
import { createMachine, createServer, folder, type Machine, runOn } from "./fixtures.ts";

/** The first run: a snapshot, entries, a compaction, and entries after it. */
async function firstRun(machine: Machine): Promise<void> {
  const store = machine.open();
  await runOn(store, async (fence) => {
    await store.compact(initial, fence);
    await store.append([entry(1)], fence);
    await Promise.all([store.append([entry(2)], fence), store.append(entries(3, 4), fence)]);
    await store.compact(stateAt(4), fence);
    await store.append([entry(5)], fence);
  });
}

const mirrorPosition = async (machine: Machine): Promise<number | undefined> =>
  foldStored(await machine.fromMirror().read())?.journal.position;

test("what was read and written is in the mirror, with who may read it and as of when", async () => {
  const server = createServer();
  const machine = createMachine(server);
  await firstRun(machine);
  expect(machine.said).toEqual([]);
  server.away = true;
  await machine.clock.sleep(12 * 60_000 + 5000);
  const stored = await machine.fromMirror().read();
  expect(foldStored(stored)).toEqual(stateAt(5));
  const [told] = stored.remarks ?? [];
  expect(told?.code).toBe("STO070");
  expect(told?.detail).toMatch(/mirror of https:\S+ as of 12 min ago \(.+\), position 5\./);
  expect(machine.fs.text(`${folder}/.gitignore`)).toBe("*\n");
});

test("what others have written comes with the next read", async () => {
  const server = createServer();
  const [machine, other] = [createMachine(server), createMachine(server)];
  await firstRun(machine);
  const theirs = other.open();
  await runOn(theirs, async (fence) => {
    await theirs.append([entry(6)], fence);
    await theirs.compact(stateAt(6), fence);
  });
  expect(await mirrorPosition(machine)).toBe(5);
  const reading = machine.open();
  expect((await reading.read()).remarks).toBeUndefined();
  expect(await mirrorPosition(machine)).toBe(6);
});

test("a store that was read again and has nothing new costs one small write", async () => {
  const server = createServer();
  const machine = createMachine(server);
  await firstRun(machine);
  machine.fs.arm(undefined);
  await machine.open().read();
  const written = machine.fs.calls.filter((call) => /^(write|rename)/.test(call));
  expect(written.filter((call) => !/\.(head|lock)/.test(call))).toEqual([]);
});

test("an entry costs the same however many there were", async () => {
  const server = createServer();
  const machine = createMachine(server);
  const store = machine.open();
  const costs: number[] = [];
  await runOn(store, async (fence) => {
    await store.compact(initial, fence);
    for (const n of [1, 2, 3, 40, 41]) {
      machine.fs.arm(undefined);
      await store.append([entry(n)], fence);
      costs.push(machine.fs.calls.length);
    }
  });
  expect(new Set(costs.slice(1)).size).toBe(1);
});

describe("a store that does not answer", () => {
  test("is told with the way out, where there is one", async () => {
    const server = createServer();
    const machine = createMachine(server);
    server.away = true;
    expect((await problemOf(machine.open().read())).fix).toBe("Mend it.");
    expect((await problemOf(machine.fromMirror().read())).code).toBe("STO071");
    server.away = false;
    await firstRun(machine);
    server.away = true;
    for (const work of [machine.open().read(), machine.open().lock("apply", 0)]) {
      const told = await problemOf(work);
      expect(told.code).toBe("STO028");
      expect(told.fix).toMatch(/^Mend it\. .*position 5: with --state-from mirror/);
    }
  });
});

describe("the store is behind what was seen in it", () => {
  test("is told, and the mirror stays", async () => {
    const server = createServer();
    const machine = createMachine(server);
    await firstRun(machine);
    const behind = createServer();
    await runOn(behind.store, async (fence) => behind.store.compact(stateAt(3), fence));
    const here = createMachine(behind, machine.fs);
    await machine.clock.sleep(1000);
    await here.clock.sleep(2000);
    const { remarks = [] } = await here.open().read();
    expect(remarks.map(({ code }) => code)).toEqual(["STO074"]);
    expect(await mirrorPosition(machine)).toBe(5);
  });
  test("is told also where the run that saw more was killed", async () => {
    const server = createServer();
    const machine = createMachine(server);
    await firstRun(machine);
    const killed = machine.open();
    const fence = await killed.lock("apply", 0);
    await killed.read();
    await killed.append([entry(6)], fence);
    const behind = createServer();
    await runOn(behind.store, async (held) => behind.store.compact(stateAt(5), held));
    const here = createMachine(behind, machine.fs);
    await here.clock.sleep(60_000);
    const { remarks = [] } = await here.open().read();
    expect(remarks.map(({ code }) => code)).toEqual(["STO074"]);
    expect(await mirrorPosition(machine)).toBe(6);
  });
  test("is told where nothing is recorded any more, until another history begins", async () => {
    const machine = createMachine(createServer());
    await firstRun(machine);
    const empty = createMachine(createServer(), machine.fs);
    const { snapshot, remarks = [] } = await empty.open().read();
    expect(snapshot).toBeUndefined();
    expect(remarks.map(({ code }) => code)).toEqual(["STO074"]);
    expect(await mirrorPosition(machine)).toBe(5);
    const begun = { ...initial, lineage: "lineage-2" };
    const store = empty.open();
    await runOn(store, async (fence) => store.compact(begun, fence));
    expect(foldStored(await machine.fromMirror().read())).toEqual(begun);
  });
  test("another history takes its place", async () => {
    const server = createServer();
    const machine = createMachine(server);
    await firstRun(machine);
    const other = createServer();
    const state = { ...stateAt(2), lineage: "lineage-2", journal: { id: "other", position: 2 } };
    await runOn(other.store, async (fence) => other.store.compact(state, fence));
    await createMachine(other, machine.fs).open().read();
    expect(foldStored(await machine.fromMirror().read())).toEqual(state);
  });
});

const calls = await (async () => {
  const machine = createMachine(createServer());
  machine.fs.arm(undefined);
  await firstRun(machine);
  return [...machine.fs.calls];
})();
const points = calls.map((_, index) => index + 1);
const writing = points.filter((point) => !calls[point - 1]?.startsWith("read "));

test("there are enough calls to fail", () => {
  expect(writing.length).toBeGreaterThan(40);
});

describe("whatever the disk refuses, the run does all it would, and it is told once", () => {
  test.each(some(writing, 12))("call %i", async (call) => {
    const server = createServer();
    const machine = createMachine(server);
    machine.fs.arm({ call, moment: "before", error: "ENOSPC" });
    await firstRun(machine);
    expect(machine.fs.met()).toBe(true);
    expect(foldStored(await server.store.read())).toEqual(stateAt(5));
    expect(machine.said.length).toBeLessThanOrEqual(1);
    for (const { code } of machine.said) expect(code).toBe("STO073");
    machine.fs.arm(undefined);
    await machine.open().read();
    expect(await mirrorPosition(machine)).toBe(5);
  });
});

describe("killed anywhere, the mirror is a part of the history, and the next read mends it", () => {
  const moments = points.flatMap((call) =>
    (["before", "after", "partly"] as const).map((moment) => ({ call, moment })),
  );
  test.each(some(moments, 20))("$moment call $call", async ({ call, moment }) => {
    const server = createServer();
    const machine = createMachine(server);
    machine.fs.arm({ call, moment, error: crash });
    await firstRun(machine).catch(() => undefined);
    machine.fs.restart();
    machine.fs.arm(undefined);
    // The process is gone, and what it would have done afterwards was not done.
    const seen = await machine
      .fromMirror()
      .read()
      .catch(() => undefined);
    const state = seen && foldStored(seen);
    const position = state?.journal.position ?? 0;
    if (state !== undefined) expect(encodeState(state)).toBe(encodeState(stateAt(position)));
    const store = machine.open();
    await runOn(store, async (fence) => {
      const found = foldStored(await store.read());
      if (found === undefined) await store.compact(initial, fence);
      const stored = found ?? initial;
      expect(position).toBeLessThanOrEqual(stored.journal.position);
      await store.append([entry(stored.journal.position + 1)], fence);
    });
    const stored = await server.store.read();
    const now = foldStored(stored);
    expect(foldStored(await machine.fromMirror().read())).toEqual(now);
    expect(machine.said.length).toBeLessThanOrEqual(1);
  });
});

describe("encrypted", () => {
  const words = (machine: Machine): string =>
    machine.fs
      .paths()
      .map((path) => machine.fs.text(path))
      .join("\n");

  test("nothing of what is recorded can be read, and another key is its own error", async () => {
    const server = createServer();
    const machine = createMachine(server);
    const store = machine.open({ seal: keySeal() });
    await runOn(store, async (fence) => {
      await store.compact(initial, fence);
      await store.append([entry(1)], fence);
    });
    expect(words(machine)).toContain("lineage-1");
    expect(words(machine)).not.toContain('"outputs"');
    expect(foldStored(await machine.fromMirror(keySeal()).read())).toEqual(stateAt(1));
    const other = keySeal({ first: testKey("2") });
    const told = await problemOf(machine.fromMirror(other).read());
    expect(told.code).toBe("STO072");
    expect(told.message).toContain("key");
  });

  test("a rotated key reads it, and the next read of the store seals it anew", async () => {
    const server = createServer();
    const machine = createMachine(server);
    const store = machine.open({ seal: keySeal() });
    await runOn(store, async (fence) => store.compact(initial, fence));
    const rotated = () => keySeal({ first: testKey("2"), former: [testKey()] });
    expect(foldStored(await machine.fromMirror(rotated()).read())).toEqual(initial);
    await machine.open({ seal: rotated() }).read();
    const alone = keySeal({ first: testKey("2") });
    expect(foldStored(await machine.fromMirror(alone).read())).toEqual(initial);
  });

  test("one that was not encrypted is, once the store was read", async () => {
    const server = createServer();
    const machine = createMachine(server);
    await firstRun(machine);
    await machine.open({ seal: keySeal({ unencrypted: "read" }) }).read();
    expect(words(machine)).not.toContain('"outputs"');
    expect(foldStored(await machine.fromMirror(keySeal()).read())).toEqual(stateAt(5));
  });
});

describe("a mirror that cannot be read", () => {
  const damages = [
    ["a head that was cut", (text: string) => text.slice(0, 40), "STO072"],
    ["an empty head", () => "", "STO072"],
    [
      "a head of a later version",
      (text: string) => text.replace('"formatVersion": 1', '"formatVersion": 2'),
      "STO072",
    ],
  ] as const;
  test.each(damages)(
    "%s: nothing replaces it, and no run goes over it",
    async (_, damage, code) => {
      const server = createServer();
      const machine = createMachine(server);
      await firstRun(machine);
      const { head } = machine.place();
      const damaged = damage(machine.fs.text(head) ?? "");
      machine.fs.put(head, damaged);
      expect((await problemOf(machine.fromMirror().read())).code).toBe(code);
      const { remarks = [] } = await machine.open().read();
      expect(remarks.map((one) => one.code)).toEqual([code]);
      expect((await problemOf(machine.open().lock("apply", 0))).code).toBe(code);
      expect(machine.fs.text(head)).toBe(damaged);
    },
  );

  test("a torn snapshot of one that nothing was applied from is replaced", async () => {
    const server = createServer();
    const machine = createMachine(server);
    await firstRun(machine);
    const { snapshot } = machine.place().paths;
    machine.fs.put(snapshot, (machine.fs.text(snapshot) ?? "").slice(0, 100));
    expect((await problemOf(machine.fromMirror().read())).code).toBe("STO072");
    const store = machine.open();
    await runOn(store, async (fence) => {
      await store.append([entry(6)], fence);
      await store.compact({ ...stateAt(6), serial: 9 }, fence);
    });
    expect(await mirrorPosition(machine)).toBe(6);
  });
});

test("a push at the same position is another state, and so is the mirror's", async () => {
  const server = createServer();
  const machine = createMachine(server);
  await firstRun(machine);
  const pushed = { ...stateAt(5), serial: 7, outputs: [] };
  const store = machine.open();
  await runOn(store, async (fence) => store.compact(pushed, fence));
  expect(foldStored(await machine.fromMirror().read())).toEqual(pushed);
  expect(foldAll(initial, []).serial).toBe(0);
});

test("a head that the system does not let it read may tell of what is not merged", async () => {
  const machine = createMachine(createServer());
  await firstRun(machine);
  machine.fs.gate = async (call) => {
    const isHead = call === `read ${machine.place().head}`;
    if (isHead) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
  };
  expect((await problemOf(machine.open().lock("apply", 0))).code).toBe("STO072");
});

test("a file system that cannot lock keeps none, and says so once", async () => {
  const fs = createMemoryFileSystem();
  const machine = createMachine(createServer(), fs);
  fs.gate = async (call) => {
    if (call.startsWith("makeFolder")) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
  };
  await firstRun(machine);
  expect(machine.said.map(({ code }) => code)).toEqual(["STO073"]);
  expect(fs.paths()).toEqual([]);
  expect(plainSeal().writes).toBe("plain");
});
