/**
 * Test runner. Limits are so generous that only a hang reaches them: a slow machine never fails a
 * test. A run that finds no test fails.
 */

import { defineConfig } from "vitest/config";

const hangMs = 600_000;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    passWithNoTests: false,
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    // Times are told as the clock on the wall shows them.
    env: { TZ: "UTC" },
    pool: "forks",
    maxWorkers: 2,
    testTimeout: hangMs,
    hookTimeout: hangMs,
    teardownTimeout: hangMs,
    allowOnly: process.env.CI === undefined,
    // `.ci/run` adds a JSON report; without a terminal this one prints a line per file and every
    // failure in full.
    reporters: ["default"],
  },
});
