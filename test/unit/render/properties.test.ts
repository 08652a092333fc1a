/** Properties of drawing: nothing unsafe gets through, lines fit, orders are permitted. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../../src/model/operation/operation.ts";
import type { Value } from "../../../src/model/value/value.ts";
import { orderOperations } from "../../../src/render/plan/operation-order.ts";
import { requestMask } from "../../../src/render/plan/request-mask.ts";
import { durationText } from "../../../src/render/text/duration-text.ts";
import { escapeControls, quoteText } from "../../../src/render/text/safe-text.ts";
import {
  displayColumns,
  line,
  renderLines,
  type Tone,
} from "../../../src/render/text/styled-line.ts";
import { namedValueLines } from "../../../src/render/text/value/value-lines.ts";
import { inlineValue } from "../../../src/render/text/value/value-text.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";
import { buildOperation } from "../../helpers/plan-builder.ts";

const anyText = fc.string({ unit: "binary", maxLength: 60 });
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

describe("safe text", () => {
  test("nothing that moves the cursor or hides is left, and escaping twice is escaping once", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeControls(text);
        expect(escaped).not.toMatch(unsafe);
        expect(escapeControls(escaped)).toBe(escaped);
      }),
    );
  });

  test("different strings have different literals", () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        expect(quoteText(left) === quoteText(right)).toBe(left === right);
      }),
    );
  });

  test.each([
    ["\u001b[2J", `"\\u001b[2J"`],
    ["a\nb\tc\r", `"a\\nb\\tc\\r"`],
    ["\u202egpj", `"\\u202egpj"`],
    ["\ud800", `"\\ud800"`],
    [`say "hi" \\`, `"say \\"hi\\" \\\\"`],
    ["naïve 日本 🙂", `"naïve 日本 🙂"`],
  ])("%j", (text, literal) => {
    expect(quoteText(text)).toBe(literal);
  });
});

describe("lines", () => {
  const tones: readonly Tone[] = ["add", "change", "delete", "strong", "muted"];
  const spans = fc.array(
    fc.record({
      text: fc.oneof(anyText, fc.stringMatching(/^[a-z ]{0,50}$/), fc.constant("日本語 漢字 🙂")),
      tone: fc.constantFrom(...tones),
    }),
    { maxLength: 6 },
  );

  test("a wrapped line keeps every visible character, in order, and fits", () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 8, max: 90 }), fc.nat(20), (parts, width, hanging) => {
        const styled = line(parts, hanging);
        const whole = renderLines([styled], { color: false });
        const wrapped = renderLines([styled], { color: false, width });
        const colored = renderLines([styled], { color: true, width });
        expect(wrapped.replaceAll(/[ \n]/g, "")).toBe(whole.replaceAll(" ", ""));
        expect(colored.replaceAll(/\u001b\[\d+m/g, "")).toBe(wrapped);
        for (const row of wrapped.split("\n"))
          expect(displayColumns(row)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("without a width nothing is wrapped", () => {
    expect(renderLines([line(["x".repeat(5000)])], { color: false })).toBe("x".repeat(5000));
  });

  test("colour is written for toned text only", () => {
    const styled = line(["a ", { text: "b", tone: "add" }]);
    expect(renderLines([styled], { color: true })).toBe("a \u001b[32mb\u001b[39m");
    expect(renderLines([styled], { color: false })).toBe("a b");
  });
});

describe("values", () => {
  test.each<readonly [Value, string]>([
    [null, "null"],
    [true, "true"],
    [9007199254740993n, "9007199254740993"],
    [1.5, "1.5"],
    ["on", `"on"`],
    [[], "[]"],
    [{}, "{}"],
    [["a", [1]], `["a", [1]]`],
    [{ size_gb: 4, "odd key": { a: null } }, `{ size_gb: 4, "odd key": { a: null } }`],
  ])("%s", (value, text) => {
    expect(inlineValue(value)).toBe(text);
  });

  test.each([
    ["a\nb\n", ["t: |", "  a", "  b"]],
    ["a\nb", ["t: |-", "  a", "  b"]],
    ["a\n\n", ["t: |+", "  a", "  "]],
    ["a\r\nb", [`t: "a\\r\\nb"`]],
    ["a \nb", [`t: "a \\nb"`]],
  ])("text of several lines: %j", (text, lines) => {
    const rendered = renderLines(namedValueLines("t", text, { indent: 0, sensitive: false }), {
      color: false,
    });
    expect(rendered.split("\n")).toEqual(lines);
  });
});

describe("order of operations", () => {
  test("every operation stands once, after all it waits for, in any order of the plan", () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 25 });
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 10 });
    fc.assert(
      fc.property(edges, order, (pairs, shuffled) => {
        const operations = shuffled.map((number): Operation => {
          // Only from larger to smaller, so that there is no cycle.
          const before = pairs.filter(([from, to]) => from === number && to < number);
          return buildOperation("daemon_vm.a", "x", {
            id: `o${number}`,
            order: { after: before.map(([, to]) => ({ id: `o${to}`, on: "success" as const })) },
          });
        });
        const ids = orderOperations({ operations, joins: [] }).map(({ id }) => id);
        expect([...ids].sort()).toEqual(operations.map(({ id }) => id).sort());
        for (const {
          id,
          order: { after },
        } of operations) {
          for (const edge of after) expect(ids.indexOf(edge.id)).toBeLessThan(ids.indexOf(id));
        }
      }),
    );
  });

  test("a fallback stands before what waits for the operation it stands in for", () => {
    const operations = [
      buildOperation("daemon_vm.a", "after", {
        order: { after: [{ id: "off", on: "success" }] },
      }),
      buildOperation("daemon_vm.a", "hard", {
        order: { fallbackFor: "off" },
        id: "hard",
      }),
      buildOperation("daemon_vm.a", "off", { id: "off" }),
    ];
    expect(orderOperations({ operations, joins: [] }).map(({ verb }) => verb)).toEqual([
      "off",
      "hard",
      "after",
    ]);
  });

  test("a chain of 100,000 does not overflow the stack, and is linear", onlyInLongRun, () => {
    const count = 100_000;
    const operations = Array.from({ length: count }, (_, index) =>
      buildOperation("daemon_vm.a", "x", {
        id: `o${index}`,
        order: { after: index + 1 < count ? [{ id: `o${index + 1}`, on: "success" }] : [] },
      }),
    );
    expect(orderOperations({ operations, joins: [] })[0]?.id).toBe(`o${count - 1}`);
  });
});

test("secret inputs are masked wherever they stand, numbers too; other inputs are not", () => {
  const inputs = { pin: 1234567, nested: { a: ["tok/en&1"] }, name: "web", flag: true };
  const mask = requestMask(inputs, (attribute) => attribute !== "name");
  expect(
    mask.value({ a: 1234567, b: "id 1234567", c: ["x tok%2Fen%261"], d: "web", e: true }),
  ).toEqual({ a: "***", b: "id ***", c: ["x ***"], d: "web", e: true });
});

test.each([
  [0, "0ms"],
  [999, "999ms"],
  [1000, "1s"],
  [61_999, "1m1s"],
  [3_600_000, "1h"],
  [90_061_000, "25h1m1s"],
])("%i ms is %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
