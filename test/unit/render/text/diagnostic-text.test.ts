import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../../src/model/said/diagnostic.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import { diagnosticsText, diagnosticText } from "../../../../src/render/text/diagnostic-text.ts";
import { displayColumns } from "../../../../src/render/text/styled-line.ts";

const plain: Diagnostic = {
  severity: "error",
  code: "CFG016",
  summary: "Not one of the allowed words",
  detail: "true is not one of the words on or off.",
  fix: "Write on or off.",
  source: { file: "main.vmform.yaml", line: 4, column: 12, text: "    power: true" },
};

test("place, line, caret, cause, fix and code", () => {
  expect(diagnosticText(plain, { color: false })).toMatchInlineSnapshot(`
    "main.vmform.yaml:4:12: error: Not one of the allowed words (CFG016)
      4 |     power: true
        |            ^
    true is not one of the words on or off.
    Write on or off."
  `);
});

test("a narrow terminal wraps, and the caret stays under its column", () => {
  const text = `    ${"x".repeat(60)}: true`;
  const source = { file: "main.vmform.yaml", line: 1234, column: 67, text };
  expect(diagnosticText({ ...plain, source }, { color: false, width: 40 })).toMatchInlineSnapshot(`
    "main.vmform.yaml:1234:67: error: Not
      one of the allowed words (CFG016)
      1234 | …xxxxxxxxxxxxxxxxxxxxxxx: true
           |                           ^
    true is not one of the words on or off.
    Write on or off."
  `);
});

test("without a place, or without a line to show", () => {
  const { source, ...bare } = plain;
  if (source === undefined) throw new Error("no source");
  const hidden = { ...plain, source: { ...source, text: "" } };
  expect(diagnosticsText([bare, hidden], { color: false })).toMatchInlineSnapshot(`
    "error: Not one of the allowed words (CFG016)
    true is not one of the words on or off.
    Write on or off.

    main.vmform.yaml:4:12: error: Not one of the allowed words (CFG016)
    true is not one of the words on or off.
    Write on or off."
  `);
});

test("colours only when they are asked for", () => {
  expect(diagnosticText(plain, { color: true })).toContain("\u001b[31merror:");
  expect(diagnosticText(plain, { color: false })).not.toContain("\u001b");
});

describe("whatever the line holds", () => {
  const unit = fc.constantFrom("a", " ", "é", "名", "😀", "\t", "\u0007", "\u202e", "{", "${");
  const cases = fc.record({
    text: fc.string({ unit, maxLength: 300 }),
    column: fc.integer({ min: 1, max: 320 }),
    line: fc.integer({ min: 1, max: 100_000 }),
    width: fc.option(fc.integer({ min: 20, max: 120 }), { nil: undefined }),
  });

  test("no line is too long, nothing moves the cursor, and the caret stands under the column", () => {
    fc.assert(
      fc.property(cases, ({ text, column, line, width }) => {
        const source = { file: "f", line, column, text };
        const options = { color: false, ...(width === undefined ? {} : { width }) };
        const lines = diagnosticText({ ...plain, source }, options).split("\n");
        for (const shown of lines) {
          expect(displayColumns(shown)).toBeLessThanOrEqual(width ?? 200);
          expect(shown).not.toMatch(/[\u0000-\u001f\u007f\u202e]/);
        }
        const caretAt = lines.findIndex((shown) => /^ +\| +\^$/.test(shown));
        fc.pre(text.trim() !== "");
        const caretLine = lines[caretAt] ?? "";
        const excerpt = lines[caretAt - 1] ?? "";
        const marked = Array.from(text)[column - 1];
        if (marked === undefined || !/^[aé{名]$/u.test(marked)) return;
        expect(atColumn(excerpt, displayColumns(caretLine) - 1)).toBe(marked);
      }),
    );
  });
});

function atColumn(text: string, column: number): string | undefined {
  let columns = 0;
  for (const character of text) {
    if (columns === column) return character;
    columns += displayColumns(character);
  }
  return undefined;
}

const unreadable: Diagnostic = {
  severity: "error",
  code: "PLN005",
  summary: "Object could not be read",
  detail: "connection refused by 127.0.0.1:8080.",
};

test("what holds for several objects alike stands there once, with all of them named", () => {
  const addresses = Array.from({ length: 12 }, (_, index) => `daemon_vm.web[${index}]` as Address);
  const alike = addresses.map((item): Diagnostic => ({ ...unreadable, address: item }));
  const address = "daemon_vm.other" as Address;
  const other: Diagnostic = { ...unreadable, detail: "Another reason.", address };
  const text = diagnosticsText([...alike.slice(0, 6), other, ...alike.slice(6)], { color: false });
  expect(text).toBe(
    [
      "error: Object could not be read (PLN005)",
      "connection refused by 127.0.0.1:8080.",
      `This holds for 12 objects: ${addresses.slice(0, 10).join(", ")} and 2 more.`,
      "",
      "error: Object could not be read (PLN005)",
      "daemon_vm.other: Another reason.",
    ].join("\n"),
  );
});

test.each([
  ["without an object", [unreadable, unreadable]],
  ["of the configuration", [1, 2].map((line) => problemAt(line))],
])("problems %s are never joined, however alike", (_name, problems) => {
  const text = diagnosticsText(problems, { color: false });
  expect(text.match(/connection refused/g)).toHaveLength(2);
});

function problemAt(line: number): Diagnostic {
  const source = { file: "main.vmform.yaml", line, column: 1, text: "" };
  return { ...unreadable, code: "CFG035", address: `daemon_vm.a${line}` as Address, source };
}
