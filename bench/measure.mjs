/** Runs one command and measures it: elapsed seconds and, with GNU time, its peak memory. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const gnuTime = "/usr/bin/time";
const outputBytesMax = 256 * 1024 * 1024;

/** True when peak memory can be told. BSD's program of the same name knows no `--format`. */
export const measuresMemory =
  existsSync(gnuTime) && spawnSync(gnuTime, ["--format=%M", "true"]).status === 0;

/**
 * @typedef {object} Measured
 * @property {number} seconds elapsed, process start included
 * @property {number | undefined} userSeconds processor time outside of the kernel
 * @property {number | undefined} processorSeconds processor time, that of the kernel included
 * @property {number | undefined} megabytes peak resident memory of the largest process of the tree
 * @property {string} output what it printed on both streams
 */

/**
 * Runs a program to its end. Throws when its exit code is not the expected one: a fast failure is
 * no result.
 *
 * @param {readonly string[]} command program and arguments
 * @param {{ cwd: string, env?: Record<string, string>, exitCode?: number }} options
 * @returns {Measured}
 */
export function measure(command, { cwd, env = {}, exitCode = 0 }) {
  const scratch = mkdtempSync(join(tmpdir(), "vmform-bench-time-"));
  const memoryFile = join(scratch, "memory");
  const [program, ...args] = measuresMemory
    ? [gnuTime, "--quiet", "--format=%M %U %S", `--output=${memoryFile}`, ...command]
    : command;
  try {
    const started = performance.now();
    const child = spawnSync(program, args, {
      cwd,
      env: { ...process.env, ...env },
      encoding: "utf8",
      maxBuffer: outputBytesMax,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const seconds = (performance.now() - started) / 1000;
    const output = `${child.stdout ?? ""}${child.stderr ?? ""}`;
    if (child.error !== undefined) throw child.error;
    if (child.status !== exitCode) {
      const end = output.trimEnd().split("\n").slice(-20).join("\n");
      throw new Error(
        `${command.join(" ")}\nended with ${child.status ?? child.signal}, not ${exitCode}:\n${end}`,
      );
    }
    return { seconds, ...(measuresMemory ? readUsage(memoryFile) : unmeasured), output };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const unmeasured = { userSeconds: undefined, processorSeconds: undefined, megabytes: undefined };

/** @param {string} file written by GNU time: kilobytes, seconds of the program and of the kernel */
function readUsage(file) {
  const [kilobytes = NaN, user = NaN, kernel = NaN] = readFileSync(file, "utf8")
    .trim()
    .split(" ")
    .map(Number);
  if ([kilobytes, user, kernel].some(Number.isNaN)) {
    throw new Error("GNU time told neither peak memory nor processor time");
  }
  return { megabytes: kilobytes / 1024, userSeconds: user, processorSeconds: user + kernel };
}

/**
 * The run in the middle by time; of an even number the later of the two.
 *
 * @param {readonly Measured[]} runs at least one
 * @returns {Measured}
 */
export function median(runs) {
  const sorted = [...runs].sort((left, right) => left.seconds - right.seconds);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}
