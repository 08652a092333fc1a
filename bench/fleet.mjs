#!/usr/bin/env node
/**
 * How far one database reaches: costs of single steps, measured with the real store and queue on a
 * PostgreSQL of its own, and from them a simulation of many states, sites and workers in virtual
 * time. Nothing here can fail for being slow.
 *
 *     node bench/fleet.mjs
 */

import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const here = dirname(fileURLToPath(import.meta.url));
// Beside the packages that it imports.
const folder = mkdtempSync(join(here, "..", "node_modules", ".vmform-bench-"));
try {
  const bundle = await rolldown({
    input: join(here, "fleet", "main.ts"),
    platform: "node",
    external: /^[^./]/,
    logLevel: "warn",
  });
  await bundle.write({ dir: folder, format: "esm", codeSplitting: false });
  await import(pathToFileURL(join(folder, "main.js")).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
