/** `vmform test` as users run it: the tests of the examples, and the page that tells of it. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readProjectFile } from "../architecture/project-files.ts";
import { some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { copyExample, exampleNames, root } from "./copy.ts";
import { runNode } from "./program.ts";

const program = buildProgram();
const names = exampleNames();
const isTest = (name: string): boolean => name.endsWith(".vmformtest.yaml");

describe.concurrent("the tests of an example", () => {
  it.each(some(names.toReversed(), 1))("pass, and leave nothing behind: %s", async (name) => {
    const copy = copyExample(name);
    try {
      const files = readdirSync(copy.folder).toSorted();
      expect(files.filter(isTest)).not.toEqual([]);
      for (const file of files.filter(isTest)) {
        const text = readFileSync(join(copy.folder, file), "utf8");
        const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? "";
        const named = resolve(root, "examples", name, schema);
        expect(named).toBe(join(root, "schemas", "test.schema.json"));
      }
      const ended = await runNode(program.main, ["test"], copy.folder);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(ended.stdout).toMatch(/Success! \d+ runs? passed\.\n$/);
      expect(readdirSync(copy.folder).toSorted()).toEqual(files);
      expect(readdirSync(join(copy.folder, "..", ".."))).toEqual(["examples"]);
    } finally {
      copy.remove();
    }
  });
});

describe("docs/testing.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "vmform-testing-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const page = readProjectFile("docs/testing.md");
  const snippets = [...page.matchAll(/\n```yaml\n(# (\S+)\n[^]*?\n)```\n/g)].map((match) => ({
    name: match[2] ?? "",
    text: match[1] ?? "",
  }));
  for (const { name, text } of snippets) writeFileSync(join(folder, name), text);
  const shown = /```text\n\$ vmform test\n([^]*?)```/.exec(page)?.[1] ?? "";

  it("shows what its first example really prints", async () => {
    const ended = await runNode(program.main, ["test", "--filter", "web.vmformtest.yaml"], folder);
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(ended.stdout).toBe(shown);
  });

  const others = snippets.filter(({ name }) => isTest(name) && name !== "web.vmformtest.yaml");
  it.each(some(others, 1))("has tests that pass: $name", async ({ name, text }) => {
    expect(parse(text)).toHaveProperty("runs");
    const ended = await runNode(program.main, ["test", "--filter", name], folder);
    expect(ended.stdout).toContain("Success!");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("has several", () => {
    expect(others.length).toBeGreaterThan(2);
  });
});
