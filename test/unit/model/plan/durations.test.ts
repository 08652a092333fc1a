/** How long operations took: what is kept, and that whatever a file holds is no more than unknown. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Durations,
  durationsOf,
  durationsValue,
  learned,
  usualMs,
} from "../../../../src/model/plan/durations.ts";

const durations = fc
  .dictionary(fc.string({ maxLength: 12 }), fc.array(fc.nat(), { minLength: 1, maxLength: 20 }))
  .map((all): Durations => new Map(Object.entries(all)));

test("what was written is read again", () => {
  fc.assert(
    fc.property(durations, (known) => {
      expect(durationsOf(durationsValue(known))).toEqual(known);
    }),
  );
});

test("of anything else only what is a duration counts", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const file of [value, { format: "vmform durations 1", kinds: value }]) {
        for (const [kind, list] of durationsOf(file as never)) {
          expect(typeof kind).toBe("string");
          expect(list.length).toBeGreaterThan(0);
          for (const one of list) expect(one).toBeGreaterThanOrEqual(0);
        }
      }
    }),
  );
  expect(durationsOf({ format: "vmform durations 2", kinds: { a: [1] } }).size).toBe(0);
  const mixed = { format: "vmform durations 1", kinds: { a: [1, "x", -1, null, 3], b: {}, c: [] } };
  expect(durationsOf(mixed)).toEqual(new Map([["a", [1, 3]]]));
});

test("the latest are kept, and nothing where all was over at once", () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ kind: "k", ms: 1000 + index }));
  expect(learned(new Map(), many)?.get("k")?.slice(0, 2)).toEqual([1010, 1011]);
  expect(learned(new Map(), many)?.get("k")).toHaveLength(20);
  expect(learned(new Map(), [{ kind: "k", ms: 999 }])).toBeUndefined();
  expect(learned(new Map([["k", [5]]]), [])).toBeUndefined();
  expect(learned(new Map([["k", [5000]]]), [{ kind: "l", ms: 7.4 }])).toEqual(
    new Map([
      ["k", [5000]],
      ["l", [7]],
    ]),
  );
});

test.each([
  [[7], 7],
  [[10, 20], 15],
  [[9000, 10, 20], 20],
  [[0, 0, 4, 8], 2],
])("what is usual of %j is %i", (list, expected) => {
  expect(usualMs(list)).toBe(expected);
});
