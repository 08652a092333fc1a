#!/usr/bin/env node
/**
 * What is handed on, in the folder `release`: the package `vmform-VERSION.tgz`, and with
 * `--executable` the program as one file that brings its Node.js along, for the machine it is made
 * on. Equal sources give equal bytes.
 *
 * The program is bundled, so the description in the package names no package but the optional one,
 * and no script: who installs it downloads one package and runs nothing.
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildExecutable } from "./executable.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const release = join(root, "release");
const description = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Of the description of the checkout, what says nothing to who installs the package. */
const ownOnly = ["private", "scripts", "dependencies", "devDependencies", "overrides"];

function npm(args, cwd) {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** A folder that holds just what the package does. */
function stage(folder) {
  for (const script of ["build", "build:provider"]) npm(["run", "--silent", script], root);
  // The checkout's own description says which files those are.
  const [{ files }] = JSON.parse(npm(["pack", "--dry-run", "--json", "--ignore-scripts"], root));
  for (const { path } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  const told = Object.entries(description).filter(([name]) => !ownOnly.includes(name));
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify(Object.fromEntries(told), null, 2)}\n`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "vmform-package-"));
try {
  stage(folder);
  mkdirSync(release, { recursive: true });
  const [{ filename }] = JSON.parse(npm(["pack", "--json", "--pack-destination", release], folder));
  const archive = join(release, filename);
  console.log(archive);
  if (process.argv.includes("--executable")) console.log(await buildExecutable(archive, release));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
