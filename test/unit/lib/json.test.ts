/** Exact JSON: what `JSON.parse` gives, but integers survive and errors say where. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/lib/json.ts";
import { JsonError, jsonDepthMax, parseJson, stringifyJson } from "../../../src/lib/json.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";

function failure(text: string, options = {}): JsonError {
  try {
    parseJson(text, options);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error(`accepted ${text.slice(0, 80)}`);
}

const bigInteger = fc
  .bigInt()
  .filter((value) => value > BigInt(Number.MAX_SAFE_INTEGER) || value < -Number.MAX_SAFE_INTEGER);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1e20, 2 ** 53, -(2 ** 53), 1e21, 5e-324, Number.MAX_VALUE),
);
const key = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("__proto__", "constructor", "toString", "", "2", "\ud800"),
);
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: "binary" }),
    number,
    bigInteger,
    fc.array(tie("value"), { maxLength: 5 }),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 5 })
      // Object.fromEntries defines `__proto__` as an ordinary member, as the reader does.
      .map((entries): JsonValue => Object.fromEntries(entries)),
  ),
}));

describe("reading and writing", () => {
  test("a value survives, whatever the layout", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 2), fc.boolean(), (value, indent, sortKeys) => {
        const text = stringifyJson(value, { indent, sortKeys });
        expect(parseJson(text, { duplicateKeys: "error" })).toEqual(value);
        // toEqual takes -0 for 0 in no case, but says nothing of key order; the text does.
        if (!sortKeys) expect(stringifyJson(parseJson(text), { indent })).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test("agrees with JSON.parse and JSON.stringify where they are exact", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
        const wanted: unknown = JSON.parse(text);
        const value = parseJson(text);
        const big = JSON.stringify(value, (_, item: unknown) =>
          typeof item === "bigint" ? Number(item) : item,
        );
        expect(JSON.parse(big)).toEqual(JSON.parse(JSON.stringify(wanted)));
        const exact = !/\d{16}|e/i.test(text) && !/-0\b/.test(text);
        if (exact)
          expect(stringifyJson(value, { indent })).toBe(JSON.stringify(wanted, null, indent));
      }),
      { numRuns: 500 },
    );
  });

  test("accepts exactly the texts that JSON.parse accepts", () => {
    const token = fc.constantFrom(
      ...["{", "}", "[", "]", ",", ":", '"a"', '"\\u0041"', '"\\x"', '"', "\n", " ", "\t", "\v"],
      ...[
        "true",
        "false",
        "null",
        "nul",
        "0",
        "-1",
        "01",
        "1.",
        ".5",
        "1.5e3",
        "1e",
        "+1",
        "-",
        "\\",
      ],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join("");
        let accepted = true;
        try {
          // Numbers beyond every double, which JSON.parse takes for infinite, are refused.
          JSON.parse(text, (_name, value: unknown) => {
            if (value === Infinity || value === -Infinity) accepted = false;
            return value;
          });
        } catch {
          accepted = false;
        }
        if (accepted) expect(parseJson(text)).toEqual(JSON.parse(text));
        else expect(() => parseJson(text)).toThrow(JsonError);
      }),
      { numRuns: 3000 },
    );
  });

  test.each<[string, JsonValue]>([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
    ["123456789012345678901234567890", 123456789012345678901234567890n],
    ["1e20", 1e20],
    ["1.0", 1],
    ["12345678901234567890.5", 12345678901234567890.5],
    ["\uFEFF[1]", [1]],
    [' {"a" :\t[ ] ,\r\n"b":{ } } ', { a: [], b: {} }],
    ['"\\u00e9\\ud83d\\ude00\\/\\b"', "é😀/\b"],
  ])("reads %s", (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  test("`__proto__` is an ordinary member and never a prototype", () => {
    const value = parseJson('{"__proto__": {"admin": true}}') as { readonly admin?: boolean };
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.admin).toBeUndefined();
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });

  test("writes keys in the order given, or sorted at every level", () => {
    const value = { b: 1, a: { d: [], c: {} } };
    expect(stringifyJson(value)).toBe('{"b":1,"a":{"d":[],"c":{}}}');
    expect(stringifyJson(value, { sortKeys: true, indent: 2 })).toBe(
      '{\n  "a": {\n    "c": {},\n    "d": []\n  },\n  "b": 1\n}',
    );
  });
});

describe("errors", () => {
  test.each([
    ["", "1:1: the text is empty"],
    [" \n ", "2:2: the text is empty"],
    ["{", '1:2: expected a key in double quotes, the text ends, near "{"'],
    ['{"a": 1,}', '1:9: expected a key in double quotes, found "}", near "{\\"a\\": 1,}"'],
    ["[1 2]", "1:4: expected ',' or ']', found \"2\", near \"[1 2]\""],
    ["\n[\n  😀", '3:3: expected a value, found "😀", near "  😀"'],
    ['["😀", x]', '1:7: expected a value, found "x", near "[\\"😀\\", x]"'],
    ['"a\nb"', '1:3: control character in a string, near "\\"a"'],
    ['"a', '1:1: a string that does not end, near "\\"a"'],
    ['"\\q"', '1:2: unknown escape in a string, near "\\"\\\\q\\""'],
    ['"\\u12"', '1:2: unknown escape in a string, near "\\"\\\\u12\\""'],
    ["[01]", "1:3: expected ',' or ']', found \"1\", near \"[01]\""],
    ["1e999", '1:1: a number too large for a double, near "1e999"'],
    ["<html>", '1:1: expected a value, found "<", near "<html>"'],
    ["1 2", '1:3: expected the end of the text, found "2", near "1 2"'],
    ["\n1 2", '2:3: expected the end of the text, found "2", near "1 2"'],
  ])("%j", (text, message) => {
    expect(failure(text).message).toBe(message);
  });

  test("a duplicate key is an error when asked for, else the last one counts", () => {
    const text = '{\n "a": 1,\n "\\u0061": 2}';
    expect(parseJson(text)).toEqual({ a: 2 });
    const error = failure(text, { duplicateKeys: "error" });
    expect([error.line, error.column, error.reason]).toEqual([3, 2, "duplicate key"]);
    expect(failure('{"__proto__":1,"__proto__":2}', { duplicateKeys: "error" }).column).toBe(16);
  });

  test("the reason quotes no more than one character of the text", () => {
    const error = failure('{"password": "hunter2" "x"}');
    expect(error.reason).not.toContain("hunter2");
    expect(error.excerpt).toContain("hunter2");
  });

  test("depth has a limit, and what is much deeper does not overflow the stack", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(stringifyJson(parseJson(nested(jsonDepthMax)))).toBe(nested(jsonDepthMax));
    for (const depth of [jsonDepthMax + 1, 10_000, 1_000_000]) {
      expect(failure(nested(depth)).reason).toBe(`nested deeper than ${jsonDepthMax} levels`);
    }
    let value: JsonValue = [];
    for (let depth = 0; depth < 10_000; depth += 1) value = { inner: value };
    expect(() => stringifyJson(value)).toThrow(TypeError);
  });

  test("an integer of very many digits is refused", () => {
    expect(failure("9".repeat(100_000)).reason).toContain("digits");
  });

  test.each<[string, unknown]>([
    ["NaN", { a: Number.NaN }],
    ["a date", { a: new Date(0) }],
    ["a map", new Map([["a", 1]])],
    ["symbol keys", { a: { [Symbol("unknown")]: true } }],
    ["undefined in a list", [undefined]],
    ["a function", { a: () => 1 }],
  ])("%s is not written", (_, value) => {
    expect(() => stringifyJson(value as JsonValue)).toThrow(TypeError);
  });

  test("an undefined member is left out", () => {
    expect(stringifyJson({ a: 1, b: undefined } as unknown as JsonValue)).toBe('{"a":1}');
  });
});

test("ten megabytes survive", onlyInLongRun, () => {
  const item = { name: "daemon_vm.web", size: 12345678901234567890n, list: [1, 2.5, "é", null] };
  const value = Array.from({ length: 130_000 }, () => item);
  const text = stringifyJson(value);
  expect(text.length).toBeGreaterThan(10_000_000);
  expect(stringifyJson(parseJson(text, { duplicateKeys: "error" }))).toBe(text);
});
