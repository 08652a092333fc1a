/**
 * Where tests make their folders. Recorded state is brought safely to the disk at every step, and on
 * a disk each of these takes milliseconds: for thousands of tests, minutes of waiting for what no
 * test looks at, since a disk whose power is cut is simulated (`test/unit/store/local`). So it is a
 * folder in memory, where this machine has one that holds enough and runs programs.
 */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../src/lib/files/process-identity.ts";

const inMemory = "/dev/shm";
/** Databases and browsers of a run need far less; a container often has 64 MB. */
const bytesMin = 4 * 1024 ** 3;

const prefix = "vmform-tests-";

/** A run that was killed leaves its folder, and memory is dear. */
function removeLeftOvers(): void {
  for (const name of readdirSync(inMemory)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(join(inMemory, name), { recursive: true, force: true });
  }
}

/** Makes a folder for temporary ones; none where they stay where they are, as `TMPDIR` has it. */
export function scratchFolder(): string | undefined {
  if (process.env.TMPDIR !== undefined || process.platform !== "linux") return undefined;
  let folder: string | undefined;
  try {
    removeLeftOvers();
    const { bavail, bsize } = statfsSync(inMemory);
    if (bavail * bsize < bytesMin) return undefined;
    folder = mkdtempSync(join(inMemory, `${prefix}${process.pid}-`));
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o755);
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
