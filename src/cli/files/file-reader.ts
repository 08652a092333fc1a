/** Files that expressions name: read whole, at once, and one time for each configuration. */

import { readFileSync, statSync } from "node:fs";
import type { FileContent, FileReader } from "../../expressions/functions/function-context.ts";
import { isSystemError } from "../../lib/files/system-error.ts";
import { foreignHomeFix, isForeignHome, userPath } from "../../lib/files/user-path.ts";

const bytesMax = 4_000_000;

/** Paths are relative to the folder of the configuration, or below the home folder with `~/`. */
export function fileReader(folder: string, home: string): FileReader {
  const known = new Map<string, FileContent>();
  return (path) => {
    const found = known.get(path) ?? look(folder, path, home);
    known.set(path, found);
    return found;
  };
}

function look(folder: string, path: string, home: string): FileContent {
  if (isForeignHome(path)) return { kind: "unreadable", why: lowerFirst(foreignHomeFix) };
  const target = userPath(folder, path, home);
  try {
    const found = statSync(target);
    if (found.isDirectory()) return { kind: "unreadable", why: "it is a folder" };
    if (!found.isFile()) return { kind: "unreadable", why: "it is no file" };
    if (found.size > bytesMax) {
      return { kind: "unreadable", why: `it has more than ${bytesMax} bytes` };
    }
    const bytes = readFileSync(target);
    // What has no size, such as a file of the kernel, may hold more than it said.
    if (bytes.length <= bytesMax) return { kind: "read", bytes };
    return { kind: "unreadable", why: `it has more than ${bytesMax} bytes` };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return { kind: "absent" };
    const why = error.code === "EACCES" ? "it may not be read by you" : (error.code ?? "unknown");
    return { kind: "unreadable", why };
  }
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1).replace(/\.$/, "")}`;
}
