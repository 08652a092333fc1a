/** Files that the program is shipped with: schemas, and what the package says of itself. */

import { existsSync, readFileSync } from "node:fs";

/**
 * A file of this package, by its path from the top. Sources and built files stand at different
 * depths, and the top is where schemas are: built files have a `package.json` of their own, which
 * says how Node.js is to read them.
 */
export function packageFile(path: string): URL {
  return new URL(path, top());
}

/** As the package says. */
export function packageVersion(): string {
  const contents: unknown = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
  if (typeof contents === "object" && contents !== null && "version" in contents) {
    if (typeof contents.version === "string") return contents.version;
  }
  throw new Error("package.json names no version");
}

let found: URL | undefined;

function top(): URL {
  if (found !== undefined) return found;
  let folder = new URL("./", import.meta.url);
  while (!existsSync(new URL("schemas/vmform.schema.json", folder))) {
    const parent = new URL("../", folder);
    if (parent.href === folder.href) throw new Error("the package has no schemas above it");
    folder = parent;
  }
  found = folder;
  return folder;
}
