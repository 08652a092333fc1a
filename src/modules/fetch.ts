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

/** Why something could not be fetched, as a clause; of a login in an address, nothing. */
export class FetchError extends Error {
  readonly fix: string | undefined;

  constructor(why: string, fix?: string) {
    super(why.replace(/[.\s]+$/, ""));
    this.fix = fix;
  }
}

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
    throw connectionProblem(error);
  }
  if (/^\s*</.test(Buffer.from(bytes.subarray(0, 100)).toString("latin1"))) {
    const fix = "A server that asks for a login sends one; fetch the archive and name it by file:.";
    throw new FetchError("it is no archive that can be unpacked: it is a page", fix);
  }
  if (isZip(origin)) return unpacking(() => unzip(bytes, target));
  const file = join(scratch, "module.tar.gz");
  await writeFile(file, bytes);
  await unpack(file, target, 0);
}

const untrusted = new Set([
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN"],
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
]);

/** Of a certificate, what Node.js says of it is for those who know its words. */
function connectionProblem(error: unknown): FetchError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (untrusted.has(code)) {
    const fix = "Where it is to be trusted, its authority is named by NODE_EXTRA_CA_CERTS=FILE.";
    return new FetchError(`its certificate is not trusted: ${reasonOf(error)}`, fix);
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return new FetchError("its certificate is of another host", "Name the host as it is there.");
  }
  if (/wrong version number|packet length too long/i.test(reasonOf(error))) {
    return new FetchError("what answers there does not speak TLS");
  }
  return new FetchError(reasonOf(error));
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

const limitMs = 300_000;

async function run(program: string, words: readonly string[], address: string): Promise<void> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  try {
    await promisify(execFile)(program, [...words], {
      env,
      timeout: limitMs,
      maxBuffer: 16_000_000,
    });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const why = isMissing ? `${program} is not installed` : stderrOf(error);
    throw new FetchError(`${shown(address)}: ${why}`);
  }
}

/** What ssh says of itself comes first, and what git makes of it says nothing of the cause. */
const causes = [
  /^ssh: |Permission denied|Host key verification failed|REMOTE HOST IDENTIFICATION/,
  /fatal|error|ERR!/i,
];

function stderrOf(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  const lines = text.split("\n");
  const found = causes.flatMap((cause) => lines.find((line) => cause.test(line)) ?? []);
  return shown((found[0] ?? reasonOf(error)).trim());
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
}

/** Without a login. */
function shown(text: string): string {
  return text.replace(/\/\/[^/@\s]+@/g, "//");
}
