/** The workspaces of a file: folders beside it, each with a file of the same name. */

import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../../lib/files/system-error.ts";
import { workspaceFolder } from "../../model/recorded/workspace.ts";
import { unreadable, unwritable } from "./store-problem.ts";

/** `path` is that of the default workspace. Throws `StoreError`. */
export async function workspacesBeside(path: string): Promise<readonly string[]> {
  const { folder, file } = workspaceFolder(path);
  const names: string[] = [];
  for (const name of await listed(folder, path)) {
    if ((await listed(join(folder, name), path)).includes(file)) names.push(name);
  }
  return names;
}

/** Whoever calls holds its lock. What others keep in the same folder stays. */
export async function removeBeside(path: string, name: string): Promise<void> {
  const { folder, file } = workspaceFolder(path);
  const own = join(folder, name);
  try {
    for (const entry of await listed(own, path)) {
      if (entry === file || entry.startsWith(`${file}.`)) await rm(join(own, entry));
    }
    // Fails where something else is in it, which is no harm.
    await rmdir(own).catch(() => undefined);
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function listed(folder: string, path: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw unreadable(path, error);
  }
}
