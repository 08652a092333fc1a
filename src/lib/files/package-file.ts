/** Files that the program is shipped with: schemas, and what the package says of itself. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A file of this package, by its path from the top. Sources and built files stand at different
 * depths, and the top is where schemas are: built files have a `package.json` of their own, which
 * says how Node.js is to read them.
 */
export function packageFile(path: string): string {
  return join(top(), path);
}

/** As the package says. */
export function packageVersion(): string {
  const contents: unknown = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
  if (typeof contents === "object" && contents !== null && "version" in contents) {
    if (typeof contents.version === "string") return contents.version;
  }
  throw new Error("package.json names no version");
}

let found: string | undefined;

function top(): string {
  if (found !== undefined) return found;
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "schemas/vmform.schema.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package has no schemas above it");
    folder = parent;
  }
  found = folder;
  return folder;
}
