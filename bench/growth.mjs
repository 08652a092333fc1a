#!/usr/bin/env node
/**
 * How time and memory of plan, apply and destroy grow per doubling of the objects, for graphs of
 * several shapes. Only ratios inside one run mean anything: seconds are processor time of the
 * process, so that a busy machine disturbs little. Peak memory holds what the collector has not freed
 * yet, and jumps where it takes its time; `--heap` bounds it, in MB, and a run that needs more fails.
 * A slow result is no error; a wrong one is.
 *
 *     node bench/growth.mjs [--shapes chain,random] [--objects 2000,4000,8000] [--runs 1] [--heap 500]
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measure, measuresMemory, median } from "./measure.mjs";
import { shapes, shapeText } from "./shapes.mjs";
import { entry } from "./vmform.mjs";

const { values } = parseArgs({
  options: {
    shapes: { type: "string", default: shapes.filter((shape) => shape !== "layers").join(",") },
    objects: { type: "string", default: "2000,4000,8000" },
    runs: { type: "string", default: "1" },
    heap: { type: "string" },
  },
});
const counts = values.objects.split(",").map(Number);
const runs = Number(values.runs);
/** @type {Record<string, string>} */
const env =
  values.heap === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${Number(values.heap)}` };
const chosen = shapes.filter((shape) => values.shapes.split(",").includes(shape));
if (chosen.length === 0) throw new Error(`--shapes takes some of ${shapes.join(",")}`);
if (!counts.every((count) => count > 0)) throw new Error("--objects takes positive whole numbers");
if (!measuresMemory) console.log("!! GNU time is absent: neither memory nor processor time");

const steps = [
  { name: "plan", args: ["plan"], says: "to add" },
  { name: "apply", args: ["apply", "--auto-approve"], says: "added" },
  { name: "plan, no changes", args: ["plan", "--detailed-exitcode"], says: "No changes" },
  { name: "destroy", args: ["destroy", "--auto-approve"], says: "destroyed" },
];

const folder = mkdtempSync(join(tmpdir(), "vmform-growth-"));
try {
  for (const shape of chosen) measureShape(shape);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {import("./shapes.mjs").Shape} shape */
function measureShape(shape) {
  /** @type {Map<string, import("./measure.mjs").Measured>} */
  const before = new Map();
  let known = 0;
  for (const count of counts) {
    const cwd = join(folder, `${shape}-${count}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "main.vmform.yaml"), shapeText(shape, count));
    for (const { name, args, says } of steps) {
      const repeats = name.startsWith("plan") ? runs : 1;
      const all = Array.from({ length: repeats }, () =>
        measure([process.execPath, entry, ...args, "--no-color"], { cwd, env }),
      );
      const measured = median(all);
      if (!measured.output.includes(says))
        throw new Error(`${shape} ${name} did not say "${says}"`);
      const small = before.get(name);
      const text = `${(measured.userSeconds ?? 0).toFixed(1)} s, ${(measured.megabytes ?? 0).toFixed(0)} MB`;
      const grown = small === undefined ? "" : `: ${growth(small, measured, count / known)}`;
      console.log(`${shape}, ${count}, ${name}: ${text}${grown}`);
      before.set(name, measured);
    }
    known = count;
  }
}

/**
 * @param {import("./measure.mjs").Measured} small
 * @param {import("./measure.mjs").Measured} large
 * @param {number} factor
 */
function growth(small, large, factor) {
  const ratio = (/** @type {number | undefined} */ a, /** @type {number | undefined} */ b) =>
    a === undefined || b === undefined ? "-" : ((b / a) ** (1 / Math.log2(factor))).toFixed(2);
  const time = ratio(small.userSeconds, large.userSeconds);
  return `time × ${time}, memory × ${ratio(small.megabytes, large.megabytes)} per doubling`;
}
