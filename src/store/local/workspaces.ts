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

/**
 * Whoever calls holds its lock. What others keep in the same folder stays. Killed in between, it is
 * there still, or nothing of it is: the snapshot goes after all that belongs to it. The lock goes
 * last, since without its file it is none.
 */
export async function removeBeside(path: string, name: string): Promise<void> {
  const { folder, file } = workspaceFolder(path);
  const own = join(folder, name);
  const lock = `${file}.lock`;
  try {
    const entries = (await listed(own, path)).filter((entry) => entry.startsWith(`${file}.`));
    for (const entry of entries.filter((one) => one !== lock)) await rm(join(own, entry));
    for (const entry of [file, lock]) await rm(join(own, entry), { force: true });
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
