#!/usr/bin/env node
/**
 * What Node.js is given (`dist/main.js`): loads the program beside it, with what was compiled of it
 * before. Where nothing is kept, Node.js loads it.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../lib/files/package-file.ts";
import { createChunks } from "./chunks.ts";
import { openKeptCode } from "./kept-code.ts";

/** Of the file that this is built as, which is no module. */
declare const require: NodeJS.Require;

/** The bundler would look for what is asked of `require` itself. */
const outside = require;
const folder = `${import.meta.dirname}/`;
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
