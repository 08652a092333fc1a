/** The files of commands: read and written whole, with errors in words. */

import type { Stats } from "node:fs";
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { CommandFiles, FileLook } from "../../commands/environment.ts";
import { nodeFileSystem } from "../../lib/files/file-system.ts";
import { isRunning } from "../../lib/files/process-identity.ts";
import { realPathOf } from "../../lib/files/real-path.ts";
import { isSystemError } from "../../lib/files/system-error.ts";
import { type FileAction, fileProblem } from "./file-problem.ts";

/** Plans and reports may hold what only their owner should read. */
const newFileMode = 0o600;

export const nodeFiles: CommandFiles = {
  listFolder: (path) => readdir(path).catch(throwProblem("list", path)),
  readFile: (path) => readFile(path).catch(throwProblem("read", path)),
  lookAtFile: (path) => lookAt(path).catch(throwProblem("read", path)),
  writeFile: (path, text) => replace(path, text, "private").catch(throwProblem("write", path)),
  rewriteFile: (path, text) => replace(path, text, "kept").catch(throwProblem("write", path)),
  appendToFile: (path, text) =>
    writeFile(path, text, { flag: "a", mode: newFileMode, flush: true }).catch(
      throwProblem("write", path),
    ),
  createFile: (path, text) => create(path, text).catch(throwProblem("write", path)),
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true }).catch(throwProblem("write", path));
  },
};

function throwProblem(action: FileAction, path: string): (error: unknown) => never {
  return (error) => {
    throw fileProblem(action, path, error);
  };
}

/**
 * There whole or not at all, whenever the process ends: what is read again later may be
 * configuration. Where the file system has no hard links, it is written in place.
 */
async function create(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { flush: true });
    await link(temporary, path);
  } catch (error) {
    if (!isSystemError(error) || !withoutLinks.has(error.code ?? "")) throw error;
    await writeFile(path, text, { flag: "wx", flush: true });
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function lookAt(path: string): Promise<FileLook> {
  const found = await statIfThere(path);
  if (found === undefined) return { path: realPathOf(path), kind: "absent" };
  if (found.isDirectory()) return { path, kind: "folder" };
  if (isStream(path, found)) return { path, kind: "stream" };
  return { path: realPathOf(path), kind: "file", bytes: await readFile(path) };
}

/**
 * At once, and behind a link the file itself, not the link. What is no file, such as a pipe or
 * `/dev/stdout`, is written to: a file in its place would be of use to nobody.
 */
async function replace(path: string, text: string, readers: "private" | "kept"): Promise<void> {
  const found = await statIfThere(path);
  if (found !== undefined && isStream(path, found)) return writeFile(path, text, { flag: "a" });
  const target = realPathOf(path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: newFileMode, flush: true });
    // The mode of a new file loses what the mask of the process takes away.
    if (found !== undefined && readers === "kept") await likeBefore(temporary, found);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  if (readers === "kept") await settle(target);
}

/** Its owner stays where we may say so: else it is ours, as after an editor. */
async function likeBefore(path: string, { uid, gid, mode }: Stats): Promise<void> {
  await chown(path, uid, gid).catch(() => undefined);
  await chmod(path, mode);
}

/**
 * That the file has its place is durable before recorded state says so, where the file system can
 * do that for folders. What a killed process has left beside it goes.
 */
async function settle(target: string): Promise<void> {
  const folder = dirname(target);
  await nodeFileSystem.syncFolder(folder).catch(() => undefined);
  const start = `${basename(target)}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = /^(\d+)\.tmp$/.exec(name.slice(start.length)) ?? [];
    if (!name.startsWith(start) || pid === undefined || isRunning(Number(pid))) continue;
    await unlink(join(folder, name)).catch(() => undefined);
  }
}

/** `/dev/stdout` may lead to a file, which has more in it than this. `/dev/shm` has plain files. */
function isStream(path: string, found: Stats): boolean {
  const isOpened = /^\/(?:dev\/(?!shm\/)|proc\/)/.test(resolve(path));
  return !(found.isFile() || found.isDirectory()) || isOpened;
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}
