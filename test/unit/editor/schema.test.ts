/** The schema for editors in the language server that they use for YAML. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Editor, openEditor, type Problem } from "./editor.ts";

const server = join(
  dirname(createRequire(import.meta.url).resolve("yaml-language-server/package.json")),
  "bin/yaml-language-server",
);
const schemas = join(import.meta.dirname, "../../../schemas");
const schema = pathToFileURL(join(schemas, "vmform.schema.json")).href;
const head = `# yaml-language-server: $schema=${schema}\n`;
const main = "main.vmform.yaml";

/** Members of a block by its definition, as the schema of the configuration has them. */
function membersOf(block: string): readonly string[] {
  const text = readFileSync(join(schemas, "config.schema.json"), "utf8");
  const { definitions } = JSON.parse(text) as {
    readonly definitions: { readonly [name: string]: { readonly properties: object } };
  };
  return Object.keys(definitions[block]?.properties ?? {});
}

let folder: string;
let editor: Editor;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-schema-"));
  editor = await openEditor([process.execPath, server, "--stdio"], folder);
});

afterAll(() => {
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

/** Each block with what stands in it already, so that the members are offered in it. */
const blocks: readonly (readonly [block: string, head: string])[] = [
  ["SettingsBlock", "vmform:\n  "],
  ["VariableBlock", "variables:\n  a:\n    "],
  ["ModuleBlock", "modules:\n  a:\n    "],
  ["OutputBlock", "outputs:\n  a:\n    "],
  ["ConditionBlock", "checks:\n  a:\n    "],
  ["PolicyBlock", "policies:\n  a:\n    "],
  ["WindowBlock", "policies:\n  a:\n    window:\n      - "],
  ["DataBlock", "data:\n  daemon_vms.a:\n    "],
  ["DataLifecycleBlock", "data:\n  daemon_vms.a:\n    lifecycle:\n      "],
  ["ResourceBlock", "resources:\n  daemon_vm.a:\n    "],
  ["LifecycleBlock", "resources:\n  daemon_vm.a:\n    lifecycle:\n      "],
  ["TimeoutsBlock", "resources:\n  daemon_vm.a:\n    timeouts:\n      "],
  [
    "ConditionBlock",
    "resources:\n  daemon_vm.a:\n    lifecycle:\n      preconditions:\n        - ",
  ],
  ["MovedBlock", "moved:\n  - "],
  ["RemovedBlock", "removed:\n  - "],
  ["ImportBlock", "imports:\n  - "],
];

describe.each(blocks)("%s in %j", (block, lines) => {
  test("offers each member, and tells of it", async () => {
    const members = membersOf(block);
    expect(members.length).toBeGreaterThan(1);
    editor.type(main, `${head}${lines}|\n`);
    const labels = (await editor.complete()).map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining([...members]));
    const silent: string[] = [];
    for (const member of members) {
      editor.type(main, `${head}${lines}${member.slice(0, 1)}|${member.slice(1)}: \n`);
      if (((await editor.hover())?.length ?? 0) < 10) silent.push(member);
    }
    expect(silent).toEqual([]);
  });

  test("knows no other", async () => {
    editor.type(main, `${head}${lines}od|dly_named: 1\n`);
    expect((await editor.hover()) ?? "").toBe("");
    const isIt = ({ message }: Problem): boolean => message.includes("oddly_named");
    const told = await editor.problems(main, (all) => all.some(isIt));
    expect(told.filter(isIt)).toHaveLength(1);
  });
});

test("a configuration as the pages show it has no problem", async () => {
  const page = readFileSync(join(schemas, "../docs/configuration.md"), "utf8");
  const examples = [...page.matchAll(/\n```yaml\n([^]*?)\n```\n/g)].map(([, text = ""]) => text);
  expect(examples.length).toBeGreaterThan(5);
  for (const [index, text] of examples.entries()) {
    const name = `page-${index}.vmform.yaml`;
    editor.type(name, `${head}${text.replace(/^# yaml-language-server.*\n/, "")}\n`);
    expect([name, await editor.problems(name)]).toEqual([name, []]);
  }
});
