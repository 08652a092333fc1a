/**
 * The program as one file: Node.js's own single executable application, made of the Node.js that
 * makes it, with the package inside as an asset.
 *
 * The package is unpacked into the user's cache when the executable is first started, and used from
 * there: chunks are loaded when a command needs them, and native locks, which nobody can load out of
 * an executable, are files. Source maps stay outside: they are two thirds of the package.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { inject } from "postject";

const starter = fileURLToPath(new URL("executable-start.cjs", import.meta.url));
/** By which Node.js finds that it has been given an application. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Makes it of a packed package; returns its path, `vmform-PLATFORM-ARCHITECTURE` in the folder. */
export async function buildExecutable(archive, folder) {
  const scratch = mkdtempSync(join(tmpdir(), "vmform-executable-"));
  try {
    const install = [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--prefix",
      scratch,
      archive,
    ];
    execFileSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
    const content = contentOf(join(scratch, "node_modules"));
    const digest = createHash("sha256").update(content).digest("hex");
    const [asset, name, blob] = ["asset", "digest", "blob"].map((file) => join(scratch, file));
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
    writeFileSync(asset, brotliCompressSync(content, options));
    writeFileSync(name, digest);
    const configuration = {
      main: starter,
      output: blob,
      disableExperimentalSEAWarning: true,
      assets: { package: asset, digest: name },
    };
    writeFileSync(join(scratch, "sea.json"), JSON.stringify(configuration));
    execFileSync(process.execPath, ["--experimental-sea-config", join(scratch, "sea.json")], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const made = join(folder, `vmform-${process.platform}-${process.arch}`);
    copyFileSync(process.execPath, made);
    chmodSync(made, 0o755);
    await inject(made, "NODE_SEA_BLOB", readFileSync(blob), { sentinelFuse: fuse });
    return made;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Every file below, in the order of paths, as the starter reads it: JSON of paths and base64. */
function contentOf(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => isNeeded(path))
    .toSorted();
  const files = paths.map((path) => [
    path.split(sep).join("/"),
    readFileSync(join(folder, path)).toString("base64"),
  ]);
  return JSON.stringify(files);
}

function isNeeded(path) {
  // npm's own list of what it has installed names the folder of this run.
  if (path.endsWith(".map") || path === ".package-lock.json" || path.startsWith(".bin"))
    return false;
  const prebuilt = path.split(sep).at(path.split(sep).indexOf("prebuilds") + 1);
  return !path.includes("prebuilds") || prebuilt === `${process.platform}-${process.arch}`;
}
