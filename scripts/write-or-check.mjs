/** Writes derived files, or with `--check` only says which of them are not up to date. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";

/**
 * `files` hold paths from the root of the project; Markdown is laid out as all of ours is. Sets the
 * exit code to 1 when one is stale.
 */
export async function writeOrCheck(files) {
  const check = process.argv.includes("--check");
  for (const { path, text: made } of files) {
    const target = new URL(`../${path}`, import.meta.url);
    const text = path.endsWith(".md") ? await laidOut(made, fileURLToPath(target)) : made;
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

async function laidOut(text, filepath) {
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}

function read(target) {
  try {
    return readFileSync(target, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
