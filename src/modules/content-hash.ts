/** The hash of a folder: of the names and bytes of all its files, whatever they were packed in. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** As `sha256-` and hexadecimal digits. Links and other special files are not allowed. Throws. */
export function hashOfFolder(folder: string): string {
  const hash = createHash("sha256");
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) return [];
    if (!entry.isFile()) throw new Error(`${path} is no plain file`);
    return [{ path, name: relative(folder, path).split(sep).join("/") }];
  });
  for (const { path, name } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const bytes = readFileSync(path);
    hash.update(`${name}\0${bytes.length}\0`);
    hash.update(bytes);
  }
  return `sha256-${hash.digest("hex")}`;
}
