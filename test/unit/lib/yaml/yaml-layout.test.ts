/** Layout of YAML: what becomes of odd but valid layouts, and that nothing but layout changes. */

import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { parseYaml } from "../../../../src/lib/yaml/yaml.ts";
import { layOutYaml } from "../../../../src/lib/yaml/yaml-layout.ts";
import { amount } from "../../../helpers/amount.ts";

const samples: readonly (readonly [string, string, string])[] = [
  ["indentation", "a:\n      b:\n         c: 1\n", "a:\n  b:\n    c: 1\n"],
  ["lists below their key", "a:\n- 1\n-   - 2\n    - 3\n", "a:\n  - 1\n  - - 2\n    - 3\n"],
  [
    "maps in lists",
    "a:\n-   b: 1\n    c: 2\n-\n  d: 3\n",
    "a:\n  - b: 1\n    c: 2\n  -\n    d: 3\n",
  ],
  ["gaps", "a:    1   # one\nb :  2\t# two\n", "a: 1 # one\nb: 2 # two\n"],
  ["flow maps", "{a: 1,b:  {c: 2} ,d: { }}\n", "{ a: 1, b: { c: 2 }, d: {} }\n"],
  ["flow lists", "a: [ 1,2 , [ ] ]\n", "a: [1, 2, []]\n"],
  ["flow keys", 'a: {"b":1, ? c : 2, d}\n', 'a: { "b": 1, ? c: 2, d }\n'],
  [
    "flow over several lines",
    "a: {\n b: 1,\n       c: [\n 2,\n ],\n }\n",
    "a: {\n    b: 1,\n    c: [\n      2,\n    ],\n  }\n",
  ],
  ["empty lines", "\n\na: 1\n\n\n\nb: 2\n\n\n", "a: 1\n\nb: 2\n"],
  ["line ends", "a: 1\r\n\r\n\r\nb: |\r\n  x\r\n", "a: 1\n\nb: |\n  x\n"],
  ["no line end at the end", "a: 1", "a: 1\n"],
  ["a byte order mark", "\ufeffa: 1\n", "a: 1\n"],
  ["empty values", "a:\nb: ~\nc: ''\nd:\n  -\n", "a:\nb: ~\nc: ''\nd:\n  -\n"],
  [
    "written texts",
    "a: 0123\nb: 1e3\nc: 'it''s'\nd: \"\\u00e9\"\n",
    "a: 0123\nb: 1e3\nc: 'it''s'\nd: \"\\u00e9\"\n",
  ],
  [
    "block scalars",
    "a:\n    b: |\n          x\n            y\n\n          z\n    c: >-\n       w\n",
    "a:\n  b: |\n    x\n      y\n\n    z\n  c: >-\n    w\n",
  ],
  [
    "block scalars with an indicator",
    "a:\n      b: |4+\n             x\n          y\n\n\n",
    "a:\n  b: |2+\n       x\n    y\n\n\n",
  ],
  [
    "texts over several lines",
    "a: one\n      two\nb: 'x\n\n    y'\n",
    "a: one\n  two\nb: 'x\n\n  y'\n",
  ],
  [
    "anchors and aliases",
    "a:   &x   # c\n    b:  &k  k\nc:\n    <<:  *x\n*k : 2\n? &y\n:   *y\n",
    "a: &x # c\n  b: &k k\nc:\n  <<: *x\n*k : 2\n? &y\n: *y\n",
  ],
  [
    "comments where they belong",
    "a:\n      # to b\n      b: 1\n      # after b\n  # between\n# to c\nc: 1\n   # at the end\n",
    "a:\n  # to b\n  b: 1\n  # after b\n# between\n# to c\nc: 1\n  # at the end\n",
  ],
  [
    "comments in flow",
    "a: [ # first\n  1, # one\n   # alone\n  2 ]\n",
    "a: [ # first\n    1, # one\n    # alone\n    2]\n",
  ],
  [
    "documents",
    "%YAML 1.2\n---   # first\na: 1\n...\n# between\n---\nb:   2\n",
    "%YAML 1.2\n--- # first\na: 1\n...\n# between\n---\nb: 2\n",
  ],
  ["nothing", "\n\n", ""],
  ["comments alone", "\n# a\n\n\n#b  \n", "# a\n\n#b\n"],
];

test.each(samples)("%s", (_what, text, laid) => {
  expect(layOutYaml(text)).toBe(laid);
  expect(layOutYaml(laid)).toBe(laid);
});

test.each([
  ["a duplicate key", "a: 1\na: 2\n"],
  ["an unclosed bracket", "a: [1\n"],
  ["a tab", "a:\n\tb: 1\n"],
  ["an unknown alias", "a: *x\n"],
  ["a tag", "a: !x 1\n"],
])("%s is not laid out", (_what, text) => {
  expect(layOutYaml(text)).toBeUndefined();
});

/** A text with its meaning apart from layout: what another reader makes of it. */
function meaningOf(text: string): unknown {
  const documents = parseAllDocuments(text, { schema: "failsafe", merge: true, uniqueKeys: false });
  return [...documents].map((document) => document.toJS({ maxAliasCount: -1 }) as unknown);
}

describe("configurations of other tests and examples", () => {
  const root = new URL("../../../../", import.meta.url);
  const folders = ["test/golden/config/", "examples/"];
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => `${folder}${name}`),
  );

  test("are many", () => {
    expect(files.length).toBeGreaterThan(60);
  });

  test.each(files)("%s", (file) => {
    const text = readFileSync(new URL(file, root), "utf8");
    const laid = layOutYaml(text);
    expect(laid === undefined).toBe(parseYaml(text).problems.length > 0);
    if (laid === undefined) return;
    expect(meaningOf(laid)).toEqual(meaningOf(text));
    expect(layOutYaml(laid)).toBe(laid);
    if (file.startsWith("examples/")) expect(laid).toBe(text);
  });
});

/** YAML written carelessly: every choice of layout that the language leaves is taken at random. */
type Write = (indent: number, flow: boolean) => string;

const pad = fc.constantFrom("", "", " ", "   ");
const comment = fc.constantFrom("", "", "", " # c", "   #c ");
const gap = fc.constantFrom(
  "",
  "",
  "",
  "\n",
  "\n\n\n",
  "# own\n",
  "      # deep\n",
  "\n# a\n\n\n# b\n",
);
const plain = fc.constantFrom("a", "0123", "x y", "${vars.x}", "on", "1:2", "a#b", "http://h/p");

const scalar: fc.Arbitrary<Write> = fc.oneof(
  plain.map(
    (text): Write =>
      () =>
        text,
  ),
  fc.string({ maxLength: 5 }).map(
    (text): Write =>
      () =>
        JSON.stringify(text),
  ),
  fc.constantFrom("'it''s'", "''", "' # '").map(
    (text): Write =>
      () =>
        text,
  ),
  fc.tuple(fc.constantFrom("|", ">", "|-", ">+"), fc.integer({ min: 1, max: 4 }), fc.boolean()).map(
    ([mark, more, deep]): Write =>
      (indent, flow) => {
        const start = " ".repeat(indent + more);
        return flow ? '"block"' : `${mark}\n${start}one\n\n${start}${deep ? "  " : ""}two`;
      },
  ),
  fc.integer({ min: 1, max: 4 }).map(
    (more): Write =>
      (indent, flow) => {
        return flow ? "'q'" : `'one\n${" ".repeat(indent + more)}two'`;
      },
  ),
);

function node(depth: number): fc.Arbitrary<Write> {
  if (depth === 0) return scalar;
  const inner = node(depth - 1);
  const flowItems = fc.array(fc.tuple(pad, inner, pad), { maxLength: 3 });
  return fc.oneof(
    scalar,
    flowItems.map(
      (items): Write =>
        (indent) => {
          return `[${items.map(([a, item, b]) => a + item(indent, true) + b).join(",")}]`;
        },
    ),
    flowItems.map(
      (items): Write =>
        (indent) => {
          const members = items.map(([a, item, b], at) => `${a}k${at}: ${item(indent, true)}${b}`);
          return `{${members.join(",")}}`;
        },
    ),
    fc
      .tuple(
        fc.array(fc.tuple(gap, pad, inner, comment), { minLength: 1, maxLength: 3 }),
        fc.nat(3),
      )
      .map(
        ([items, more]): Write =>
          (indent, flow) => {
            if (flow) return "[]";
            const start = " ".repeat(indent + 1 + more);
            const lines = items.map(([before, space, item, after], at) => {
              const text = item(indent + 2 + more, false);
              // A block scalar or a collection on lines of its own takes no comment behind it.
              const tail = text.includes("\n") ? "" : after;
              return `${at === 0 ? "" : before}${start}- ${space}${text}${tail}`;
            });
            return `\n${lines.join("\n")}`;
          },
      ),
    mapping(inner, 1).map(
      (write): Write =>
        (indent, flow) => {
          return flow ? "{}" : `\n${write(indent)}`;
        },
    ),
  );
}

function mapping(
  inner: fc.Arbitrary<Write>,
  least: number,
): fc.Arbitrary<(indent: number) => string> {
  const entry = fc.tuple(gap, pad, pad, inner, comment);
  return fc
    .tuple(fc.array(entry, { minLength: 1, maxLength: 3 }), fc.nat(3))
    .map(([entries, more]) => (indent) => {
      const column = indent + (least === 0 ? 0 : least + more);
      const lines = entries.map(([before, front, space, item, after], at) => {
        const text = item(column, false);
        const tail = text.includes("\n") ? "" : after;
        const key = `${" ".repeat(column)}key${at}${front}:`;
        return `${at === 0 ? "" : before}${key} ${space}${text}${tail}`;
      });
      return lines.join("\n");
    });
}

test("careless YAML keeps its meaning and its comments, and is laid out once for all", () => {
  let laidOut = 0;
  fc.assert(
    fc.property(fc.tuple(gap, mapping(node(3), 0)), ([before, write]) => {
      const text = `${before}${write(0)}\n`;
      fc.pre(parseYaml(text).problems.length === 0);
      const laid = layOutYaml(text);
      if (laid === undefined) throw new Error(`not laid out:\n${text}`);
      laidOut += 1;
      expect(meaningOf(laid)).toEqual(meaningOf(text));
      expect(layOutYaml(laid)).toBe(laid);
      expect(laid).not.toMatch(/^\n|\n\n$/);
      // Nothing but white space is different.
      expect(laid.replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
    }),
    { numRuns: amount(100, 1_000) },
  );
  expect(laidOut).toBe(amount(100, 1_000));
});
