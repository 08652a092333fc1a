import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseYaml, type YamlNode } from "../../../../src/lib/yaml/yaml.ts";
import { amount, onlyInLongRun } from "../../../helpers/amount.ts";

type Plain = string | Plain[] | { [name: string]: Plain };

function plain(node: YamlNode): Plain {
  if (node.kind === "scalar") return node.text;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plain(value)]));
}

function hasBlankLeaf(value: Plain): boolean {
  if (typeof value === "string") return /^ +$/.test(value);
  if (Array.isArray(value)) return value.some(hasBlankLeaf);
  return Object.entries(value).flat().some(hasBlankLeaf);
}

function read(text: string): Plain[] {
  const { documents, problems } = parseYaml(text);
  expect(problems).toEqual([]);
  return documents.map(plain);
}

describe("texts stay as they are written", () => {
  test.each([
    ["a: 0123", { a: "0123" }],
    ["a: 5.10", { a: "5.10" }],
    ["a: on\nb: NO", { a: "on", b: "NO" }],
    ["a:\nb: ~\nc: null", { a: "", b: "~", c: "null" }],
    ['"a": "x\\ty"', { a: "x\ty" }],
    ["a: 'it''s'", { a: "it's" }],
    ["a: one\n  two", { a: "one two" }],
    ["a: |\n  one\n  two\n", { a: "one\ntwo\n" }],
    ["[a, {b: c}]", ["a", { b: "c" }]],
    ["%YAML 1.1\n---\na: on", { a: "on" }],
    ["a: !!str 12", { a: "12" }],
    ["__proto__: 1", JSON.parse('{"__proto__": "1"}') as Plain],
  ])("%j", (text, expected) => {
    expect(read(text)).toEqual([expected]);
  });

  test("quoted texts and empty places are told apart", () => {
    const [node] = parseYaml('a:\nb: ""\nc: !!str x').documents;
    const marks = node?.kind === "map" ? node.entries.map(({ value }) => value) : [];
    expect(marks).toMatchObject([
      { text: "", plain: true },
      { text: "", plain: false },
      { text: "x", plain: false },
    ]);
  });

  test("what was written is read back, whatever its form", () => {
    const leaf = fc.string({ unit: "grapheme" });
    const { tree } = fc.letrec<{ tree: Plain }>((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(leaf, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    const styles = fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL");
    fc.assert(
      fc.property(tree, styles, (value, style) => {
        fc.pre(value !== "");
        // The package writes a text of nothing but spaces as a block whose indentation cannot be
        // told from it: what it wrote is then, by YAML's own rule, an empty text.
        fc.pre(style !== "BLOCK_LITERAL" || !hasBlankLeaf(value));
        const text = stringify(value, { defaultStringType: style as "PLAIN" });
        fc.pre(!/[^\t\n\r\u0020-\uffff]/u.test(text) && !text.includes("<<"));
        expect(read(text)).toEqual([value]);
      }),
    );
  });
});

describe("documents", () => {
  test.each([
    ["", 0],
    ["# only a comment\n", 0],
    ["---\n", 0],
    ["---\na: 1\n", 1],
    ["a: 1\n---\nb: 2\n", 2],
    ["a: 1\n---\n# nothing\n", 1],
  ])("%j has %i", (text, count) => {
    expect(read(text)).toHaveLength(count);
  });
});

describe("merge keys and aliases", () => {
  test.each([
    ["explicit keys win", "d: &d {a: 1, b: 2}\nx: {b: 3, <<: *d}", { b: "3", a: "1" }],
    ["first source wins", "d: [&d {a: 1}, &e {a: 2, b: 2}]\nx: {<<: [*d, *e]}", { a: "1", b: "2" }],
    ["two merge keys", "d: [&d {a: 1}, &e {b: 2}]\nx: {<<: *d, <<: *e}", { a: "1", b: "2" }],
    ["quoted it is a key", 'x: {"<<": 1}', { "<<": "1" }],
    ["an alias stands for its node", "d: &d [1]\nx: [*d, *d]", [["1"], ["1"]]],
    ["the last anchor of a name counts", "d: [&d 1, &d 2]\nx: *d", "2"],
  ])("%s", (_what, text, expected) => {
    const [document] = read(text);
    expect((document as { x: Plain }).x).toEqual(expected);
  });

  test("a shared anchor may be used as often as one likes", () => {
    const uses = Array.from({ length: 5000 }, (_, index) => `k${index}: {<<: *d}`);
    const text = `base: &d {a: 1, b: 2}\n${uses.join("\n")}\n`;
    expect(Object.keys(read(text)[0] as object)).toHaveLength(5001);
  });

  test("the limit counts what aliases expand to", () => {
    const text = "a: &a [1, 2, 3]\nb: [*a, *a]\n";
    expect(parseYaml(text, { depth: 10, aliasNodes: 8 }).problems).toEqual([]);
    expect(parseYaml(text, { depth: 10, aliasNodes: 7 }).problems).toMatchObject([
      { kind: "alias-size", message: "a", start: 24 },
    ]);
  });
});

describe("problems", () => {
  test.each([
    ["a: 1\na: 2", "duplicate-key", 5],
    ['a: 1\n"a": 2', "duplicate-key", 5],
    ["a: {b: 1, b: 2}", "duplicate-key", 10],
    ["a: *nowhere", "unknown-alias", 3],
    ["a: &x [*x]", "alias-in-itself", 7],
    ["a: {<<: 1}", "bad-merge", 8],
    ["a: !Ref x", "tag", 3],
    ["a: !!int 3", "tag", 3],
    ["? [a]\n: b", "key-not-text", 2],
    ["a:\n\tb: 1", "tab", 3],
    ['a: "x', "unclosed", 3],
    ["a: 'x\nb: 1\n", "unclosed", 3],
    ["a: [1, 2\nb: 1\n", "unclosed", 3],
    ["a: {b: 1", "unclosed", 3],
    ["a: b: c", "syntax", 3],
    ["a: @b", "syntax", 3],
  ])("%j", (text, kind, start) => {
    expect(parseYaml(text).problems[0]).toMatchObject({ kind, start });
  });

  test("a duplicate says where the first one stands", () => {
    expect(parseYaml("a: 1\nb: 2\na: 3").problems).toMatchObject([{ start: 10, first: 0 }]);
  });

  test.each([
    ["lists", `a: ${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["unclosed lists", `a: ${"[".repeat(100_000)}`],
    ["maps", "{a: ".repeat(50_000)],
    ["block lists", `${"- ".repeat(50_000)}a`],
    ["keys", `${"? ".repeat(20_000)}a`],
    ["lines", Array.from({ length: 2000 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
  ])("nesting without end is an error, not a crash: %s", onlyInLongRun, (_what, text) => {
    expect(parseYaml(text).problems).toMatchObject([{ kind: "too-deep" }]);
  });

  test("an alias bomb ends", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 40; level += 1) {
      const alias = `*a${level - 1}`;
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => alias).join(", ")}]`);
    }
    const { problems } = parseYaml(lines.join("\n"));
    expect(problems).toMatchObject([{ kind: "alias-size" }]);
  });

  test("no text whatever makes it throw", () => {
    const pieces = ["a", ":", " ", "\n", "-", "[", "]", "{", "}", '"', "'", "&x", "*x", "<<", "#"];
    const more = ["\t", "|", ">", "!", "?", ",", "---", "%", "@", "${", "}", "é", "😀", "\r\n"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        for (const { start, end } of parseYaml(text).problems) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(text.length + 1);
        }
      }),
      { numRuns: amount(350, 3_000) },
    );
  });
});
