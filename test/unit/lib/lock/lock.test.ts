/** A lock of real files between processes: with the kernel's help, and by its file alone. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FileSystem, nodeFileSystem } from "../../../../src/lib/files/file-system.ts";
import { hasEnded, ownProcess } from "../../../../src/lib/files/process-identity.ts";
import { holderOf, ownLock, takeLock } from "../../../../src/lib/lock/lock.ts";
import { LockHeldError, type LockSurroundings } from "../../../../src/lib/lock/lock-file.ts";
import { encodeLock, type LockInfo } from "../../../../src/lib/lock/lock-info.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const { kernelLocks: _none, ...withoutKernel } = nodeFileSystem;
const own = ownProcess();

function surroundings(fs: FileSystem): LockSurroundings {
  let ids = 0;
  return {
    fs,
    clock: { now: () => 1, sleep: () => Promise.resolve() },
    host: "here",
    process: own,
    hasEnded: (other) => hasEnded(own, other),
    newId: () => `id-${(ids += 1)}`,
  };
}

/** When the process began, as the kernel counts it. */
function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

describe.each([
  ["held by the kernel", nodeFileSystem, true],
  ["by its file alone", withoutKernel, undefined],
] as const)("%s", (_name, fs, byKernel) => {
  test("one holder, told to the others, and free again afterwards", async () => {
    const around = surroundings(fs);
    const path = join(folder, "lock");
    const first = await takeLock(around, path, ownLock(around, "apply", "ann"), 1);
    const told = { id: first.id, operation: "apply", who: "ann", host: "here", pid: process.pid };
    expect(await holderOf(around, path)).toMatchObject(told);
    const second = takeLock(around, path, ownLock(around, "apply", "eve"), 1);
    await expect(second).rejects.toMatchObject({ holder: { ...told } });
    await expect(second).rejects.toBeInstanceOf(LockHeldError);
    expect((await holderOf(around, path))?.byKernel).toBe(byKernel);
    expect(await first.present()).toMatchObject({ holds: true });
    expect(await first.release()).toBe(true);
    expect(await holderOf(around, path)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  const alive = { pid: process.ppid, start: startOf(process.ppid) };
  test.each<[string, () => Partial<LockInfo>, boolean]>([
    ["a process that is gone", () => ({ pid: spawnSync(process.execPath, ["-e", ""]).pid }), true],
    ["an earlier process with our id", () => ({ start: "1" }), true],
    ["an earlier process with the id of another", () => ({ ...alive, start: "1" }), true],
    ["a process that lives", () => alive, false],
    ["another start of the machine", () => ({ ...alive, boot: "another" }), false],
    ["another container", () => ({ ...alive, pidNamespace: "pid:[1]" }), false],
    ["another host", () => ({ ...alive, host: "there" }), false],
  ])("the file alone of %s", async (_case, parts, free) => {
    const around = surroundings(fs);
    const path = join(folder, "lock");
    const left = { ...ownLock(around, "apply", "bob"), id: "left", ...parts() };
    writeFileSync(path, encodeLock(left));
    const taken = takeLock(around, path, ownLock(around, "apply", "ann"), 1);
    if (free) {
      expect(await (await taken).release()).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    } else {
      await expect(taken).rejects.toMatchObject({ holder: { id: "left", who: "bob" } });
      expect(await holderOf(around, path)).toMatchObject({ id: "left" });
      expect(readdirSync(folder)).toEqual(["lock"]);
    }
  });
});
