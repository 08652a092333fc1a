/** The sources, for scripts. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Modules of the sources, bundled first, since Node.js does not read TypeScript. */
export async function loadSources(paths) {
  // Within the project, since the sources look for its schemas from where they stand.
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "sources-"));
  try {
    await build({
      cwd: root,
      input: Object.fromEntries(paths.map((path, at) => [`source${at}`, path])),
      platform: "node",
      logLevel: "warn",
      output: { dir: folder, format: "esm", entryFileNames: "[name].mjs" },
    });
    const load = (at) => import(pathToFileURL(join(folder, `source${at}.mjs`)).href);
    return await Promise.all(paths.map((_path, at) => load(at)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
