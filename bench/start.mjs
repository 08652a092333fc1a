#!/usr/bin/env node
/**
 * What it costs to start: commands that do next to nothing, beside a bare Node.js, as ratios inside
 * one run. Seconds are processor time of the process, so that a busy machine disturbs little.
 *
 *     node bench/start.mjs [--runs 5]
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measure, measuresMemory } from "./measure.mjs";
import { entry } from "./vmform.mjs";

const { values } = parseArgs({ options: { runs: { type: "string", default: "5" } } });
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
try {
  writeFileSync(join(cwd, "main.vmform.yaml"), "resources:\n  noop_resource.a: { name: a }\n");
  /** @type {{ seconds: number, megabytes: number | undefined } | undefined} */
  let bare;
  for (const { name, args, timesMax, memoryMax } of rows) {
    const best = leastOf(args);
    bare ??= best;
    const times = ratio(best.seconds, bare.seconds, timesMax);
    const memory = ratio(best.megabytes, bare.megabytes, memoryMax);
    console.log(`${name.padEnd(18)} ${best.seconds.toFixed(3)} s ${times}  memory ${memory}`);
  }
} finally {
  rmSync(cwd, { recursive: true, force: true });
}

/**
 * The least of several runs: what disturbs only adds.
 *
 * @param {readonly string[]} args
 */
function leastOf(args) {
  const command = ["/bin/sh", "-c", repeated, "sh", process.execPath, ...args];
  const all = Array.from({ length: runs }, () => measure(command, { cwd }));
  const least = Math.min(...all.map((one) => one.processorSeconds ?? one.seconds));
  const seconds = least / startsPerRun;
  const megabytes = measuresMemory ? Math.min(...all.map((one) => one.megabytes ?? 0)) : undefined;
  return { seconds, megabytes };
}

/**
 * @param {number | undefined} value
 * @param {number | undefined} base
 * @param {number | undefined} max the aim, if there is one
 */
function ratio(value, base, max) {
  if (value === undefined || base === undefined) return "unknown";
  const times = value / base;
  const aim = max === undefined ? "" : `, aim ${max}, ${times <= max ? "met" : "missed"}`;
  return `× ${times.toFixed(2)}${aim}`;
}
