/** What the built program loads of itself: what is left for later, and that it works when it comes. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-loaded-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Names of the files that come late, in the order of the alphabet, and what was printed. */
function planned(yaml: string): { readonly late: readonly string[]; readonly output: string } {
  const coverage = join(folder, "coverage");
  writeFileSync(join(folder, "main.vmform.yaml"), yaml);
  const words = [inject("program"), "plan", "--no-color", "--settle"];
  const env = { ...process.env, NODE_V8_COVERAGE: coverage };
  const output = execFileSync(process.execPath, words, { cwd: folder, env, encoding: "utf8" });
  const [file = ""] = readdirSync(coverage);
  const text = readFileSync(join(coverage, file), "utf8");
  rmSync(coverage, { recursive: true });
  const { result } = JSON.parse(text) as { result: readonly { readonly url: string }[] };
  const names = result.map(({ url }) => basename(url, ".js"));
  return { late: names.filter((name) => /^(late|ahead)-/.test(name)).toSorted(), output };
}

test("a plan without expressions loads neither their language nor a provider nor a compiler", () => {
  const { late, output } = planned("resources:\n  noop_resource.a: { name: a }\n");
  expect(output).toContain("Plan: 1 to add");
  expect(late).toEqual(["ahead-rules"]);
});

test("an expression loads its language, and no provider of types that are not named", () => {
  const { late, output } = planned(
    'resources:\n  noop_resource.a: { name: "a-${string(1 + 1)}" }\n',
  );
  expect(output).toContain("a-2");
  expect(late).toContain("late-marcbachmann-cel-js");
  expect(late.filter((name) => name.includes("providers"))).toEqual([]);
  expect(late).not.toContain("late-ajv");
});
