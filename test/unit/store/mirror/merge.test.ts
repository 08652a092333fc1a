/** What was applied from a mirror is merged once, where it fits, or refused with nothing lost. */

import { describe, expect, test } from "vitest";
import type { JournalEntry } from "../../../../src/model/recorded/journal.ts";
import { putAside } from "../../../../src/store/mirror/shelf.ts";
import { some } from "../../../helpers/amount.ts";
import { plainSeal } from "../../../helpers/seals.ts";
import { begin, run as runEntry } from "../../state/samples.ts";
import { entries, entry, foldStored, initial, problemOf, stateAt } from "../local/fixtures.ts";
import { crash } from "../local/memory-file-system.ts";
import {
  createMachine,
  createServer,
  type Machine,
  runOn,
  runRecord,
  type Server,
} from "./fixtures.ts";

/** A store with entries 1 and 2, which a machine has seen; 3 to 5 are applied from the mirror. */
async function forked(): Promise<{ readonly server: Server; readonly machine: Machine }> {
  const server = createServer();
  const machine = createMachine(server);
  const store = machine.open();
  await runOn(store, async (fence) => {
    await store.compact(initial, fence);
    await store.append(entries(1, 2), fence);
  });
  server.away = true;
  await applyFromMirror(machine, entries(3, 5));
  server.away = false;
  server.appended.splice(0);
  return { server, machine };
}

async function applyFromMirror(machine: Machine, all: readonly JournalEntry[]): Promise<void> {
  const store = machine.fromMirror();
  await runOn(store, async (fence) => {
    for (const one of all) await store.append([one], fence);
    await store.saveRuns([runRecord(`run-${all.length}`)], { drop: [], late: false }, fence);
    const state = foldStored(await store.read());
    if (state !== undefined) await store.compact(state, fence);
  });
}

const remarksOf = async (machine: Machine): Promise<readonly string[]> =>
  ((await machine.open().read()).remarks ?? []).map(({ code }) => code);

async function recordedAt(server: Server): Promise<unknown> {
  return foldStored(await server.store.read());
}

async function others(server: Server, work: (n: number) => readonly JournalEntry[]): Promise<void> {
  const theirs = createMachine(server).open();
  await runOn(theirs, async (fence) => {
    await theirs.append(work(3), fence);
  });
}

test("what only looks has it, and the next run under the lock merges it, once", async () => {
  const { server, machine } = await forked();
  const seen = await machine.open().read();
  expect(foldStored(seen)).toEqual(stateAt(5));
  expect(seen.remarks?.map(({ code }) => code)).toEqual(["STO075"]);
  expect(await recordedAt(server)).toEqual(stateAt(2));
  const store = machine.open();
  await runOn(store, async (fence) => {
    await store.append([entry(6)], fence);
  });
  expect(server.appended).toEqual(entries(3, 6));
  expect(await recordedAt(server)).toEqual(stateAt(6));
  expect((await server.store.runs()).map(({ id }) => id)).toEqual(["run-3"]);
  expect(await remarksOf(machine)).toEqual([]);
  expect(foldStored(await machine.fromMirror().read())).toEqual(stateAt(6));
});

test("runs from the mirror go on from one another, and from what one of them has left open", async () => {
  const { server, machine } = await forked();
  server.away = true;
  const open = [runEntry, begin];
  await applyFromMirror(machine, open);
  const before = foldStored(await machine.fromMirror().read());
  expect(before?.open).toEqual([begin]);
  server.away = false;
  const store = machine.open();
  await runOn(store, async () => {
    expect(foldStored(await store.read())).toEqual(before);
  });
  expect(server.appended).toEqual([...entries(3, 5), ...open]);
});

describe("killed at any moment of merging, it is merged once", () => {
  const merge = async (machine: Machine): Promise<void> => {
    const store = machine.open();
    await runOn(store, async () => {});
  };
  test("by the process, at each call to the disk", async () => {
    const { machine: counted } = await forked();
    counted.fs.arm(undefined);
    await merge(counted);
    const count = counted.fs.calls.length;
    expect(count).toBeGreaterThan(20);
    for (const call of some(
      Array.from({ length: count }, (_, n) => n + 1),
      20,
    )) {
      for (const moment of ["before", "after"] as const) {
        const { server, machine } = await forked();
        machine.fs.arm({ call, moment, error: crash });
        await merge(machine).catch(() => undefined);
        machine.fs.restart();
        machine.fs.arm(undefined);
        await merge(machine);
        expect(server.appended).toEqual(entries(3, 5));
        expect(await remarksOf(machine)).toEqual([]);
        expect(foldStored(await machine.fromMirror().read())).toEqual(stateAt(5));
      }
    }
  });
  test.each(["before", "after"] as const)("by the store, %s it took the entries", async (at) => {
    const { server, machine } = await forked();
    server.onAppend = (_, when) => {
      if (when === at) throw new Error("gone");
    };
    await expect(merge(machine)).rejects.toThrow("gone");
    server.onAppend = () => {};
    await merge(machine);
    expect(server.appended).toEqual(entries(3, 5));
    expect(await recordedAt(server)).toEqual(stateAt(5));
  });
  test("with a part of it there already", async () => {
    const { server, machine } = await forked();
    await runOn(server.store, async (fence) => {
      await server.store.append(entries(3, 4), fence);
    });
    await merge(machine);
    expect(server.appended).toEqual(entries(3, 5));
  });
  test("and others have gone on from there, and compacted", async () => {
    const { server, machine } = await forked();
    const { head } = machine.place();
    const unmerged = machine.fs.text(head) ?? "";
    const runs = machine.fs.text(machine.place().paths.runs) ?? "";
    await merge(machine);
    // As it was before the mirror was told.
    machine.fs.put(head, unmerged);
    machine.fs.put(machine.place().paths.runs, runs);
    await runOn(server.store, async (fence) => {
      await server.store.append([entry(6)], fence);
      await server.store.compact(stateAt(6), fence);
    });
    await merge(machine);
    expect(server.appended).toEqual(entries(3, 6));
    expect(foldStored(await machine.fromMirror().read())).toEqual(stateAt(6));
  });
});

describe("is refused, and nothing is lost", () => {
  const cases: readonly (readonly [string, (server: Server) => Promise<void>, RegExp])[] = [
    [
      "others have recorded something",
      (server) => others(server, (n) => [entry(n + 90)]),
      /up to position 3/,
    ],
    [
      "others have recorded something and compacted",
      async ({ store }) => {
        await runOn(store, async (fence) => {
          await store.append([entry(93)], fence);
          const state = foldStored(await store.read());
          if (state !== undefined) await store.compact(state, fence);
        });
      },
      /up to position 3/,
    ],
    [
      "another state was pushed",
      async ({ store }) => {
        await runOn(store, async (fence) => store.compact({ ...stateAt(2), serial: 5 }, fence));
      },
      /state push/,
    ],
    [
      "another history is there",
      async ({ store }) => {
        const state = { ...stateAt(2), lineage: "lineage-2" };
        await runOn(store, async (fence) => store.compact(state, fence));
      },
      /another history/,
    ],
    [
      "it was brought elsewhere",
      async ({ store }) => {
        const handover = { kind: "moved", other: "there", atMs: 1, who: "bob", host: "b" } as const;
        await runOn(store, async (fence) => store.compact({ ...stateAt(2), handover }, fence));
      },
      /brought to there/,
    ],
  ];
  test.each(cases)("where %s", async (_, meanwhile, why) => {
    const { server, machine } = await forked();
    await meanwhile(server);
    const before = await recordedAt(server);
    const told = await problemOf(machine.open().lock("apply", 0));
    expect(told.code).toBe("STO076");
    expect(told.message).toMatch(why);
    expect(told.fix).toContain("vmform state mirror --discard own");
    expect(told.fix).toContain("vmform state push --force FILE");
    expect(await recordedAt(server)).toEqual(before);
    expect(await remarksOf(machine)).toEqual(["STO076"]);
    expect(foldStored(await machine.fromMirror().read())).toEqual(stateAt(5));
  });

  test("where the store is named otherwise by now", async () => {
    const { machine } = await forked();
    const told = await problemOf(machine.open({ name: "renamed" }).lock("apply", 0));
    expect(told.code).toBe("STO076");
    expect(told.fix).toContain("--discard own");
  });

  test("where the mirror is damaged", async () => {
    const { server, machine } = await forked();
    const { snapshot } = machine.place().paths;
    machine.fs.put(snapshot, "{}");
    expect((await problemOf(machine.open().lock("apply", 0))).code).toBe("STO072");
    expect(server.appended).toEqual([]);
    expect(await remarksOf(machine)).toEqual(["STO072"]);
    expect(machine.fs.text(snapshot)).toBe("{}");
  });
});

test("while a run from the mirror is at work, no other begins on this machine", async () => {
  const { machine } = await forked();
  machine.othersLive = true;
  const store = machine.fromMirror();
  const fence = await store.lock("apply", 0);
  expect((await problemOf(machine.open().lock("apply", 0))).code).toBe("STO077");
  expect((await problemOf(machine.fromMirror().lock("apply", 0))).code).toBe("STO009");
  await store.unlock(fence);
  await runOn(machine.open(), async () => {});
});

test("put aside, all of it is in a file, and the store counts", async () => {
  const { server, machine } = await forked();
  await others(server, (n) => [entry(n + 90)]);
  const place = machine.place();
  const clock = machine.clock;
  const around = {
    ...{ fs: machine.fs, clock, host: "host-a", process: { pid: 1 } },
    ...{ hasEnded: () => true, newId: () => "aside" },
  };
  const options = { around, user: "ann", beside: "/lab/state/default.json", seal: plainSeal() };
  const { state = "", files } = await putAside(place, options);
  expect(files).toEqual([]);
  expect(machine.fs.text(state)).toContain('"lineage": "lineage-1"');
  expect(await remarksOf(machine)).toEqual([]);
  const store = machine.open();
  await runOn(store, async () => {});
});
