/** Locks of processes of their own: stopped, killed, in a folder reached by two names. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isKernelLocked, takeKernelLock } from "../../../../src/lib/files/kernel-lock.ts";
import { realPathOf } from "../../../../src/lib/files/real-path.ts";

let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "vmform-kernel-lock-")));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** A process that has locked the file and then does nothing. */
async function holderOf(path: string): Promise<ChildProcess> {
  const module = createRequire(import.meta.url).resolve("fs-native-extensions");
  const script = `
    const { openSync, writeSync } = require("node:fs");
    const file = openSync(${JSON.stringify(path)}, "a+");
    writeSync(file, "the other");
    if (!require(${JSON.stringify(module)}).tryLock(file, 0x7fff0000, 1)) process.exit(1);
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => resolve());
    child.once("exit", () => reject(new Error("it ended")));
  });
  return child;
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once("exit", resolve));

test("a stopped holder keeps its lock, a killed one gives it back at once", async () => {
  const path = join(folder, "state.json.lock");
  const child = await holderOf(path);
  child.kill("SIGSTOP");
  expect(await takeKernelLock(path)).toBe("held");
  expect(await isKernelLocked(path)).toBe(true);
  child.kill("SIGKILL");
  await ended(child);
  expect(await isKernelLocked(path)).toBe(false);
  const taken = await takeKernelLock(path);
  if (typeof taken === "string") throw new Error(taken);
  expect(taken.found).toBe("the other");
  expect(await takeKernelLock(path)).toBe("held");
  taken.release();
  expect(await isKernelLocked(path)).toBe(false);
});

test("a lock whose file was removed knows that it holds nothing", async () => {
  const path = join(folder, "lock");
  const first = await takeKernelLock(path);
  if (typeof first === "string") throw new Error(first);
  expect(first.isNamed()).toBe(true);
  rmSync(path);
  expect(first.isNamed()).toBe(false);
  const second = await takeKernelLock(path);
  if (typeof second === "string") throw new Error(second);
  first.release();
  expect(second.isNamed()).toBe(true);
  expect(await takeKernelLock(path)).toBe("held");
  second.release();
});

test("a state reached through links is one state, also before it is there", () => {
  const at = (...names: readonly string[]): string => join(folder, ...names);
  symlinkSync("real.json", at("link.json"));
  symlinkSync(at("link.json"), at("link-of-link.json"));
  symlinkSync(folder, at("again"));
  for (const written of ["link.json", "link-of-link.json", "again/link.json", "again/real.json"]) {
    expect(realPathOf(at(written))).toBe(at("real.json"));
  }
  writeFileSync(at("real.json"), "{}");
  expect(realPathOf(at("again", "link-of-link.json"))).toBe(at("real.json"));
  expect(realPathOf(at("new", "deep.json"))).toBe(at("new", "deep.json"));
});
