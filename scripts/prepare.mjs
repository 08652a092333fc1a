/**
 * Builds after an installation that has the packages for it. `npm ci --omit=dev` has not, as where a
 * built `dist/` is brought along: nothing is built then, and nothing fails.
 */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync(new URL("../node_modules/rolldown/package.json", import.meta.url))) {
  for (const script of ["build", "build:provider"]) {
    const { status } = spawnSync("npm", ["run", script], {
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    process.exitCode ||= status ?? 1;
  }
} else {
  console.error("vmform: not built, since the packages for development are not installed.");
}
