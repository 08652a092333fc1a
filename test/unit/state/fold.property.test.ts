/** What holds of `fold` for every plausible journal, wherever a snapshot was taken. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalEntry } from "../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../src/model/recorded/recorded.ts";
import { fold, foldAll } from "../../../src/state/fold.ts";
import { decodeState, encodeState } from "../../../src/state/form/encode.ts";
import { verifyState } from "../../../src/state/integrity.ts";
import { histories } from "./history.ts";
import { emptyState } from "./samples.ts";

test("a snapshot and its tail give the same as the whole journal, at every cut", () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const whole = foldAll(emptyState, entries);
      let head = emptyState;
      for (let cut = 0; cut <= entries.length; cut += 1) {
        const snapshot = decodeState(encodeState(head));
        expect(foldAll(snapshot, entries.slice(cut))).toEqual(whole);
        const next = entries[cut];
        if (next !== undefined) head = fold(head, next);
      }
      expect(head).toEqual(whole);
    }),
  );
});

test("folding changes neither the state nor the entry it is given", () => {
  fc.assert(
    fc.property(histories, (entries) => {
      // A frozen object throws when it is changed.
      let state: RecordedState = deepFreeze(emptyState);
      for (const entry of entries) state = deepFreeze(fold(state, deepFreeze(entry)));
      expect(state).toEqual(foldAll(emptyState, entries));
    }),
  );
});

test("each entry counts once, and only a run bumps the serial", () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const state = foldAll(emptyState, entries);
      expect(state.journal).toEqual({ id: emptyState.journal.id, position: entries.length });
      expect(state.serial).toBe(entries.filter((entry) => entry.kind === "run").length);
    }),
  );
});

test("an operation is open from its begin to its end, whatever comes between", () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const open = new Map<string, boolean>();
      for (const entry of entries) {
        if (entry.kind === "begin") open.set(`${entry.planId} ${entry.id}`, false);
        if (entry.kind === "handle") open.set(`${entry.planId} ${entry.id}`, true);
        if (isEnd(entry)) open.delete(`${entry.planId} ${entry.id}`);
      }
      const found = foldAll(emptyState, entries).open.map(
        (begin) => [`${begin.planId} ${begin.id}`, begin.handle !== undefined] as const,
      );
      expect(new Map(found)).toEqual(open);
    }),
  );
});

test("every state on the way is sound", () => {
  fc.assert(
    fc.property(histories, (entries) => {
      let state = emptyState;
      for (const entry of entries) {
        state = fold(state, entry);
        expect(verifyState(state)).toEqual([]);
      }
    }),
  );
});

test("the generator reaches every kind of entry, every note and every kind of object", () => {
  const seen = new Set<string>();
  for (const entries of fc.sample(histories, { numRuns: 300, seed: 1 })) {
    for (const entry of entries) {
      seen.add(entry.kind);
      if (entry.kind === "note") seen.add(entry.note.what);
    }
    const state = foldAll(emptyState, entries);
    for (const object of state.objects) seen.add(object.status);
    if (state.objects.some((object) => object.container !== undefined)) seen.add("content");
    if (state.restores.length > 0) seen.add("restore");
  }
  expect([...seen].toSorted()).toEqual([
    ...["begin", "clear-restore", "closed", "content", "end", "forget", "handle", "move"],
    ...["note", "observed", "outputs", "ready", "record", "restore", "run", "tentative"],
  ]);
});

function isEnd(entry: JournalEntry): entry is Extract<JournalEntry, { kind: "end" | "closed" }> {
  return entry.kind === "end" || entry.kind === "closed";
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
