/** What the built program loads of itself: what is left for later, and that it works when it comes. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { endChildren, startChild } from "./child.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-loaded-"));
});
afterAll(async () => {
  await endChildren();
  rmSync(folder, { recursive: true });
});

type Loaded = { readonly late: readonly string[]; readonly output: string };

/** Names of the files that come late, and what was printed. */
function run(words: readonly string[], cwd: string): Loaded {
  const coverage = join(folder, "coverage");
  const env = { ...process.env, NODE_V8_COVERAGE: coverage };
  const output = execFileSync(process.execPath, [inject("program"), ...words], {
    cwd,
    env,
    encoding: "utf8",
  });
  const [file = ""] = readdirSync(coverage);
  const text = readFileSync(join(coverage, file), "utf8");
  rmSync(coverage, { recursive: true });
  const { result } = JSON.parse(text) as { result: readonly { readonly url: string }[] };
  const names = result.map(({ url }) => basename(url, ".js"));
  const late = names.filter((name) => name.startsWith("late-"));
  // Without the hash at the end of a name.
  return { late: late.map((name) => name.slice(0, -"-12345678".length)), output };
}

function planned(yaml: string): Loaded {
  writeFileSync(join(folder, "main.vmform.yaml"), yaml);
  return run(["plan", "--no-color"], folder);
}

test("a plan without expressions loads neither their language nor a provider nor a compiler", () => {
  const { late, output } = planned("resources:\n  noop_resource.a: { name: a }\n");
  expect(output).toContain("Plan: 1 to add");
  expect(late).toEqual([]);
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

test.each(
  some(["platform", "cloud", "reclaim", "appliance", "folders", "quickstart", "fleet"], 1, 3),
)("example %s meets no schema that the build has not compiled", (example) => {
  const cwd = fileURLToPath(new URL(`../../examples/${example}`, import.meta.url));
  const { late, output } = run(["validate", "--no-color"], cwd);
  expect(output).toContain("The configuration is valid.");
  expect(late).not.toContain("late-ajv");
});

test("the schema of a provider package is compiled when it is met", () => {
  const cwd = fileURLToPath(new URL("../../examples/provider", import.meta.url));
  const { late, output } = run(["validate", "--no-color"], cwd);
  expect(output).toContain("The configuration is valid.");
  expect(late).toContain("late-ajv");
});

test(
  "what was compiled is kept for the next start, and what is damaged of it is not run",
  onlyInLongRun,
  () => {
    const caches = join(folder, "caches");
    mkdirSync(caches, { mode: 0o700 });
    const cwd = join(folder, "kept");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "main.vmform.yaml"), "resources:\n  noop_resource.a: { name: a }\n");
    const plan = (): string =>
      execFileSync(process.execPath, [inject("program"), "plan", "--no-color"], {
        ...{ cwd, encoding: "utf8" },
        env: { ...process.env, XDG_CACHE_HOME: caches },
      }).replace(/after \d+ms/, "after some time");
    const first = plan();
    const files = readdirSync(caches, { recursive: true, encoding: "utf8" })
      .filter((path) => path.includes("/plan/"))
      .map((path) => join(caches, path));
    expect(files.map((path) => basename(path).replace(/-.*/, ""))).toContain("planning");
    expect([plan(), plan()]).toEqual([first, first]);
    const kept = files.map((path) => readFileSync(path));
    expect(plan()).toBe(first);
    expect(files.map((path) => readFileSync(path))).toEqual(kept);
    for (const [index, path] of files.entries()) {
      const damaged = Buffer.from(kept[index] ?? "");
      damaged.writeUInt8(damaged.readUInt8(damaged.length >> 1) ^ 1, damaged.length >> 1);
      writeFileSync(path, damaged);
    }
    expect(plan()).toBe(first);
    expect(files.map((path) => readFileSync(path).length > 0)).not.toContain(false);
    // Each was compiled anew, and kept whole: the first of the few runs again.
    expect(files.map((path) => readFileSync(path).readUInt32LE(8))).toEqual(files.map(() => 1));
    chmodSync(caches, 0o500);
    rmSync(join(caches, "vmform"), { recursive: true, force: true });
    expect(plan()).toBe(first);
    chmodSync(caches, 0o700);
  },
);

test(
  "a run goes on though the files of the program are replaced meanwhile",
  onlyInLongRun,
  async () => {
    const program = join(folder, "program");
    const built = dirname(dirname(inject("program")));
    cpSync(join(built, "dist"), join(program, "dist"), {
      recursive: true,
      filter: (path) => !path.endsWith(".map"),
    });
    for (const name of ["package.json", "schemas", "node_modules"]) {
      symlinkSync(join(built, name), join(program, name));
    }
    const cwd = join(folder, "meanwhile");
    mkdirSync(cwd);
    writeFileSync(
      join(cwd, "main.vmform.yaml"),
      "resources:\n  noop_resource.a: { name: a, task_duration: 2s }\noutputs: { n: { value: 1 } }\n",
    );
    const words = ["apply", "--auto-approve", "--no-color"];
    const child = startChild(join(program, "dist", "main.js"), words, { cwd });
    await child.printed("Remote task is running");
    renameSync(join(program, "dist"), join(program, "gone"));
    const { code, stdout, stderr } = await child.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Apply complete! Resources: 1 added");
  },
);
