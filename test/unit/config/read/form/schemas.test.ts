/** The derived files are up to date, and the editor's schema agrees with the loader. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { compileSchema } from "../../../../../src/lib/schema/schema.ts";

const root = new URL("../../../../../", import.meta.url);
const golden = new URL("test/golden/config/", root);
const editorSchema = JSON.parse(
  readFileSync(new URL("schemas/vmform.schema.json", root), "utf8"),
) as object;
const check = compileSchema(editorSchema);

describe.each(["generate-types.mjs", "derive-editor-schema.mjs"])("%s", (script) => {
  test("has nothing to write", () => {
    const path = fileURLToPath(new URL(`scripts/${script}`, root));
    expect(execFileSync(process.execPath, [path, "--check"], { encoding: "utf8" })).toBe("");
  });
});

/** Cases without the type that exists only in tests. */
const loaded = ["aliases", "data-sources", "instances", "quickstart", "several-files"];

test.each(loaded)("the editor accepts what loads: %s", (name) => {
  const folder = new URL(`${name}/`, golden);
  expect(readFileSync(new URL("expected.txt", folder), "utf8")).not.toContain("error");
  for (const file of readdirSync(folder).filter((one) => one.endsWith(".vmform.yaml"))) {
    for (const document of readFileSync(new URL(file, folder), "utf8").split("---\n")) {
      const value: unknown = parse(document, { merge: true }) ?? {};
      expect({ file, problems: check(value) }).toEqual({ file, problems: [] });
    }
  }
});

const vm = (attributes: string): string => `resources: { daemon_vm.a: { id: a, ${attributes} } }`;

test.each([
  ["a text that reads as a number", "resources: { daemon_vm.a: { id: 0123 } }", true],
  ["an expression for a boolean", vm('folder_sharing: "${vars.x}"'), true],
  ["an expression for a word", vm('power: "${vars.x}"'), true],
  ["nothing", vm("tag: "), true],
  ["a meta-argument", vm("lifecycle: { prevent_destroy: true }"), true],
  ["an expression for count", vm('count: "${vars.x}"'), true],
  ["a word that is none", vm("power: up"), false],
  ["a boolean for a word", vm("power: true"), false],
  ["a text for a boolean", vm("folder_sharing: yes"), false],
  ["an attribute of the remote side", vm("ip_address: x"), false],
  ["an unknown attribute", vm("parentid: x"), false],
  [
    "an expression where none is evaluated",
    vm('lifecycle: { create_before_destroy: "${true}" }'),
    false,
  ],
  ["an unknown type", "resources: { daemon_vmm.a: { id: a } }", false],
  ["a missing key", "resources: { daemon_vm.a: { power: on } }", false],
  ["an unknown block", "resource: {}", false],
  ["a data source", "data: { daemon_vms.all: { tags: [a], depends_on: [daemon_vm.a] } }", true],
  ["an expression for an argument", 'data: { daemon_vms.all: { tags: "${vars.x}" } }', true],
  ["an answer of a data source", "data: { daemon_vms.all: { ids: [a] } }", false],
  [
    "a data source with conditions",
    "data: { daemon_vms.all: { lifecycle: { preconditions: [{ condition: true, message: x }] } } }",
    true,
  ],
  [
    "a data source that is protected",
    "data: { daemon_vms.all: { lifecycle: { prevent_destroy: true } } }",
    false,
  ],
  ["an alias of a provider", 'providers: { daemon.east: { url: "${vars.url}" } }', true],
])("the editor judges %s", (_what, text, good) => {
  expect(check(parse(text)).length === 0).toBe(good);
});
