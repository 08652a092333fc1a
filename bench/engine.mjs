#!/usr/bin/env node
/**
 * How fast the engine is by itself: apply, and a plan that finds no changes, over instances of the
 * built-in no-op type, beside terraform with `terraform_data` where that is on the PATH. Both run
 * in turn on the same machine, and the result is their ratio. Only a wrong result is an error; a
 * slow one never is.
 *
 *     node bench/engine.mjs [--instances 1000,10000] [--runs 3] [--alone] [--json FILE] [--keep]
 *
 * Growth is a ratio inside the same run: `--alone --instances 12500,25000,50000,100000` shows how
 * time and memory grow per doubling.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measuresMemory, median } from "./measure.mjs";
import { applyCountMax, prepareTerraform, terraformVersion } from "./terraform.mjs";
import { prepareVmform } from "./vmform.mjs";

/**
 * @typedef {import("./measure.mjs").Measured} Measured
 * @typedef {{ operation: string, instances: number, ours: Measured, theirs?: Measured }} Row
 */

const { values } = parseArgs({
  options: {
    instances: { type: "string", default: "1000,10000" },
    runs: { type: "string", default: "3" },
    alone: { type: "boolean", default: false },
    json: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const counts = values.instances.split(",").map((text) => readCount("--instances", text));
const runs = readCount("--runs", values.runs);

const terraform = values.alone ? undefined : terraformVersion();
const folder = mkdtempSync(join(tmpdir(), "vmform-bench-"));
try {
  const rows = counts.flatMap((count) => measureCount(count));
  print(rows);
  console.log("");
  printGrowth(rows);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify(plain(rows), null, 2)}\n`);
} finally {
  if (values.keep) console.error(`kept ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {string} option
 * @param {string} text
 */
function readCount(option, text) {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`${option} takes positive whole numbers, not "${text}"`);
}

/**
 * @param {number} count
 * @returns {Row[]}
 */
function measureCount(count) {
  console.error(`${count} instances …`);
  const ours = prepareVmform(folder, count);
  const theirs = terraform === undefined ? undefined : prepareTerraform(folder, count);
  const apply = { operation: "apply", instances: count, ours: ours.apply() };
  const theirApply = theirs?.apply?.();
  const ourPlans = [];
  const theirPlans = [];
  // In turn, so that a busy moment of the machine does not fall on one side alone.
  for (let run = 0; run < runs; run += 1) {
    ourPlans.push(ours.planWithoutChanges());
    if (theirs !== undefined) theirPlans.push(theirs.planWithoutChanges());
  }
  const plan = { operation: "plan, no changes", instances: count, ours: median(ourPlans) };
  return [
    theirApply === undefined ? apply : { ...apply, theirs: theirApply },
    theirPlans.length === 0 ? plan : { ...plan, theirs: median(theirPlans) },
  ];
}

/** @param {readonly Row[]} rows */
function print(rows) {
  const cpu = `${availableParallelism()} × ${cpus()[0]?.model ?? "unknown processor"}`;
  console.log(`node ${process.versions.node}, terraform ${terraform ?? "absent"}, ${cpu}`);
  console.log(
    `apply: one run; plan: median of ${runs}; ratio = vmform / terraform, less is better`,
  );
  if (values.alone) console.log("terraform was left out: --alone");
  else if (terraform === undefined)
    console.log("!! terraform is not on the PATH: no comparison was made");
  else if (counts.some((count) => count > applyCountMax)) {
    console.log(`terraform's apply is left out beyond ${applyCountMax} instances: it is quadratic`);
  }
  if (!measuresMemory) console.log("!! GNU time is absent: peak memory was not measured");
  const titles = ["operation", "instances", "vmform s", "terraform s", "ratio"];
  const table = [
    [...titles, "vmform MB", "terraform MB", "ratio"],
    ...rows.map(({ operation, instances, ours, theirs }) => [
      operation,
      String(instances),
      show(ours.seconds, 2),
      show(theirs?.seconds, 2),
      show(ratio(ours.seconds, theirs?.seconds), 2),
      show(ours.megabytes, 0),
      show(theirs?.megabytes, 0),
      show(ratio(ours.megabytes, theirs?.megabytes), 2),
    ]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  console.log("");
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    console.log(cells.join("  "));
  }
}

/**
 * Growth per doubling of the instances: the factor between neighbours, to the power that one
 * doubling is of their distance.
 *
 * @param {readonly Row[]} rows
 */
function printGrowth(rows) {
  for (const operation of new Set(rows.map((row) => row.operation))) {
    const series = rows
      .filter((row) => row.operation === operation)
      .toSorted((a, b) => a.instances - b.instances);
    for (let index = 1; index < series.length; index += 1) {
      const [small, large] = [series[index - 1], series[index]];
      const doublings = Math.log2(large.instances / small.instances);
      const growth = (/** @type {number | undefined} */ a, /** @type {number | undefined} */ b) =>
        a === undefined || b === undefined ? "-" : ((b / a) ** (1 / doublings)).toFixed(2);
      const time = growth(small.ours.seconds, large.ours.seconds);
      const memory = growth(small.ours.megabytes, large.ours.megabytes);
      const range = `${small.instances} to ${large.instances}`;
      console.log(`${operation}, ${range}: time × ${time}, memory × ${memory} per doubling`);
    }
  }
}

/**
 * @param {number | undefined} ours
 * @param {number | undefined} theirs
 */
function ratio(ours, theirs) {
  return ours === undefined || theirs === undefined ? undefined : ours / theirs;
}

/**
 * @param {number | undefined} value
 * @param {number} digits
 */
function show(value, digits) {
  return value === undefined ? "-" : value.toFixed(digits);
}

/**
 * The rows without what the programs printed.
 *
 * @param {readonly Row[]} rows
 */
function plain(rows) {
  const keep = (/** @type {Measured | undefined} */ measured) =>
    measured && { seconds: measured.seconds, megabytes: measured.megabytes };
  return rows.map(({ ours, theirs, ...row }) => ({
    ...row,
    vmform: keep(ours),
    terraform: keep(theirs) ?? null,
  }));
}
