/** A command that has nothing left to wait for, and has not done its work, does not end as done. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";

test.each([
  ["as its code is kept", {}],
  ["as Node.js loads it", { NODE_DISABLE_COMPILE_CACHE: "1" }],
])("it says that it is a fault, %s", (_, variables) => {
  const cwd = mkdtempSync(join(tmpdir(), "vmform-unfinished-"));
  const hook = join(cwd, "hook.cjs");
  writeFileSync(hook, 'require("node:fs").promises.readFile = () => new Promise(() => {});\n');
  writeFileSync(join(cwd, "main.vmform.yaml"), "outputs: { n: { value: 1 } }\n");
  const run = (options: readonly string[]): unknown => {
    try {
      return execFileSync(process.execPath, [...options, inject("program"), "plan"], {
        ...{ cwd, encoding: "utf8", stdio: "pipe" },
        env: { ...process.env, ...variables },
      });
    } catch (error) {
      return error;
    }
  };
  expect(run([])).toContain("Plan: ");
  expect(run(["--require", hook])).toMatchObject({
    status: 3,
    stderr: "vmform: a fault of vmform itself, please report it:\nit waits for what never comes\n",
  });
  rmSync(cwd, { recursive: true });
});
