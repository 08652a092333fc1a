/** Makes the data of a server, and runs one on it that ends with this process in any case. */

import { execFile, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { chown, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type EmbeddedPlace, embeddedName } from "./place.ts";
import { EmbeddedProblem } from "./problem.ts";
import { ids, type Programs } from "./programs.ts";
import type { ServerUser } from "./server-user.ts";

export type Cluster = {
  readonly place: EmbeddedPlace;
  readonly programs: Programs;
  readonly user: ServerUser | undefined;
};

export type RunningServer = {
  /** Resolves when it has ended, asked to or not, with what it said last. */
  readonly ended: Promise<readonly string[]>;
  /** Ends the sessions of all clients, and writes what is to be written. */
  readonly stop: () => Promise<void>;
};

/** Nothing of whoever runs vmform: their PG variables mean another server. */
const environment = { LC_ALL: "C", PATH: process.env["PATH"] ?? "" };

/** Of the data that is there; undefined where there is none. */
export async function dataMajor({ data }: EmbeddedPlace): Promise<number | undefined> {
  const text = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number(text.trim());
}

/** In another folder, which gets its name when it is whole. Throws `EmbeddedProblem`. */
export async function makeData(cluster: Cluster): Promise<void> {
  const { place, user } = cluster;
  const fresh = `${place.data}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  if (user !== undefined) await chown(fresh, user.uid, user.gid);
  try {
    await fill(fresh, cluster);
    await rename(fresh, place.data);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

async function fill(fresh: string, { programs, user }: Cluster): Promise<void> {
  const initdb = ["-D", fresh, "-U", embeddedName, "-E", "UTF8", "--no-locale", "-A", "trust"];
  const options = { cwd: fresh, env: environment, ...ids(user) };
  await finished(join(programs.folder, "initdb"), initdb, options, "");
  // Without a server: whoever connects later finds it there.
  const single = ["--single", "-D", fresh, "postgres"];
  await finished(
    join(programs.folder, "postgres"),
    single,
    options,
    `create database ${embeddedName};\n`,
  );
}

type Options = { readonly cwd: string; readonly env: typeof environment };

function finished(
  program: string,
  words: readonly string[],
  options: Options,
  input: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      const said = whyOf(`${stdout}\n${stderr}`.split("\n"));
      if (error === null && !/(ERROR|FATAL|PANIC): /.test(stderr)) resolve();
      else reject(notMade(said === "" ? (error?.message ?? "") : said, error));
    });
    // It may have ended before it reads that.
    child.stdin?.on("error", () => undefined).end(input);
  });
}

function notMade(said: string, cause: unknown): EmbeddedProblem {
  const fix = /No space left/i.test(said)
    ? "Make room there (40 MB at least), and start it again."
    : "See what it says; then start it again.";
  return new EmbeddedProblem(`The embedded database cannot be made: ${said}`, fix, cause);
}

/**
 * Its parent is a shell that stops it when our end of a pipe is closed, which the kernel does also
 * where we are killed. It has a session of its own, or Ctrl-C would reach it before us.
 */
const keeper = `exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ cat >/dev/null; kill -INT "$server"; } <&3 >/dev/null 2>&1 &
exec 3<&-
wait "$server"`;

/** Resolves when it takes connections. Throws `EmbeddedProblem`. */
export function startServer(cluster: Cluster, socket: string): Promise<RunningServer> {
  const { place, programs, user } = cluster;
  const settings = ["listen_addresses=", "logging_collector=off", "log_destination=stderr"];
  const sockets = [`unix_socket_directories=${socket}`, "unix_socket_permissions=0700"];
  const words = [...settings, ...sockets, "lc_messages=C"].flatMap((one) => ["-c", one]);
  const program = join(programs.folder, "postgres");
  const child = spawn("/bin/sh", ["-c", keeper, "sh", program, "-D", place.data, ...words], {
    ...{ cwd: place.data, env: environment, detached: true, ...ids(user) },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const log = createWriteStream(place.log, { mode: 0o600 });
  // What it says is kept for people; a disk that is full is told by the server itself.
  log.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  const last: string[] = [];
  return new Promise((resolve, reject) => {
    const ended = new Promise<readonly string[]>((end) => {
      child.once("error", (error) => end([error.message]));
      child.once("close", () => end(last));
      child.once("exit", () => child.stdin.end());
    });
    const stop = async (): Promise<void> => {
      child.stdin.end();
      await ended;
    };
    createInterface({ input: child.stderr }).on("line", (line) => {
      log.write(`${line}\n`);
      last.push(line);
      if (last.length > 20) last.shift();
      if (line.includes("database system is ready to accept connections")) resolve({ ended, stop });
    });
    const isOver = async (): Promise<void> => {
      const lines = await ended;
      log.end();
      reject(notStarted(lines, place.log));
    };
    void isOver();
  });
}

function notStarted(lines: readonly string[], log: string): EmbeddedProblem {
  const said = whyOf(lines);
  const fix = /No space left/i.test(said)
    ? "Make room there, and start it again."
    : `What else it said is in ${log}.`;
  return new EmbeddedProblem(`The embedded database does not start: ${said}`, fix);
}

/**
 * Why it ended, as one line without the times of a log: what went wrong first, since much comes of
 * that, else what it said last.
 */
export function whyOf(lines: readonly string[]): string {
  const plain = lines
    .map((line) => line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, "").trim())
    .filter((line) => line !== "");
  const wrong = plain.filter((line) => /(FATAL|PANIC|ERROR|error): /.test(line));
  const full = wrong.find((line) => line.includes("No space left"));
  if (full !== undefined) return full;
  return (wrong.length === 0 ? plain.slice(-4) : wrong.slice(0, 2)).join("; ");
}
