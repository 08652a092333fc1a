/**
 * A configuration as it travels to a worker: the files of its folder and of what was fetched for
 * it, as an archive that is known by its hash. What is recorded does not travel, nor does what lies
 * outside of the folder.
 */

import { createHash } from "node:crypto";
import { lstat, mkdtemp, open, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";

/** Why a folder cannot travel, in a sentence, and what to do about it. */
export class BundleError extends Error {
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

export type PackedFolder = {
  readonly sha256: string;
  readonly bytes: Uint8Array;
  /** Paths within the folder, sorted. */
  readonly files: readonly string[];
};

const filesMax = 10_000;
const bytesMax = 20_000_000;

/** Throws `BundleError`, and what the system says of a file that cannot be read. */
export async function packFolder(folder: string): Promise<PackedFolder> {
  const files = await filesIn(folder);
  if (files.length === 0)
    throw new BundleError(`The folder ${folder} is empty.`, "Choose another.");
  const { create } = await import("tar");
  const scratch = await mkdtemp(join(tmpdir(), "vmform-bundle-"));
  try {
    const file = join(scratch, "bundle.tar.gz");
    // Nothing of this machine, nor of the time, goes in: the same files are the same bytes.
    const fixed = { portable: true, noMtime: true, follow: true, noDirRecurse: true } as const;
    // A name that begins with @ would be taken for an archive to read.
    const names = files.map((name) => `./${name}`);
    await create({ ...fixed, file, cwd: folder, gzip: { portable: true } }, names);
    const bytes = await readFile(file);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { sha256, bytes, files };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Into a folder that is there. Plain files and folders alone. */
export async function unpackFolder(bytes: Uint8Array, target: string): Promise<void> {
  const { extract } = await import("tar");
  const scratch = await mkdtemp(join(tmpdir(), "vmform-bundle-"));
  try {
    const file = join(scratch, "bundle.tar.gz");
    await writeFile(file, bytes, { mode: 0o600 });
    await extract({
      file,
      cwd: target,
      strict: true,
      filter: (_, entry) => !("type" in entry) || ["File", "Directory"].includes(entry.type),
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Folders of other tools, which no configuration reads. */
const leftOut: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);

async function filesIn(folder: string): Promise<readonly string[]> {
  const root = await realpath(folder);
  const found: string[] = [];
  const recorded: string[] = [];
  let bytes = 0;
  const look = async (within: string): Promise<void> => {
    const names = await readdir(join(folder, within));
    for (const name of names.toSorted()) {
      const path = within === "" ? name : `${within}/${name}`;
      if (leftOut.has(name) || isOwn(path)) continue;
      const size = await sizeOf(folder, root, path);
      if (size === "folder") await look(path);
      else if (size === "none") continue;
      else if (await isRecorded(join(folder, path))) recorded.push(path);
      else {
        found.push(path);
        bytes += size;
        requireRoom(folder, found.length, bytes);
      }
    }
  };
  await look("");
  // Its journal, backup and lock stand beside it.
  return found.filter((path) => !recorded.some((state) => path.startsWith(`${state}.`)));
}

/** What vmform keeps there, but for what was fetched. */
function isOwn(path: string): boolean {
  return path.startsWith(".vmform/") && !/^\.vmform\/modules(\/|$)/.test(path);
}

/** Bytes of a file; a link counts as what it leads to, where that is within the folder. */
async function sizeOf(
  folder: string,
  root: string,
  path: string,
): Promise<number | "folder" | "none"> {
  const look = await lstat(join(folder, path));
  if (look.isDirectory()) return "folder";
  if (look.isFile()) return look.size;
  if (!look.isSymbolicLink()) return "none";
  const target = await realpath(join(folder, path)).catch(() => undefined);
  const inside = target?.startsWith(root + sep) === true;
  const there = inside ? await lstat(target) : undefined;
  if (there?.isFile() === true) return there.size;
  throw new BundleError(
    `${path} is a link that leads to no file within the folder, so it cannot travel.`,
    "Put the file itself there, or take the link away.",
  );
}

const headBytes = 4096;

/** Recorded state and saved plans, wherever they lie. */
async function isRecorded(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const head = buffer.toString("latin1", 0, bytesRead);
    if (head.startsWith("vmform-plan ") || head.startsWith("vmform-sealed.")) return true;
    return /^\s*\{/.test(head) && /"lineage":/.test(head) && /"formatVersion":/.test(head);
  } finally {
    await file.close();
  }
}

function requireRoom(folder: string, files: number, bytes: number): void {
  const [most, unit] =
    files > filesMax ? [filesMax, "files"] : bytes > bytesMax ? [bytesMax, "bytes"] : [0, ""];
  if (unit === "") return;
  throw new BundleError(
    `The folder ${folder} holds more than ${most} ${unit}, too much to travel.`,
    "Keep the configuration in a folder of its own, with what it reads and nothing else.",
  );
}
