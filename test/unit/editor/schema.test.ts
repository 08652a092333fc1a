/** The schema for editors in the language server that they use for YAML. */

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Editor, openEditor } from "./editor.ts";

const server = join(
  dirname(createRequire(import.meta.url).resolve("yaml-language-server/package.json")),
  "bin/yaml-language-server",
);
const schema = pathToFileURL(join(import.meta.dirname, "../../../schemas/vmform.schema.json")).href;
const head = `# yaml-language-server: $schema=${schema}\n`;
const main = "main.vmform.yaml";

let folder: string;
let editor: Editor;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-schema-"));
  editor = await openEditor([process.execPath, server, "--stdio"], folder);
});

afterEach(() => {
  editor.kill();
  rmSync(folder, { recursive: true });
});

test.each([
  ["blocks", "|", ["resources", "imports"]],
  ["attributes", "resources:\n  daemon_vm.a:\n    id: a\n    |", ["power", "tag", "for_each"]],
  ["words", "resources:\n  daemon_vm.a:\n    id: a\n    power: |", ['"on"', "suspended"]],
  ["members of an entry of imports", "imports:\n  - to: daemon_vm.a\n    |", ["id", "provider"]],
])("completes %s", async (_what, text, expected) => {
  editor.type(main, `${head}${text}\n`);
  const labels = (await editor.complete()).map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(expected));
});

test.each([
  ["a block", "resou|rces:\n  daemon_vm.a: { id: a }"],
  ["a resource", "resources:\n  daemon_|vm.a: { id: a }"],
  ["an attribute", "resources:\n  daemon_vm.a:\n    id: a\n    pow|er: on"],
  ["a common attribute", "resources:\n  daemon_vm.a:\n    id: a\n    for_|each: [a]"],
  ["an entry of imports", "imports:\n  - { t|o: daemon_vm.a, id: a }"],
  ["settings", "vmform:\n  sta|te: { local: { path: x } }"],
])("tells of %s", async (_what, text) => {
  editor.type(main, `${head}${text}\n`);
  expect((await editor.hover())?.length).toBeGreaterThan(10);
});
