/** A value in place of another reads back as it is, is seen as it is, and leaves the rest alone. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { withScalar } from "../../../../src/lib/yaml/rewrite-scalar.ts";

function rewritten(written: string, value: string): string | undefined {
  const before = "a: { b: ";
  const [start, end] = [before.length, before.length + written.length];
  const plain = !/^['"]/.test(written);
  const scalar = { kind: "scalar", text: "old", start, end, plain } as const;
  return withScalar(`${before}${written} } # kept\n`, scalar, value);
}

test.each([
  ["old", "new", "new"],
  ["'old'", "it's", "'it''s'"],
  ["old", "\u202egnp.exe", '"\\u202egnp.exe"'],
  ["'old'", "a\u2066b\u200b", '"a\\u2066b\\u200b"'],
  ['"old"', "no\u00a0break\u2028", '"no\\u00a0break\\u2028"'],
])("%# %s is written anew", (written, value, text) => {
  expect(rewritten(written, value)).toBe(`a: { b: ${text} } # kept\n`);
});

test("any text, however the one before was quoted", () => {
  const written = fc.constantFrom("old", "'old'", '"old"');
  const value = fc.oneof(fc.string({ unit: "binary" }), fc.string());
  fc.assert(
    fc.property(written, value, (before, text) => {
      const after = rewritten(before, text) ?? "";
      expect(parse(after)).toEqual({ a: { b: text } });
      expect(after.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/u);
    }),
  );
});
