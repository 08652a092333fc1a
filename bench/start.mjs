#!/usr/bin/env node
/**
 * What it costs to start: commands that do next to nothing, beside a bare Node.js, as ratios inside
 * one run. Seconds are processor time of the process, so that a busy machine disturbs little.
 *
 *     node bench/start.mjs [--runs 12]
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measure, measuresMemory } from "./measure.mjs";
import { entry } from "./vmform.mjs";

const { values } = parseArgs({ options: { runs: { type: "string", default: "12" } } });
const runs = Number(values.runs);
if (!(runs > 0)) throw new Error("--runs takes a positive whole number");
if (!measuresMemory) console.log("!! GNU time is absent: elapsed time stands for processor time");

/** Processor time is told in hundredths of a second: too coarse for one start. */
const startsPerRun = 10;
/**
 * Where it is set, a bare Node.js reads that file at each start, which hides what starting vmform
 * adds.
 */
delete process.env.NODE_EXTRA_CA_CERTS;
const repeated = `i=0; while [ $i -lt ${startsPerRun} ]; do "$@" || exit; i=$((i + 1)); done`;

const rows = [
  { name: "node -e 0", args: ["-e", "0"] },
  { name: "vmform version", args: [entry, "version"], timesMax: 2, memoryMax: 1.5 },
  { name: "vmform validate", args: [entry, "validate"], timesMax: 3 },
  { name: "vmform plan", args: [entry, "plan"], timesMax: 3 },
];

const cwd = mkdtempSync(join(tmpdir(), "vmform-start-"));
// What other runs have left in the user's cache would be loaded as well.
const cache = join(cwd, "cache");
mkdirSync(cache, { mode: 0o700 });
process.env.XDG_CACHE_HOME = cache;
try {
  writeFileSync(join(cwd, "main.vmform.yaml"), "resources:\n  noop_resource.a: { name: a }\n");
  // The first starts of a command, `startsPerRun` of them, keep what was compiled.
  for (const { args } of rows) measuredOnce(args);
  // In turn, so that what slows the machine for a while slows each of them.
  /** @type {Measured[][]} */
  const measured = rows.map(() => []);
  for (let run = 0; run < runs; run += 1) {
    rows.forEach(({ args }, index) => measured[index]?.push(measuredOnce(args)));
  }
  const [bare = []] = measured;
  rows.forEach(({ name, timesMax, memoryMax }, index) => {
    const own = measured[index] ?? [];
    // Of what ran one after the other: the machine is not the same for long.
    const times = own.map(({ seconds }, run) => seconds / (bare[run]?.seconds ?? Number.NaN));
    const memory = measuresMemory ? leastMemory(own) / leastMemory(bare) : undefined;
    const seconds = middle(own.map((one) => one.seconds));
    console.log(
      `${name.padEnd(18)} ${seconds.toFixed(3)} s ${aimed(middle(times), timesMax)}` +
        `  memory ${aimed(memory, memoryMax)}`,
    );
  });
} finally {
  rmSync(cwd, { recursive: true, force: true });
}

/** @typedef {{ readonly seconds: number, readonly megabytes: number | undefined }} Measured */

/**
 * @param {readonly string[]} args
 * @returns {Measured}
 */
function measuredOnce(args) {
  const command = ["/bin/sh", "-c", repeated, "sh", process.execPath, ...args];
  const { processorSeconds, seconds, megabytes } = measure(command, { cwd });
  return {
    seconds: (processorSeconds ?? seconds) / startsPerRun,
    megabytes: measuresMemory ? (megabytes ?? 0) : undefined,
  };
}

/**
 * What disturbs only adds.
 *
 * @param {readonly Measured[]} all
 */
function leastMemory(all) {
  return Math.min(...all.flatMap(({ megabytes }) => megabytes ?? []));
}

/**
 * The value in the middle; of an even number the later of the two.
 *
 * @param {readonly number[]} numbers at least one
 */
function middle(numbers) {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1] ?? Number.NaN;
}

/**
 * @param {number | undefined} times
 * @param {number | undefined} max the aim, if there is one
 */
function aimed(times, max) {
  if (times === undefined) return "unknown";
  const aim = max === undefined ? "" : `, aim ${max}, ${times <= max ? "met" : "missed"}`;
  return `× ${times.toFixed(2)}${aim}`;
}
