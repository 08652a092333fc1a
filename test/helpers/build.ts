/**
 * The command as users run it, built from the present sources into a folder of its own, so that a
 * build which happens meanwhile, or an old one, has no part in the test.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

export type Build = {
  /** The file to give to Node.js. */
  readonly main: string;
  remove(): void;
};

/** Types are checked elsewhere; here it only matters that the files are there. */
export function buildProgram(): Build {
  const folder = mkdtempSync(join(tmpdir(), "vmform-build-"));
  const compiler = join(root, "node_modules", ".bin", "tsc");
  const target = join(folder, "dist");
  execFileSync(compiler, ["-p", join(root, "tsconfig.json"), "--noCheck", "--outDir", target]);
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  for (const name of ["schemas", "node_modules"]) symlinkSync(join(root, name), join(folder, name));
  return {
    main: join(target, "main.js"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
