/** The folder of what was compiled of the program, in the user's cache. */

import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

type Variables = { readonly [name: string]: string | undefined };

/**
 * Undefined where others could write, since what is kept is run, and without a home. Makes it, and
 * removes those of other versions. Throws what the system says.
 */
export function cacheFolder(version: string, variables: Variables): string | undefined {
  const named = variables.XDG_CACHE_HOME ?? "";
  const caches = isAbsolute(named) ? named : join(homedir(), ".cache");
  const own = join(caches, "vmform", "compiled");
  const folder = join(own, version);
  if (!isOurs(caches)) return undefined;
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  if (![join(caches, "vmform"), own, folder].every(isOurs)) return undefined;
  if (isNew) {
    for (const other of readdirSync(own)) {
      if (other !== version) rmSync(join(own, other), { recursive: true, force: true });
    }
  }
  return folder;
}

/** A folder that nobody else can write to, and no link; `sudo` may keep the home of another. */
function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const others = 0o022;
  return (
    found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & others) === 0
  );
}
