/**
 * Test runner. Limits are so generous that only a hang reaches them: a slow machine never fails a
 * test. A run that finds no test fails. With `VMFORM_LONG=1`, the files that try only a part of what
 * they hold run, and try all of it.
 */

import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const hangMs = 600_000;
const isLong = process.env.VMFORM_LONG === "1";
const partial = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`)
  .filter((file) => readFileSync(file, "utf8").includes('/helpers/amount.ts"'));

export default defineConfig({
  test: {
    include: isLong ? partial : ["test/**/*.test.ts"],
    passWithNoTests: false,
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    // Times are told as the clock on the wall shows them.
    env: { TZ: "UTC" },
    pool: "forks",
    // A file leaves nothing behind in its process; loading everything anew for each takes longer than
    // most tests.
    isolate: false,
    // Tests wait for children, disks and clocks: of two cores a third makes use. Children of the long
    // run keep both busy by themselves.
    maxWorkers: isLong ? 2 : 3,
    testTimeout: hangMs,
    hookTimeout: hangMs,
    teardownTimeout: hangMs,
    allowOnly: process.env.CI === undefined,
    // `.ci/run` adds a JSON report; without a terminal this one prints a line per file and every
    // failure in full.
    reporters: ["default"],
  },
});
