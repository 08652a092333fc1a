#!/usr/bin/env node
/**
 * What one change costs among many recorded objects: an apply that changes one value, with recorded
 * state in a file and in PostgreSQL, beside terraform with the latter, where that is on the PATH.
 *
 * "change" is the time from the plan, which both programs print as JSON, to the end of the process:
 * what is begun, done, recorded and unlocked. "whole" is the command from its start, which reads
 * every object with either program. The least of several runs: what disturbs only adds. Only ratios
 * inside one run mean anything; a slow one is no error, a wrong one is.
 *
 *     node bench/change.mjs [--objects 100,10000] [--runs 3] [--alone]
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measure } from "./measure.mjs";
import { startPostgres } from "./postgres.mjs";
import { multiplyState, quietTerraform, terraformVersion } from "./terraform.mjs";
import { entry } from "./vmform.mjs";

/**
 * @typedef {object} Side one program with one store and so many objects, all applied
 * @property {(value: string) => void} edit gives the first object this value
 * @property {readonly string[]} command what applies it, with JSON as output
 * @property {string} cwd
 * @property {Record<string, string>} [env]
 */

/** @typedef {{ change: number, whole: number }} Cost milliseconds */

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "100,10000" },
    runs: { type: "string", default: "3" },
    alone: { type: "boolean", default: false },
  },
});
const counts = values.objects.split(",").map(Number);
const runs = Number(values.runs);
if (counts.length !== 2 || !counts.every((count) => count > 0)) {
  throw new Error("--objects takes two positive whole numbers");
}
if (!(runs > 0)) throw new Error("--runs takes a positive whole number");
/** The change of ours may cost so many times as much among the many as among the few. */
const timesMax = 3;

const folder = mkdtempSync(join(tmpdir(), "vmform-change-"));
const terraform = values.alone ? undefined : terraformVersion();
const postgres = await startPostgres(folder);
try {
  if (postgres === undefined) console.log("!! there is no PostgreSQL here: it is left out");
  if (values.alone) console.log("terraform was left out: --alone");
  else if (terraform === undefined) {
    console.log("!! terraform is not on the PATH: no comparison was made");
  }
  console.log(
    `node ${process.versions.node}, terraform ${terraform ?? "absent"}; ms, least of ${runs}`,
  );
  print(await measureAll());
} finally {
  postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** @returns {Promise<{ name: string, bound: boolean, costs: Cost[] }[]>} */
async function measureAll() {
  /** @type {readonly (readonly [string, boolean, (count: number) => Side])[]} */
  const all = [
    ["vmform, local", true, (count) => vmformSide(`local-${count}`, count, undefined)],
    ...(postgres === undefined
      ? []
      : [
          /** @type {const} */ ([
            "vmform, postgres",
            true,
            (/** @type {number} */ count) => vmformSide(`pg-${count}`, count, postgres.url),
          ]),
        ]),
    ...(terraform === undefined || postgres === undefined
      ? []
      : [
          /** @type {const} */ ([
            "terraform, pg",
            false,
            (/** @type {number} */ count) => terraformSide(`pg-${count}`, count, postgres.url),
          ]),
        ]),
  ];
  const rows = [];
  for (const [name, bound, prepare] of all) {
    console.error(`${name} …`);
    const sides = counts.map(prepare);
    /** @type {Cost[][]} */
    const costs = sides.map(() => []);
    for (let run = 0; run < runs; run += 1) {
      // In turn, so that a busy moment of the machine does not fall on one size alone.
      for (const [index, side] of sides.entries()) costs[index]?.push(await costOf(side, run));
    }
    rows.push({ name, bound, costs: costs.map(least) });
  }
  return rows;
}

/**
 * @param {Side} side
 * @param {number} run
 * @returns {Promise<Cost>}
 */
async function costOf({ edit, command, cwd, env = {} }, run) {
  edit(`changed ${run}`);
  const [program = "", ...words] = command;
  const started = performance.now();
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  /** @type {number | undefined} */
  let planned;
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    output += text;
    if (planned === undefined && output.includes('"type":"change_summary"')) {
      planned = performance.now();
    }
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const ended = performance.now();
  const summaries = output.split("\n").filter((line) => line.includes('"type":"change_summary"'));
  const [plan, applied] = summaries.map((line) => JSON.parse(line).changes);
  if (code !== 0 || planned === undefined || plan?.change !== 1 || applied?.change !== 1) {
    throw new Error(`${command.join(" ")} did not change one object:\n${output.slice(-3000)}`);
  }
  return { change: ended - planned, whole: ended - started };
}

/** @param {readonly Cost[]} costs */
function least(costs) {
  return {
    change: Math.min(...costs.map(({ change }) => change)),
    whole: Math.min(...costs.map(({ whole }) => whole)),
  };
}

/**
 * @param {string} name
 * @param {number} count
 * @param {string | undefined} url
 * @returns {Side}
 */
function vmformSide(name, count, url) {
  const cwd = join(folder, `vmform-${name}`);
  mkdirSync(cwd);
  if (url !== undefined) {
    const yaml = `vmform: { state: { postgres: { url: "${url}", name: "bench-${count}" } } }\n`;
    writeFileSync(join(cwd, "settings.vmform.yaml"), yaml);
  }
  const write = (/** @type {string} */ first) => {
    const lines = ["resources:"];
    for (let index = 0; index < count; index += 1) {
      const value = index === 0 ? first : `v${index}`;
      lines.push(`  noop_resource.r${index}:`, `    name: r${index}`, `    value: ${value}`);
    }
    writeFileSync(join(cwd, "main.vmform.yaml"), `${lines.join("\n")}\n`);
  };
  write("v0");
  const command = [process.execPath, entry, "apply", "--auto-approve", "--json"];
  measure(command, { cwd });
  return { edit: write, command, cwd };
}

/**
 * @param {string} name
 * @param {number} count
 * @param {string} url
 * @returns {Side}
 */
function terraformSide(name, count, url) {
  const cwd = join(folder, `terraform-${name}`);
  mkdirSync(cwd);
  const env = quietTerraform(folder);
  const run = (/** @type {string[]} */ ...args) => measure(["terraform", ...args], { cwd, env });
  const settings = `conn_str = "${url}?sslmode=disable"\n    schema_name = "tf_${count}"`;
  const backend = `terraform {\n  backend "pg" {\n    ${settings}\n  }\n}\n`;
  writeFileSync(join(cwd, "backend.tf"), backend);
  const write = (/** @type {number} */ length, /** @type {string} */ first) => {
    const blocks = Array.from({ length }, (_, index) => {
      const input = `{ name = "r${index}", value = "${index === 0 ? first : `v${index}`}" }`;
      return `resource "terraform_data" "r${index}" {\n  input = ${input}\n}\n`;
    });
    writeFileSync(join(cwd, "main.tf"), blocks.join("\n"));
  };
  write(1, "v0");
  run("init", "-input=false");
  run("apply", "-auto-approve", "-input=false");
  const pulled = join(cwd, "pulled.json");
  writeFileSync(pulled, run("state", "pull").output);
  multiplyState(pulled, count);
  run("state", "push", pulled);
  rmSync(pulled);
  return {
    edit: (value) => write(count, value),
    command: ["terraform", "apply", "-auto-approve", "-input=false", "-json"],
    cwd,
    env,
  };
}

/** @param {readonly { name: string, bound: boolean, costs: readonly Cost[] }[]} rows */
function print(rows) {
  const [few = 0, many = 0] = counts;
  const titles = ["", `change, ${few}`, `change, ${many}`, "ratio"];
  const table = [
    [...titles, `whole, ${few}`, `whole, ${many}`, "ratio"],
    ...rows.map(({ name, bound, costs: [small, large] }) => {
      const times = (large?.change ?? NaN) / (small?.change ?? NaN);
      const over = bound && times > timesMax ? ` (over ${timesMax})` : "";
      const judged = `× ${times.toFixed(2)}${over}`;
      const ms = (/** @type {number | undefined} */ value) => (value ?? NaN).toFixed(0);
      const wholes = `× ${((large?.whole ?? NaN) / (small?.whole ?? NaN)).toFixed(2)}`;
      const whole = [ms(small?.whole), ms(large?.whole), wholes];
      return [name, ms(small?.change), ms(large?.change), judged, ...whole];
    }),
  ];
  const widths = titles
    .concat("", "", "")
    .map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join("  "));
  }
}
