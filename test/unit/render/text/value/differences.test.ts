/** Differences of texts and lists: both sides can be told from what is shown. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlannedValue } from "../../../../../src/model/value/value.ts";
import {
  itemEdits,
  lineChanges,
  memberEdits,
} from "../../../../../src/render/text/value/differences.ts";
import { onlyInLongRun } from "../../../../helpers/amount.ts";

const lines = fc
  .array(fc.constantFrom("a", "b", "c", "", "d "), { maxLength: 12 })
  .map((all) => `${all.join("\n")}\n`);

test("lines that stay and go are the old text, those that stay and come the new one", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const changes = lineChanges(before, after);
      const without = (symbol: string): string =>
        changes.flatMap((change) => (change.symbol === symbol ? [] : [change.text])).join("");
      expect(without("+")).toBe(before);
      expect(without("-")).toBe(after);
    }),
  );
});

const item: fc.Arbitrary<PlannedValue> = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.constantFrom("x", "y"),
  fc.record({ name: fc.constantFrom("a", "b"), size: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ port: fc.integer({ min: 0, max: 2 }), open: fc.boolean() }),
  fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 2 }),
);
const list = fc.array(item, { maxLength: 10 });

test("every item of both lists is told once, or counted", () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const { items, unchanged } = itemEdits(before, after);
      const old: PlannedValue[] = [];
      const wanted: PlannedValue[] = [];
      for (const edit of items) {
        if (edit.kind === "gone") old.push(edit.value);
        if (edit.kind === "come") wanted.push(edit.value);
        if (edit.kind === "changed") {
          old.push(edit.before);
          wanted.push(edit.after);
          expect(after[edit.at]).toEqual(edit.after);
          expect(edit.before).not.toEqual(edit.after);
        }
        if (edit.kind === "moved") {
          old.push(edit.value);
          wanted.push(edit.value);
          expect(before[edit.from]).toEqual(edit.value);
          expect(after[edit.to]).toEqual(edit.value);
        }
      }
      const rest = (all: readonly PlannedValue[], told: readonly PlannedValue[]): string[] => {
        const left = all.map((value) => JSON.stringify(value));
        for (const value of told) {
          const at = left.indexOf(JSON.stringify(value));
          expect(at).toBeGreaterThanOrEqual(0);
          left.splice(at, 1);
        }
        return left.toSorted();
      };
      expect(rest(before, old)).toEqual(rest(after, wanted));
      expect(rest(before, old)).toHaveLength(unchanged);
    }),
  );
});

test("equal lists differ in nothing", () => {
  fc.assert(
    fc.property(list, (same) => {
      expect(itemEdits(same, structuredClone(same))).toEqual({ items: [], unchanged: same.length });
    }),
  );
});

test("lists with nothing in common are told as a whole, however long", onlyInLongRun, () => {
  const numbers = (from: number): number[] => Array.from({ length: 5000 }, (_, at) => from + at);
  const { items, unchanged } = itemEdits(numbers(0), numbers(10_000));
  expect([items.length, unchanged]).toEqual([10_000, 0]);
});

test("members that come, go or differ are named", () => {
  expect(memberEdits({ a: 1, b: 2, c: 3 }, { a: 1, b: 3, d: null, e: 4 })).toEqual({
    names: ["b", "c", "e"],
    unchanged: 2,
  });
});
