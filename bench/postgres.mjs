/** A PostgreSQL server of a benchmark's own, in a folder that goes with it, with durable writes. */

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";

/** @returns {string | undefined} folder of its programs; `VMFORM_POSTGRES` names another one */
function findPrograms() {
  const folders = [
    process.env.VMFORM_POSTGRES ?? "",
    ...(process.env.PATH ?? "").split(delimiter),
    ...[18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`),
  ];
  return folders.find((folder) => folder !== "" && existsSync(join(folder, "initdb")));
}

/**
 * @param {string} parent a folder that exists
 * @returns {Promise<{ url: string, stop: () => void } | undefined>} undefined without its programs
 */
export async function startPostgres(parent) {
  const programs = findPrograms();
  if (programs === undefined) return undefined;
  const folder = join(parent, "postgres");
  mkdirSync(folder);
  const owner = ownerOf();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  for (const one of [parent, folder]) chmodSync(one, 0o755);
  const data = join(folder, "data");
  const run = (/** @type {string} */ name, /** @type {string[]} */ ...words) =>
    execFileSync(join(programs, name), words, {
      ...owner,
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
      stdio: "ignore",
    });
  run("initdb", "-D", data, "-U", "bench", "-E", "UTF8", "-A", "trust", "--no-locale");
  const port = await freePort();
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
  run("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start");
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    stop: () => void run("pg_ctl", "-D", data, "-w", "-m", "fast", "stop"),
  };
}

/** The server refuses to run as root. */
function ownerOf() {
  if (process.getuid?.() !== 0) return undefined;
  const id = (/** @type {string} */ flag) =>
    Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
