/** What the ledger of a run knows beyond recorded state. */

import { describe, expect, test } from "vitest";
import { createLedger } from "../../../src/engine/ledger.ts";
import { allRules } from "../../../src/model/plan/rules.ts";
import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import type { JournalEntry } from "../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../src/model/recorded/recorded.ts";
import { foldAll } from "../../../src/state/fold.ts";
import { initialState } from "../../../src/state/initial.ts";
import { type Parts, withParts } from "../../helpers/parts.ts";
import { beginEntry, recordedObject, recordedState } from "../../helpers/recorded-builder.ts";
import { at } from "../state/samples.ts";
import { engineWorld, ledgerOf } from "./engine-world.ts";

function begin(id: string, parts: Parts<BeginEntry> = {}): BeginEntry {
  const base = beginEntry({
    id,
    subject: { address: at("fake_vm.a"), provider: "fake", identity: "a" },
  });
  return withParts(base, parts);
}

const subject = { provider: "fake", identity: "a" };

test("remote tasks on an object stay known after their operations have ended", async () => {
  const found = begin("found", { handle: "task 1" });
  const state = { ...initialState("lineage", "journal", false), open: [found] };
  const ledger = ledgerOf(engineWorld(() => Promise.reject(new Error("no session")), {}, state));
  expect(ledger.tasksOf(subject)).toEqual(["task 1"]);
  const next = begin("next");
  const other = begin("other", { subject: { address: at("fake_vm.b"), identity: "b" } });
  await ledger.append([next, other]);
  for (const [{ planId, id }, handle] of [
    [next, "task 2"],
    [other, "task 3"],
  ] as const) {
    await ledger.append([{ kind: "handle", planId, id, handle }]);
    await ledger.append([{ kind: "end", planId, id, outcome: "failed", atMs: 1 }]);
  }
  await ledger.compact();
  expect(ledger.tasksOf(subject)).toEqual(["task 1", "task 2"]);
  expect(ledger.tasksOf({ ...subject, identity: "b" })).toEqual(["task 3"]);
  expect(ledger.tasksOf({ ...subject, provider: "fake.east" })).toEqual([]);
});

describe("at the end of a run", () => {
  const wait = (n: number): readonly JournalEntry[] => [
    begin(`step ${n}`),
    { kind: "end", planId: "p1", id: `step ${n}`, outcome: "failed", atMs: n },
  ];

  /** Snapshots of a run that makes so many entries, by twos, after a tail that it has found. */
  async function snapshotsOf(objects: number, entries: number, tail = 0) {
    const all = Array.from({ length: objects }, (_, index) => recordedObject(`fake_vm.o${index}`));
    const state = recordedState(all);
    const world = engineWorld(() => Promise.reject(new Error("no session")), {}, state);
    const written: RecordedState[] = [];
    const compact = world.ports.store.compact.bind(world.ports.store);
    const store = {
      ...world.ports.store,
      compact: async (snapshot: RecordedState, fence: { readonly lockId: string }) => {
        written.push(snapshot);
        await compact(snapshot, fence);
      },
    };
    const ledger = createLedger(store, { lockId: "memory" }, state, allRules, tail);
    const done: JournalEntry[] = [];
    for (let n = 0; n < entries / 2; n += 1) {
      await ledger.append(wait(n));
      done.push(...wait(n));
    }
    await ledger.end();
    const { snapshot = state, journal } = await world.ports.store.read();
    expect(foldAll(snapshot, journal)).toEqual(foldAll(state, done));
    return written.length;
  }

  test.each([
    { objects: 999, entries: 2, tail: 0, snapshots: 1 },
    { objects: 1_000, entries: 2, tail: 0, snapshots: 0 },
    { objects: 1_000, entries: 48, tail: 0, snapshots: 0 },
    { objects: 1_000, entries: 50, tail: 0, snapshots: 1 },
    { objects: 1_000, entries: 2, tail: 47, snapshots: 0 },
    { objects: 1_000, entries: 2, tail: 48, snapshots: 1 },
    { objects: 3_000, entries: 100, tail: 0, snapshots: 0 },
  ])(
    "of $objects objects with $entries entries after $tail: $snapshots snapshots, and all is there",
    async ({ objects, entries, tail, snapshots }) => {
      expect(await snapshotsOf(objects, entries, tail)).toBe(snapshots);
    },
  );
});
