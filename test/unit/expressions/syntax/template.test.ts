import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hasExpression,
  parseTemplate,
  printTemplate,
  type TemplatePart,
} from "../../../../src/expressions/syntax/template.ts";

type Short = string | readonly [source: string, offset: number];

const parsed: readonly { text: string; parts: readonly Short[]; whole?: boolean }[] = [
  { text: "", parts: [] },
  { text: "plain", parts: ["plain"] },
  { text: "$ {x} $x }", parts: ["$ {x} $x }"] },
  { text: "${vars.a}", parts: [["vars.a", 2]], whole: true },
  { text: " ${vars.a}", parts: [" ", ["vars.a", 3]] },
  { text: "a-${vars.a}-b", parts: ["a-", ["vars.a", 4], "-b"] },
  {
    text: "${vars.a}${vars.b}",
    parts: [
      ["vars.a", 2],
      ["vars.b", 11],
    ],
  },
  { text: "$${vars.a}", parts: ["${vars.a}"] },
  { text: "$$${vars.a}", parts: ["$${vars.a}"] },
  { text: "$${${vars.a}", parts: ["${", ["vars.a", 5]] },
  { text: "${vars.a}$${b}", parts: [["vars.a", 2], "${b}"] },
  { text: '${{"a": {"b": 1}}}', parts: [['{"a": {"b": 1}}', 2]], whole: true },
  { text: '${"}"}', parts: [['"}"', 2]], whole: true },
  { text: "${'}'}", parts: [["'}'", 2]], whole: true },
  { text: '${"\\"}"}', parts: [['"\\"}"', 2]], whole: true },
  { text: '${"""a"}\n"""}', parts: [['"""a"}\n"""', 2]], whole: true },
  { text: "${r'}'}", parts: [["r'}'", 2]], whole: true },
  { text: "${1 // } \n}", parts: [["1 // } \n", 2]], whole: true },
  { text: "${1 /2}", parts: [["1 /2", 2]], whole: true },
  { text: '${"//}"}', parts: [['"//}"', 2]], whole: true },
  { text: '${"${"}', parts: [['"${"', 2]], whole: true },
  { text: "é${vars.a}", parts: ["é", ["vars.a", 3]] },
];

const refused: readonly { text: string; message: RegExp; offset: number; fix?: RegExp }[] = [
  { text: "a${", message: /not closed/, offset: 1, fix: /\$\$\{/ },
  { text: "${vars.a", message: /not closed/, offset: 0 },
  { text: '${{"a": 1}', message: /not closed/, offset: 0 },
  { text: "${http://host}", message: /not closed/, offset: 7, fix: /comment/ },
  { text: '${"abc}', message: /quoted text/, offset: 2 },
  { text: '${"abc\n"}', message: /quoted text/, offset: 2 },
  { text: "x${}", message: /empty/, offset: 3 },
  { text: "${  }", message: /empty/, offset: 2 },
  { text: "${1 +}", message: /ends too early/, offset: 5 },
  { text: "${1 + * 2}", message: /not a CEL expression/, offset: 6 },
  { text: "${vars.a = 1}", message: /not a CEL expression/, offset: 9, fix: /==/ },
  { text: "${vars.a & true}", message: /not a CEL expression/, offset: 9, fix: /&&/ },
  { text: "${var.x}", message: /reserved/, offset: 2, fix: /\$\{vars\.x\}/ },
  { text: "${1 + var.x}", message: /reserved/, offset: 6, fix: /\$\{1 \+ vars\.x\}/ },
  { text: `\${${"(".repeat(200)}1${")".repeat(200)}}`, message: /too deeply/, offset: 102 },
  { text: `\${${"!".repeat(100_000)}true}`, message: /too deeply/, offset: 2 },
];

function toPart(short: Short): TemplatePart {
  return typeof short === "string"
    ? { kind: "text", text: short }
    : { kind: "expression", source: short[0], offset: short[1] };
}

describe("parseTemplate", () => {
  it.each(parsed)("reads $text", ({ text, parts, whole = false }) => {
    expect(parseTemplate(text)).toEqual({
      template: { text, whole, parts: parts.map(toPart) },
      problems: [],
    });
  });

  it.each(refused)("refuses $text", ({ text, message, offset, fix }) => {
    const { template, problems } = parseTemplate(text);
    expect(template).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.offset).toBe(offset);
    if (fix !== undefined) expect(problems[0]?.fix).toMatch(fix);
  });

  it("gives the problems of all expressions", () => {
    const { problems } = parseTemplate("${1 +} ${vars.a} ${2 *}");
    expect(problems.map((problem) => problem.offset)).toEqual([5, 22]);
  });

  it("keeps a text without ${ as it is", () => {
    const text = fc.string({ unit: "binary" }).filter((one) => !one.includes("${"));
    fc.assert(
      fc.property(text, (plain) => {
        expect(hasExpression(plain)).toBe(false);
        const parts = plain === "" ? [] : [{ kind: "text", text: plain }];
        expect(parseTemplate(plain).template).toEqual({ text: plain, whole: false, parts });
      }),
    );
  });
});

describe("printTemplate", () => {
  it.each(parsed)("gives back $text", ({ text, parts }) => {
    expect(printTemplate(parts.map(toPart))).toBe(text);
  });

  it("is the inverse of parsing", () => {
    const text = fc
      .array(fc.constantFrom("$", "{", "}", "${", "a", " ", '"', "é"), { minLength: 1 })
      .map((pieces) => pieces.join(""))
      // A $ before an expression cannot be written as text.
      .filter((one) => !one.endsWith("$"));
    const source = fc.constantFrom("vars.a", '"}"', '{"a": [1]}', "'${'", "1 // }\n");
    const part = fc.oneof(
      text.map((value) => ({ kind: "text" as const, text: value })),
      source.map((value) => ({ kind: "expression" as const, source: value, offset: 0 })),
    );
    const parts = fc
      .array(part)
      .filter((list) =>
        list.every((one, at) => one.kind !== "text" || list[at + 1]?.kind !== "text"),
      );
    fc.assert(
      fc.property(parts, (list) => {
        const { template } = parseTemplate(printTemplate(list));
        const found = template?.parts.map((one) =>
          one.kind === "text" ? one : { ...one, offset: 0 },
        );
        expect(found).toEqual(list);
      }),
    );
  });
});
