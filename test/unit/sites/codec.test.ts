/** Values of calls as text: whatever is data arrives as it was, and nothing else travels. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUnknown, unknown } from "../../../src/model/value/value.ts";
import { decode, encode } from "../../../src/sites/codec.ts";

const key = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("$", "of", "__proto__", "constructor", "toString", "", "2", "\ud800", "\u0000"),
);
const scalar = fc.oneof(
  fc.constant(null),
  fc.constant(undefined),
  fc.constant(unknown),
  fc.boolean(),
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.constantFrom(-0, 2 ** 53, -(2 ** 53), 1e21, Number.NaN, Infinity, -Infinity),
  fc.bigInt(),
  fc.constantFrom(0n, -1n, 2n ** 53n, 2n ** 53n - 1n, 2n ** 64n),
  fc.uint8Array({ maxLength: 20 }),
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 5 }),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 5 })
      .map((entries) => withoutUndefined(Object.fromEntries(entries))),
  ),
}));

/** A member that is undefined is one that is absent. */
function withoutUndefined(map: { readonly [name: string]: unknown }) {
  return Object.fromEntries(Object.entries(map).filter(([, member]) => member !== undefined));
}

describe("there and back", () => {
  test("a value is the same", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const back = decode(encode(value));
        // A member that is called `constructor` misleads `toStrictEqual`.
        expect(isDeepStrictEqual(back, value)).toBe(true);
        // A second journey finds what the first has not told apart.
        expect(encode(back)).toBe(encode(value));
      }),
      { numRuns: 1000 },
    );
  });

  test("the text is one that a database takes", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const text = encode(value);
        expect(text).not.toMatch(/\u0000|\p{Surrogate}/u);
      }),
    );
  });

  test("unknown is the one that is known by its brand", () => {
    expect(isUnknown((decode(encode([unknown])) as readonly unknown[])[0])).toBe(true);
  });

  test.each([
    ["a function", { expected: () => 1 }, "$.expected"],
    ["an instance", [new Map()], "$[0]"],
    ["a date", { at: { on: new Date(0) } }, "$.at.on"],
    ["a symbol", Symbol("x"), "$"],
  ])("%s is refused, with its place", (_, value, place) => {
    expect(() => encode(value)).toThrow(place);
  });

  test.each(["", "{", '{"$":"else"}', '{"$":"map","of":3}', '{"a":1,"a":2}', "<html>"])(
    "text that is none of ours is refused: %s",
    (text) => {
      expect(() => decode(text)).toThrow(/./);
    },
  );
});
