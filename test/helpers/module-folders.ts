/** Folders of modules that a test holds in memory. */

import { dirname, join, relative } from "node:path";
import type { FolderReader } from "../../src/config/read/folder.ts";
import { toBytes } from "./load-config.ts";

/** Files by their path below `root`; that of the file is what diagnostics print. */
export function foldersOf(
  files: { readonly [path: string]: string | Uint8Array },
  root = "/work-folder",
): FolderReader {
  return (source, from) => {
    const directory = join(from, source);
    const below = relative(root, directory);
    const own = Object.entries(files).filter(([path]) => dirname(path) === below);
    if (own.length === 0) return { ok: false, detail: `There is no folder ${below}.` };
    const bytes = own.map(([name, content]) => ({ name, bytes: toBytes(content) }));
    return {
      ok: true,
      folder: { directory, files: bytes, readFile: () => ({ kind: "absent" }) },
    };
  };
}
