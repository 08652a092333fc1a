#!/usr/bin/env node
/**
 * What Node.js is given (`dist/main.js`): loads the program beside it, with what was compiled of it
 * before. Where nothing is kept, Node.js loads it.
 */

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageVersion } from "../lib/files/package-file.ts";
import { createChunks } from "./chunks.ts";
import { openKeptCode } from "./kept-code.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const outside = createRequire(import.meta.url);
const kept = openKeptCode({
  version: packageVersion(),
  variables: process.env,
  command: process.argv[2],
  files: () => [...readdirSync(folder), ...readdirSync(join(folder, "chunks"))],
});
// Stacks are told by sources where Node.js itself loads.
if (kept === undefined || process.sourceMapsEnabled) {
  outside("./program.js");
} else {
  const { load, keep } = createChunks(folder, kept, outside);
  // Changes and drift have codes of their own: these, too, have done their work.
  process.once("exit", (code) => keep(code === 0 || code === 2));
  load("program.js");
}
