#!/usr/bin/env node
/** Entry point. */

import { readFileSync } from "node:fs";

const exitUsage = 1;

/** Version of this package, from the package.json beside `dist` and `src`. */
function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const contents: unknown = JSON.parse(text);
  if (typeof contents === "object" && contents !== null && "version" in contents) {
    return String(contents.version);
  }
  throw new Error("package.json names no version");
}

const command = process.argv[2];
if (command === "version" || command === "--version" || command === "-version") {
  process.stdout.write(`vmform ${readVersion()}\n`);
} else {
  process.stderr.write(`vmform: unknown command ${JSON.stringify(command ?? "")}\n`);
  process.exitCode = exitUsage;
}
