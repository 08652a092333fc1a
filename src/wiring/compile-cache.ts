/**
 * What Node.js has compiled of the program is kept in the user's cache, for the next start: from
 * Node.js 22.1 on. Nothing is kept where that could run somebody else's code, nor without a home.
 */

import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Node.js 20 has neither. */
type Caching = {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly getCompileCacheDir?: () => string | undefined;
};

type Variables = { readonly [name: string]: string | undefined };

/**
 * To be called before what is to be kept is loaded. Whoever has chosen a folder for Node.js itself
 * (`NODE_COMPILE_CACHE`) keeps it, and `NODE_DISABLE_COMPILE_CACHE` turns it off. Never throws.
 */
export function keepCompiled(version: string, variables: Variables): void {
  const { enableCompileCache, getCompileCacheDir }: Caching & typeof module = module;
  if (enableCompileCache === undefined || getCompileCacheDir?.() !== undefined) return;
  try {
    const folder = cacheFolder(version, variables);
    if (folder !== undefined) enableCompileCache(folder);
  } catch {
    // A full disk, or no place to write: it starts as it did the first time.
  }
}

/** Where it is kept; undefined where others could write. Makes it, and removes other versions'. */
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
