/** Reads the files of this checkout for the tests that look at the project itself. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type ProjectFile = {
  /** Path from the root of the checkout, with `/`. */
  readonly path: string;
  readonly text: string;
};

const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

/** Folders that hold nothing written by hand; the last one only at the root. */
const skippedAnywhere = new Set([".git", ".vmform", "node_modules", "dist", "coverage"]);
const skippedAtRoot = new Set(["state"]);

/** Every text file below a folder of the checkout, sorted by path. Binary files are left out. */
export function readProjectFiles(folder = ""): readonly ProjectFile[] {
  return listPaths(folder)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(projectRoot, path), "utf8") }))
    .filter((file) => !file.text.includes("\0"));
}

export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), "utf8");
}

function listPaths(folder: string): readonly string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    // In a further work tree of a repository, `.git` is a file.
    if (skippedAnywhere.has(entry.name)) return [];
    if (entry.isFile()) return [path];
    if (!entry.isDirectory()) return [];
    return folder === "" && skippedAtRoot.has(entry.name) ? [] : listPaths(path);
  });
}
