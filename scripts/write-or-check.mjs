/** Writes derived files, or with `--check` only says which of them are not up to date. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** `files` hold paths from the root of the project. Sets the exit code to 1 when one is stale. */
export function writeOrCheck(files) {
  const check = process.argv.includes("--check");
  for (const { path, text } of files) {
    const target = new URL(`../${path}`, import.meta.url);
    if (read(target) === text) continue;
    if (check) {
      process.stdout.write(`${path} is not up to date\n`);
      process.exitCode = 1;
      continue;
    }
    mkdirSync(new URL(".", target), { recursive: true });
    writeFileSync(target, text);
    process.stdout.write(`${path}\n`);
  }
}

function read(target) {
  try {
    return readFileSync(target, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
