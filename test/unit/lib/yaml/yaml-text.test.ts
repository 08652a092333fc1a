/** YAML text written from data reads back as the same data, and shows what it holds. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { yamlText } from "../../../../src/lib/yaml/yaml-text.ts";

test.each([
  [{ a: "on", b: "true", c: true }, 'a: on\nb: "true"\nc: true\n'],
  [{ id: "0123", n: 123, big: 9007199254740993n }, 'id: "0123"\nn: 123\nbig: 9007199254740993\n'],
  [{ list: [{ to: "a", id: "b" }], none: [] }, "list:\n  - to: a\n    id: b\nnone: []\n"],
  [{ text: "two\nlines" }, 'text: "two\\nlines"\n'],
  [{ text: "a\u00a0b\u007f\u{e0001}ü" }, 'text: "a\\u00a0b\\u007f\\U000e0001ü"\n'],
  [{ long: "word ".repeat(40).trim() }, `long: ${"word ".repeat(40).trim()}\n`],
])("%# is written as expected", (value, text) => {
  expect(yamlText(value)).toBe(text);
});

test("any data read back as they are", () => {
  const leaf = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(value, (data) => {
      const text = yamlText(data);
      expect(parse(text)).toEqual(data);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/u);
    }),
  );
});
