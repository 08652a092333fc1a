/** `vmform explain`: every code, every type, every attribute; and what is none of these. */

import { describe, expect, test } from "vitest";
import {
  allCodes,
  type Explained,
  explainCommand,
} from "../../../../src/commands/configuration/explain.ts";
import { CommandError } from "../../../../src/commands/environment.ts";
import {
  dataRegistry,
  providerCodes,
  settingsSchemas,
  typeRegistry,
} from "../../../../src/providers/registry.ts";
import { attributeText, codeText, schemaText } from "../../../../src/render/state/explain-text.ts";
import { displayColumns } from "../../../../src/render/text/styled-line.ts";
import { readProjectFiles } from "../../../architecture/project-files.ts";

const known = {
  types: typeRegistry(),
  dataTypes: dataRegistry(),
  providerSettings: settingsSchemas(),
  providerCodes,
};
const codes = allCodes(known);
const sources = readProjectFiles("src").filter(
  ({ path }) => path.endsWith(".ts") && !path.endsWith("/codes.ts"),
);

describe("codes", () => {
  test("each that the sources use is explained, and each that is explained is used", () => {
    const used = new Set(
      sources.flatMap(({ text }) =>
        [...text.matchAll(/"((?:CFG|PLN|RUN|STO|CLI|FMT|DMN|CLD|MGR|APL|PKG)\d{3})"/g)].map(
          (match) => match[1] ?? "",
        ),
      ),
    );
    expect(used.size).toBeGreaterThan(100);
    expect([...used].filter((code) => !Object.hasOwn(codes, code))).toEqual([]);
    expect(Object.keys(codes).filter((code) => !used.has(code))).toEqual([]);
  });

  test("no other family of codes is in use", () => {
    const families = sources.flatMap(({ text }) =>
      [...text.matchAll(/(?:code: |[(] *)"([A-Z]{3})\d{3}"/g)].map((match) => match[1] ?? ""),
    );
    const explained = new Set(Object.keys(codes).map((code) => code.slice(0, 3)));
    expect(families.filter((family) => !explained.has(family))).toEqual([]);
  });

  test("no diagnostic brings a summary of its own", () => {
    const own = sources.filter(({ text }) =>
      /severity: [^,\n]+,\s*code: "[A-Z]{3}\d{3}"/.test(text),
    );
    expect(own.map(({ path }) => path)).toEqual([]);
  });

  test("explanations are sentences", () => {
    for (const { summary, explanation, fix } of Object.values(codes)) {
      expect(summary).toMatch(/^[A-Z].*[^.]$/);
      for (const text of fix === undefined ? [explanation] : [explanation, fix]) {
        expect(text).toMatch(/\.$/);
      }
    }
  });
});

function textOf(explained: Explained, width?: number): string {
  const options = width === undefined ? { color: false } : { color: false, width };
  if (explained.kind === "code") return codeText(explained.code, explained, options);
  return explained.kind === "schema"
    ? schemaText(explained, options)
    : attributeText(explained, options);
}

const attributes = Object.values(known.types).flatMap(({ name, schema }) =>
  Object.keys(schema.attributes).map((attribute) => `${name}.${attribute}`),
);
const subjects = [
  ...Object.keys(codes),
  ...Object.keys(known.types),
  ...Object.keys(known.dataTypes).map((name) => `data.${name}`),
  ...Object.keys(known.providerSettings),
  ...attributes,
  "data.cloud_datastore.name",
  "cloud.page_size",
];

test("everything is explained, and fits 40 columns", () => {
  expect(subjects.length).toBeGreaterThan(200);
  for (const subject of subjects) {
    const explained = explainCommand(known, subject);
    expect(textOf(explained)).toContain(subject);
    for (const line of textOf(explained, 40).split("\n")) {
      // A command to paste is never wrapped.
      if (!/^\s*vmform /.test(line)) expect(displayColumns(line)).toBeLessThanOrEqual(40);
    }
  }
});

test.each([
  ["cfg013", "CFG013: Unknown attribute"],
  ["daemon_vm.id", "- It is part of the key: no two objects have the same."],
  ["cloud_vm.power", "- It takes: on, off, suspended."],
  ["manager_disk.size_gb", "- More than: 0"],
  ["cloud.page_size", "- At least: 1"],
  ["daemon_vm.power_state", "- It is set by the remote side, and can be read in expressions."],
  ["cloud.password", "- It is secret: never shown, and recorded only as a reference."],
  [
    "cloud_vm",
    "Actions: reset, reboot, shutdown, power-off, suspend, discard, revert, cancel-task",
  ],
])("%s: %s", (subject, line) => {
  expect(textOf(explainCommand(known, subject)).split("\n")).toContain(line);
});

test.each([
  ["CFG913", /no diagnostic with the code CFG913/, /Did you mean CFG013\?/],
  ["XYZ123", /no diagnostic/, /in parentheses|Did you mean/],
  ["cloud_mv", /nothing to explain by the name of cloud_mv/, /Did you mean cloud_vm\?/],
  ["cloud_vm.pwoer", /cloud_vm has no attribute pwoer/, /Did you mean cloud_vm.power\?/],
  ["cloud_vm.zzzzzzz", /no attribute zzzzzzz/, /It has: href, name/],
  ["cloud_mv.power", /nothing to explain/, /Did you mean cloud_vm\?/],
  ["constructor", /nothing to explain/, /Name a code such as CFG013, or one of: /],
  ["cloud_vm.constructor", /no attribute constructor/, /It has/],
  ["", /nothing to explain/, /Name a code/],
])("%j is none", (subject, why, fix) => {
  let error: unknown;
  try {
    explainCommand(known, subject);
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof CommandError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.message).toMatch(why);
  expect(error.fix).toMatch(fix);
  expect(error.problem).toBe("usage");
});
