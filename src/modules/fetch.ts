/** Fetches what a source of a module names into a folder: by git, npm, or as an archive. */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ArchiveLimit } from "./archive-limit.ts";
import { type FetchedSource, isZip } from "./source.ts";
import { unzip } from "./unzip.ts";

/** What could not be fetched, as a sentence; of a login in an address, nothing. */
export class FetchError extends Error {}

export type Download = (url: string) => Promise<Uint8Array>;

/** Into `target`, which is made. Throws `FetchError`. */
export async function fetchModule(
  { kind, origin }: FetchedSource,
  target: string,
  download: Download,
): Promise<void> {
  await mkdir(target, { recursive: true });
  if (kind === "git") return fetchGit(origin, target);
  const scratch = await mkdtemp(join(tmpdir(), "vmform-module-"));
  try {
    if (kind === "npm") await fetchNpm(origin, target, scratch);
    else await fetchArchive(origin, target, scratch, download);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function fetchGit(origin: string, target: string): Promise<void> {
  const [, address = "", commit = ""] = /^git::(.*)\?ref=([0-9a-f]{40})$/.exec(origin) ?? [];
  const git = (...words: readonly string[]): Promise<void> =>
    run("git", ["-c", "protocol.ext.allow=never", "-C", target, ...words], address);
  await git("init", "-q");
  // Not every server hands out a single commit; then all of the repository is fetched.
  await git("fetch", "-q", "--depth", "1", address, commit).catch(() =>
    git("fetch", "-q", "--tags", address, "+refs/heads/*:refs/remotes/origin/*"),
  );
  await git("checkout", "-q", "--detach", commit);
  await rm(join(target, ".git"), { recursive: true, force: true });
  await leaveOutLinks(target);
}

/** A link may lead anywhere, and a module is its files; archives are unpacked without as well. */
async function leaveOutLinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() && !entry.isDirectory()) await rm(join(entry.parentPath, entry.name));
  }
}

async function fetchNpm(origin: string, target: string, scratch: string): Promise<void> {
  const name = origin.slice("npm:".length);
  await run("npm", ["pack", name, "--ignore-scripts", "--pack-destination", scratch], name);
  const [file] = (await readdir(scratch)).filter((one) => one.endsWith(".tgz"));
  if (file === undefined) throw new FetchError(`npm packed nothing of ${name}`);
  await unpack(join(scratch, file), target, 1);
}

async function fetchArchive(
  origin: string,
  target: string,
  scratch: string,
  download: Download,
): Promise<void> {
  const isFile = origin.startsWith("file:");
  let bytes: Uint8Array;
  try {
    bytes = isFile ? await readFile(fileURLToPath(origin)) : await download(origin);
  } catch (error) {
    throw new FetchError(`${shown(origin)}: ${reasonOf(error)}`);
  }
  if (isZip(origin)) return unpacking(() => unzip(bytes, target));
  const file = join(scratch, "module.tar.gz");
  await writeFile(file, bytes);
  await unpack(file, target, 0);
}

/** Plain files and folders alone; what leads out of the target is left out by the library. */
async function unpack(file: string, target: string, strip: number): Promise<void> {
  const { extract } = await import("tar");
  const limit = new ArchiveLimit();
  const filter = (path: string, entry: object): boolean => {
    const isPlain = !("type" in entry) || entry.type === "File" || entry.type === "Directory";
    return isPlain && limit.has(path, "size" in entry ? Number(entry.size) : 0);
  };
  await unpacking(async () => {
    try {
      await extract({ file, cwd: target, strip, strict: true, filter });
    } finally {
      limit.check();
    }
  });
}

async function unpacking(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new FetchError(`it is no archive that can be unpacked: ${reasonOf(error)}`);
  }
}

const runFile = promisify(execFile);
const limitMs = 300_000;

async function run(program: string, words: readonly string[], address: string): Promise<void> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  try {
    await runFile(program, [...words], { env, timeout: limitMs, maxBuffer: 16_000_000 });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const why = isMissing ? `${program} is not installed` : stderrOf(error);
    throw new FetchError(`${shown(address)}: ${why}`);
  }
}

function stderrOf(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  const lines = text.split("\n").filter((line) => /fatal|error|ERR!/i.test(line));
  return shown((lines[0] ?? reasonOf(error)).trim());
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
}

/** Without a login. */
function shown(text: string): string {
  return text.replace(/\/\/[^/@\s]+@/g, "//");
}
