/**
 * Where a file really is. Links are followed once, before anything is opened: one recorded state
 * reached by two names has one lock, one journal and one backup, beside the file itself, and an
 * output is written where its link leads instead of over the link.
 */

import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Links to links to … of a file that is not there yet; the system has a limit of its own. */
const linksMax = 40;

/** The path as it was given when no link is in it. Nothing has to exist; throws system errors. */
export function realPathOf(path: string): string {
  const real = realPath(resolve(path), linksMax);
  return real === resolve(path) ? path : real;
}

function realPath(path: string, linksLeft: number): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isAbsent(error) || dirname(path) === path) throw error;
  }
  const folder = realPath(dirname(path), linksLeft);
  const target = linkTarget(join(folder, basename(path)));
  if (target === undefined || linksLeft === 0) return join(folder, basename(path));
  return realPath(resolve(folder, target), linksLeft - 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // No link: what is there, if anything, is the file itself.
    return undefined;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
