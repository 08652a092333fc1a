/**
 * What the executable starts with: unpacks the package it holds, once for each content, and runs it.
 * Written for Node.js alone, since nothing else can be loaded yet.
 *
 * The folder is the user's own and nobody else may write into it; one that is not so is refused, since
 * code is run from there. It is filled beside its place and then named, so that one that is there is
 * whole, whoever was killed meanwhile.
 */

"use strict";

const { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { homedir } = require("node:os");
const path = require("node:path");
const { getAsset } = require("node:sea");
const { brotliDecompressSync } = require("node:zlib");

/** Where users have what can be made again. */
function cacheFolder() {
  const { XDG_CACHE_HOME: cache, LOCALAPPDATA: local } = process.env;
  if (cache) return path.join(cache, "vmform");
  if (process.platform === "win32" && local) return path.join(local, "vmform");
  return path.join(homedir(), ".cache", "vmform");
}

function unpack(parent, place) {
  const folder = mkdtempSync(path.join(parent, "unpacking-"));
  try {
    const files = JSON.parse(brotliDecompressSync(Buffer.from(getAsset("package"))).toString());
    for (const [name, content] of files) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, Buffer.from(content, "base64"));
    }
    writeFileSync(path.join(folder, "start.cjs"), 'require("./vmform/dist/main.js");\n');
    renameSync(folder, place);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    // Another start of the same executable was quicker.
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code) || !isThere(place)) throw error;
  }
}

function isThere(place) {
  return statSync(path.join(place, "start.cjs"), { throwIfNoEntry: false }) !== undefined;
}

/** Throws where somebody else could have put code. */
function requireOwn(folder) {
  if (process.platform === "win32") return;
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid() || (mode & 0o022) !== 0) {
    throw new Error(`${folder} is not this user's own, or others may write into it`);
  }
}

function start() {
  const parent = cacheFolder();
  const place = path.join(parent, getAsset("digest", "utf8"));
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  requireOwn(parent);
  if (!isThere(place)) unpack(parent, place);
  requireOwn(place);
  return path.join(place, "start.cjs");
}

let script;
try {
  script = start();
} catch (error) {
  process.stderr.write(
    `error: vmform cannot unpack itself: ${error.message}.\n` +
      "It needs a folder of this user's own with some 30 MB; XDG_CACHE_HOME names another one.\n",
  );
  process.exit(1);
}
createRequire(script)(script);
