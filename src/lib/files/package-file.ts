/** Files that the program is shipped with: schemas, and what the package says of itself. */

import { existsSync } from "node:fs";

/**
 * A file of this package, by its path from the top. Sources and built files stand at different
 * depths, and the top is where `package.json` is.
 */
export function packageFile(path: string): URL {
  return new URL(path, top());
}

let found: URL | undefined;

function top(): URL {
  if (found !== undefined) return found;
  let folder = new URL("./", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) {
    const parent = new URL("../", folder);
    if (parent.href === folder.href) throw new Error("the package has no package.json above it");
    folder = parent;
  }
  found = folder;
  return folder;
}
