/** Values of variables from outside: how they are read, and which one wins. */

import { describe, expect, test } from "vitest";
import { diagnosticsText } from "../../../../src/render/text/diagnostic-text.ts";
import { type LoadOptions, loadConfig, toBytes } from "../../../helpers/load-config.ts";

function valueOf(declaration: string, variables: LoadOptions["variables"]): unknown {
  const text = `variables: { v: ${declaration} }\noutputs: { v: { value: "\${vars.v}" } }\n`;
  const { value, diagnostics } = loadConfig(text, variables === undefined ? {} : { variables });
  if (value === undefined) return diagnostics.map(({ code }) => code).join(" ");
  return value.outputs[0]?.resolve(() => undefined).value;
}

const cli = (text: string): LoadOptions["variables"] => ({ cli: [{ name: "v", text }] });

describe("a text from the command line", () => {
  test.each([
    ["{ }", "0123", "0123"],
    ["{ }", "", ""],
    ["{ }", "null", "null"],
    ["{ }", "${x}", "${x}"],
    ["{ type: string }", "5.10", "5.10"],
    ["{ default: text }", "true", "true"],
    ["{ type: integer }", "12", 12],
    ["{ default: 3 }", "12", 12],
    ["{ type: integer }", "012", "CFG028"],
    ["{ type: integer }", "9007199254740993", 9007199254740993n],
    ["{ type: number }", "1.50", 1.5],
    ["{ type: number }", "1e400", "CFG028"],
    ["{ type: boolean }", "true", true],
    ["{ default: false }", "yes", "CFG028"],
    ["{ type: list }", "[a, 1, on]", ["a", 1, "on"]],
    ["{ type: list }", "a", "CFG012"],
    ["{ type: list }", "[a", "CFG028"],
    ["{ type: map }", "{ a: [1] }", { a: [1] }],
    ["{ type: map }", "{ a: ${vars.v} }", "CFG028"],
    ["{ type: any }", "12", 12],
    ["{ type: any }", "0123", "0123"],
    ["{ type: any }", "[1]", [1]],
    ["{ type: any }", "a: b: c", "a: b: c"],
    ["{ type: any }", "null", null],
    ["{ type: boolean, default: false }", "", "CFG028"],
    ["{ default: 3 }", "", "CFG028"],
    ["{ type: number }", "", "CFG028"],
    ["{ default: [a] }", "", "CFG028"],
    ["{ type: map }", "", "CFG028"],
    ["{ type: any }", "", ""],
    ["{ type: boolean }", "null", null],
  ])("for %s: %s", (declaration, text, expected) => {
    expect(valueOf(declaration, cli(text))).toEqual(expected);
  });
});

test.each([
  ["v:", "CFG028"],
  ['v: ""', "CFG015"],
  ["v: null", null],
  ["v: ~", null],
])("a file of variables that says %j", (text, expected) => {
  const files = [{ name: "values.yaml", bytes: toBytes(`${text}\n`) }];
  expect(valueOf("{ type: boolean, default: false }", { files })).toEqual(expected);
  expect(valueOf("{ type: boolean, default: false }", { environment: { v: "" } })).toBe("CFG028");
});

describe("the one that wins", () => {
  const environment = { v: "environment" };
  const files = [
    { name: "one.yaml", bytes: toBytes("v: one\n") },
    { name: "two.yaml", bytes: toBytes("v: two\n") },
  ];
  const twice = [
    { name: "v", text: "first" },
    { name: "v", text: "second" },
  ];
  test.each<[string, LoadOptions["variables"], string]>([
    ["the default without any", {}, "default"],
    ["the environment over the default", { environment }, "environment"],
    ["the last file over the environment", { environment, files }, "two"],
    ["the last option over files", { environment, files, cli: twice }, "second"],
  ])("%s", (_what, variables, expected) => {
    expect(valueOf("{ default: default }", variables)).toBe(expected);
  });
});

test("an environment variable for another configuration is no problem", () => {
  expect(valueOf("{ default: 1 }", { environment: { other: "x" } })).toBe(1);
});

test.each([
  'v: "s3cret',
  "v: s3cret: x",
  "- s3cret",
  "v:\n\tw: s3cret",
  "v: [s3cret]",
  "v: ${s3cret}",
  "v: !t s3cret",
  "v: 1 s3cret\nw: s3cret",
])("no part of a file of variables is shown, whatever is wrong with it: %j", (text) => {
  const files = [{ name: "secret.yaml", bytes: toBytes(text) }];
  const declared = "variables: { v: { type: integer } }";
  const { value, diagnostics } = loadConfig(declared, { variables: { files } });
  expect(value).toBeUndefined();
  const shown = diagnosticsText(diagnostics, { color: false });
  expect(shown).not.toContain("s3cret");
  expect(shown).toContain("secret.yaml:");
});
