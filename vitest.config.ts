/**
 * Test runner. Limits are so generous that only a hang reaches them: a slow machine never fails a
 * test. A run that finds no test fails. With `VMFORM_LONG=1`, the files that try only a part of what
 * they hold run, and try all of it.
 */

import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

const hangMs = 600_000;
const isLong = process.env.VMFORM_LONG === "1";
const partial = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`)
  .filter((file) => readFileSync(file, "utf8").includes('/helpers/amount.ts"'));

/** Small files that take minutes in the long run: begun last, they would leave a core idle. */
const longest = [
  ...["simulation/kill-loop", "simulation/cloud-kill-loop", "cli/cases", "e2e/kill"],
  ...["e2e/cloud-kill", "e2e/drift-accept-kill", "unit/config/mutations.property"],
];

class LongestFirst extends BaseSequencer {
  override async sort(
    ...[files]: Parameters<BaseSequencer["sort"]>
  ): ReturnType<BaseSequencer["sort"]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: (typeof sorted)[number]): boolean =>
      longest.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

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
    ...(isLong ? { sequence: { sequencer: LongestFirst } } : {}),
    testTimeout: hangMs,
    hookTimeout: hangMs,
    teardownTimeout: hangMs,
    allowOnly: process.env.CI === undefined,
    // `.ci/run` adds a JSON report; without a terminal this one prints a line per file and every
    // failure in full.
    reporters: ["default"],
  },
});
