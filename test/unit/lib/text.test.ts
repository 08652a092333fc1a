import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closestName, decodeText, indexText, placeAt } from "../../../src/lib/text.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("decoding", () => {
  test.each([
    ["plain", utf8("a: 1"), { text: "a: 1" }],
    ["a byte order mark", new Uint8Array([0xef, 0xbb, 0xbf, ...utf8("a: 1")]), { text: "a: 1" }],
    ["nothing", new Uint8Array(), { text: "" }],
    ["wide characters", utf8("名: 😀"), { text: "名: 😀" }],
    ["UTF-16 with a mark", new Uint8Array([0xff, 0xfe, 0x61, 0]), { encoding: "utf-16" }],
    ["UTF-16, big end first", new Uint8Array([0xfe, 0xff, 0, 0x61]), { encoding: "utf-16" }],
    ["UTF-16 without a mark", new Uint8Array([0x61, 0, 0x3a, 0]), { encoding: "utf-16" }],
    [
      "Latin-1",
      new Uint8Array([...utf8("名: "), 0xe9, 0x20]),
      { encoding: "invalid", before: "名: ", byte: 0xe9 },
    ],
    [
      "a cut character at the end",
      new Uint8Array([...utf8("a"), 0xe5, 0x90]),
      { encoding: "invalid", before: "a", byte: 0xe5 },
    ],
    [
      "a surrogate in UTF-8",
      new Uint8Array([0x61, 0xed, 0xa0, 0x80]),
      { encoding: "invalid", before: "a", byte: 0xed },
    ],
  ])("%s", (_what, bytes, expected) => {
    expect(decodeText(bytes)).toEqual(expected);
  });

  test("valid text survives, and a foreign byte is found where it stands", () => {
    const texts = fc.string({ unit: "binary" }).filter((text) => !/^[\0\uFEFF]|^.\0/su.test(text));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const good = utf8(before).length < 2 || (utf8(before)[0] !== 0 && utf8(before)[1] !== 0);
        fc.pre(good);
        expect(decodeText(utf8(before))).toEqual({ text: before });
        const broken = new Uint8Array([...utf8(before), 0xff, ...utf8(after)]);
        fc.pre(before !== "" && broken[1] !== 0);
        expect(decodeText(broken)).toEqual({ encoding: "invalid", before, byte: 0xff });
      }),
    );
  });
});

describe("places", () => {
  test.each([
    ["a: 1\nb: 2\n", 5, { line: 2, column: 1, lineText: "b: 2" }],
    ["a: 1\r\nb: 2\r\n", 8, { line: 2, column: 3, lineText: "b: 2" }],
    ["😀😀: 1\n", 5, { line: 1, column: 4, lineText: "😀😀: 1" }],
    ["", 0, { line: 1, column: 1, lineText: "" }],
    ["a\n", 2, { line: 2, column: 1, lineText: "" }],
    ["\n\n\r\nx", 4, { line: 4, column: 1, lineText: "x" }],
    ["a\rb\n", 2, { line: 1, column: 3, lineText: "a\rb" }],
  ])("%j at %i", (text, offset, expected) => {
    expect(placeAt(indexText(text), offset)).toEqual(expected);
  });

  test("agrees with counting by hand", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r\n", " ") });
    fc.assert(
      fc.property(texts, fc.nat(), (text, seed) => {
        const characters = Array.from(text);
        const before = characters.slice(0, seed % (characters.length + 1)).join("");
        const lines = before.split("\n");
        const place = placeAt(indexText(text), before.length);
        expect(place.line).toBe(lines.length);
        expect(place.column).toBe(Array.from(lines.at(-1) ?? "").length + 1);
        expect(place.lineText).toBe(text.split("\n")[lines.length - 1]?.replace(/\r$/, ""));
      }),
    );
  });
});

describe("the closest name", () => {
  test.each([
    ["parentid", ["name", "parent_id"], "parent_id"],
    ["Power", ["tag", "power"], "power"],
    ["nmae", ["tag", "name"], "name"],
    ["prevent_destory", ["prevent_destroy", "ignore_changes"], "prevent_destroy"],
    ["memory", ["name", "power"], undefined],
    ["a", ["b"], undefined],
    ["", ["b"], undefined],
    ["abc", [], undefined],
    ["aab", ["aac", "aad"], "aac"],
  ])("%s among %j", (word, names, expected) => {
    expect(closestName(word, names)).toBe(expected);
  });

  test("is found among many", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `server_${index}`);
    expect(closestName("server-19999", names)).toBe("server_19999");
    expect(closestName("quite_another", names)).toBeUndefined();
  });
});
