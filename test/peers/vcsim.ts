/**
 * vcsim, the simulator of a host manager that comes with govmomi: written by others, so that a mistake
 * of ours in reading the interface cannot hide in it. Started on a port of its own, started again on
 * the same one when it dies, with a fresh inventory, and ended with the test.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Set by `.ci/run`, which builds it. */
export const vcsimPath = process.env.VMFORM_VCSIM ?? "";

/** Tasks of vcsim are this user's, whoever has begun them. */
export const user = "vcsim";
export const password = "pass&wörd<";

const keeper = fileURLToPath(new URL("keeper.mjs", import.meta.url));

/** In a row: more than a panic now and then. */
const failedStartsMax = 3;

export type Vcsim = {
  /** The same for as long as it is used. */
  readonly origin: string;
  /** What it said when it died, once for each time. */
  deaths(): readonly string[];
  /** Until it serves, after a death as well. Rejects when it cannot be started any more. */
  ready(): Promise<void>;
  /** As a panic of its own would. Resolves when it is dead. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

type Running = { readonly child: ChildProcess; readonly pid: number };

/** Names of the flags that this version takes. */
export function flagsOf(path: string): ReadonlySet<string> {
  const { stderr, stdout, error } = spawnSync(path, ["-h"], { encoding: "utf8" });
  if (error !== undefined) throw error;
  return new Set([...`${stderr}${stdout}`.matchAll(/^ {2}-(\S+)/gm)].map(([, name = ""]) => name));
}

/** Until one port is really free: between finding it and listening, somebody else may take it. */
const portsMax = 5;

/** `words` say what there is: `["-vm", "30"]`. */
export async function startVcsim(words: readonly string[], tls = false, tried = 1): Promise<Vcsim> {
  const flags = flagsOf(vcsimPath);
  const address = `127.0.0.1:${await freePort()}`;
  // Older versions listen by a flag of the library below them, which is not in the list.
  const listen = flags.has("l") ? `-l=${address}` : `-httptest.serve=${address}`;
  const login = flags.has("password") ? ["-username", user, "-password", password] : [];
  const folder = mkdtempSync(join(tmpdir(), "vmform-vcsim-"));
  const all = [listen, `-tls=${tls}`, ...login, ...words];
  const deaths: string[] = [];
  let stopping = false;
  let failedStarts = 0;

  const start = async (): Promise<Running> => {
    const child = spawn(process.execPath, [keeper, vcsimPath, ...all], {
      env: { PATH: process.env.PATH ?? "", TMPDIR: folder },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const begun = await served(child, (said) => {
      if (stopping) return;
      deaths.push(said);
      current = start();
      // Whoever waits for it is told; nobody may be waiting.
      current.catch(() => {});
    });
    if (typeof begun === "number") {
      failedStarts = 0;
      return { child, pid: begun };
    }
    failedStarts += 1;
    if (failedStarts < failedStartsMax) return start();
    throw new Error(`${vcsimPath} ${all.join(" ")} does not start:\n${begun}`);
  };

  let current = start();
  try {
    await current;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (tried < portsMax && String(error).includes("address already in use")) {
      return startVcsim(words, tls, tried + 1);
    }
    throw error;
  }
  return {
    origin: `${tls ? "https" : "http"}://${address}`,
    deaths: () => deaths,
    ready: async () => void (await current),
    kill: async () => {
      const { child, pid } = await current;
      // Behind the listener that starts the next one.
      const ended = new Promise((resolve) => child.once("close", resolve));
      process.kill(pid, "SIGKILL");
      await ended;
    },
    stop: async () => {
      stopping = true;
      const running = await current.catch(() => undefined);
      if (running !== undefined) await endOf(running.child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function endOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.stdin?.end();
  return ended;
}

/** Its process id once it serves, or what it said when it ends before. `onDeath`: of a later end. */
function served(child: ChildProcess, onDeath: (said: string) => void): Promise<number | string> {
  let said = "";
  let pid: number | undefined;
  return new Promise((resolve, reject) => {
    const hear = (text: string): void => {
      said = `${said}${text}`.slice(-20_000);
      const printed = /GOVC_SIM_PID=(\d+)/.exec(said)?.[1];
      if (pid !== undefined || printed === undefined) return;
      pid = Number(printed);
      resolve(pid);
    };
    child.stdout?.setEncoding("utf8").on("data", hear);
    child.stderr?.setEncoding("utf8").on("data", hear);
    child.once("error", reject);
    child.once("close", () => {
      if (pid === undefined) resolve(said);
      else onDeath(said);
    });
  });
}

/** Free a moment ago: kept for the restarts, so that the address of the endpoint stays. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("no port was given"));
      });
    });
  });
}
