#!/usr/bin/env node
/**
 * What `npm test` leaves out: the files that try a part of long tables, kill points, seeds and runs of
 * properties try all of them. Arguments go to the test runner.
 */

import { spawnSync } from "node:child_process";

const { status } = spawnSync("vitest", ["run", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, VMFORM_LONG: "1" },
  shell: process.platform === "win32",
});
process.exitCode = status ?? 1;
