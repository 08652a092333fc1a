/** Paths as people write them in files: relative to a folder, or below their home with `~/`. */

import { isAbsolute, join } from "node:path";

/** Whether it begins with the home folder of somebody, as `~ann/x` does for a shell. */
export function isForeignHome(path: string): boolean {
  return /^~[^/]/.test(path);
}

/** What to do about it, as a sentence. */
export const foreignHomeFix =
  "Only ~/ stands for a home folder, your own: write the folder whole, or ./ before a name that " +
  "begins with ~.";

/** `~/x` is below `home`; another relative path is below `folder`. */
export function userPath(folder: string, path: string, home: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}
