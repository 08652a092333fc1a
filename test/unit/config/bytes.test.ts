/** What editors and shells make of a file: encodings, line ends and invisible characters. */

import { describe, expect, test } from "vitest";
import { diagnosticsText } from "../../../src/render/text/diagnostic-text.ts";
import { loadConfig, loadSound, toBytes } from "../../helpers/load-config.ts";

const text = "resources:\n  daemon_vm.a:\n    id: a\n    power: on\n    name: 名\n";

function utf16(content: string, bigEnd: boolean): Uint8Array {
  const bytes = Buffer.from(`\ufeff${content}`, "utf16le");
  return bigEnd ? bytes.swap16() : bytes;
}

describe("loads like the plain file", () => {
  test.each([
    ["with a byte order mark", toBytes(`\ufeff${text}`)],
    ["with CRLF", toBytes(text.replaceAll("\n", "\r\n"))],
    ["with both", toBytes(`\ufeff${text.replaceAll("\n", "\r\n")}`)],
    ["without a line end at the end", toBytes(text.trimEnd())],
    ["with a leading document mark", toBytes(`---\n${text}`)],
    ["with an end mark", toBytes(`${text}...\n`)],
  ])("%s", (_what, bytes) => {
    const [instance] = loadSound({ "main.vmform.yaml": bytes }).instances;
    const { attributes } = instance?.resolve(() => undefined) ?? {};
    expect(attributes).toEqual({ id: "a", power: "on", name: "名" });
  });
});

describe("is refused", () => {
  test.each([
    ["UTF-16", utf16(text, false), "1:1 CFG001 The file is UTF-16"],
    ["UTF-16 with the big end first", utf16(text, true), "1:1 CFG001 The file is UTF-16"],
    [
      "Latin-1",
      Buffer.concat([toBytes("locals:\n  a: caf"), new Uint8Array([0xe9, 0x0a])]),
      "2:9 CFG001 The byte 0xE9 here is not UTF-8",
    ],
    ["a NUL", toBytes("locals: { a: x\0y }"), "1:15 CFG006 The file holds the control character"],
    ["an escape code", toBytes("# \u001b[2J\n"), "1:3 CFG006 The file holds the control character"],
    ["a tab", toBytes("locals:\r\n\ta: 1\r\n"), "2:1 CFG003 A tab indents this line."],
    ["a tab after spaces", toBytes("locals:\n  a:\n  \tb: 1\n"), "CFG003"],
    ["a no-break space", toBytes("locals:\n  a:\u00a0b\n"), "2:5 CFG006"],
    ["a zero-width space", toBytes("locals: { a: b\u200bc }"), "1:15 CFG006"],
    ["a mark in the middle", toBytes("locals: { \ufeffa: b }"), "1:11 CFG006"],
    ["a CR alone", toBytes("locals:\r  a: 1\r"), "1:8 CFG006"],
  ])("%s", (_what, bytes, expected) => {
    const { value, diagnostics } = loadConfig({ "main.vmform.yaml": bytes });
    expect(value).toBeUndefined();
    const lines = diagnostics.map(
      ({ source, code, detail }) => `${source?.line}:${source?.column} ${code} ${detail}`,
    );
    expect(lines.join("\n")).toContain(expected);
    expect(lines).toHaveLength(1);
  });

  test("with places right after wide characters and CRLF", () => {
    const content = "locals:\r\n  名😀: { a: x, b: *y }\r\n";
    const { diagnostics } = loadConfig(content);
    expect(diagnostics).toMatchObject([
      { code: "CFG007", source: { line: 2, column: 18, text: "  名😀: { a: x, b: *y }" } },
    ]);
  });
});

test("in quotes and comments invisible characters are kept", () => {
  const content =
    'locals: { a: "x\u00a0y" } # a\u00a0b\noutputs: { o: { value: "${locals.a}" } }\n';
  const [output] = loadSound(content).outputs;
  expect(output?.resolve(() => undefined).value).toBe("x\u00a0y");
});

test("all problems of all files are reported at once, in order", () => {
  const { diagnostics } = loadConfig({
    "b.vmform.yaml": "locals: { a: *x }\n",
    "c.vmform.yaml": utf16(text, false),
    "a.vmform.yaml": "resources: { daemon_vm.a: { id: a, power: yes }, daemon_vm.b: {} }\n",
  });
  const found = diagnostics.map(({ code, source }) => `${source?.file} ${code}`);
  expect(found).toEqual([
    "a.vmform.yaml CFG016",
    "a.vmform.yaml CFG018",
    "b.vmform.yaml CFG007",
    "c.vmform.yaml CFG001",
  ]);
});

test("no files at all is an error", () => {
  const { value, diagnostics } = loadConfig({});
  expect(value).toBeUndefined();
  expect(diagnosticsText(diagnostics, { color: false })).toMatchInlineSnapshot(`
    "error: No configuration files (CFG041)
    The folder /work-folder has no file whose name ends in .vmform.yaml.
    vmform init writes a first one; --chdir chooses another folder."
  `);
});
