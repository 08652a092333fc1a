/**
 * What a server has left that was killed. It refuses to start beside its own `postmaster.pid` where
 * the process of that number is alive, which may be anybody's by now: in a container, numbers come
 * again soon. Called with the lock of the folder held.
 */

import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "../../lib/files/process-identity.ts";
import type { EmbeddedPlace } from "./place.ts";

const pollMs = 100;

export async function clearLeftOver({ data, running }: EmbeddedPlace): Promise<void> {
  await rm(running, { force: true });
  const file = join(data, "postmaster.pid");
  const [first = ""] = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const pid = Number(first);
  if (!Number.isInteger(pid) || pid <= 1) return;
  if (!isRunning(pid)) return;
  const works = await folderOf(pid);
  // Where a system does not tell, the server itself decides.
  if (works === undefined) return;
  if (works !== (await realpath(data))) return rm(file, { force: true });
  // Its keeper was killed as well.
  process.kill(pid, "SIGINT");
  while (isRunning(pid)) await sleep(pollMs);
}

/** Where a process stands: a server in its data. Undefined where that cannot be seen. */
async function folderOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}
