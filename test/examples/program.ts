/** The command as users run it, built from the present sources, so that an old build has no part. */

import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./copy.ts";

export type Program = {
  /** The file to give to Node.js. */
  readonly main: string;
  remove(): void;
};

/** Into a folder of its own. Types are checked elsewhere; here only the files matter. */
export function buildProgram(): Program {
  const folder = mkdtempSync(join(tmpdir(), "vmform-program-"));
  const compiler = join(root, "node_modules", ".bin", "tsc");
  const dist = join(folder, "dist");
  execFileSync(compiler, ["-p", join(root, "tsconfig.json"), "--noCheck", "--outDir", dist]);
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  for (const name of ["schemas", "node_modules"]) symlinkSync(join(root, name), join(folder, name));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return { main: join(dist, "main.js"), remove };
}

export type Ended = {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs a script of Node.js to its end, with nothing of the test's own environment but the path. */
export function runNode(
  script: string,
  words: readonly string[],
  cwd: string,
  environment: { readonly [name: string]: string } = {},
): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? "", HOME: cwd, CI: "true", ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...words], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? "killed"), stdout, stderr });
    }).stdin?.end();
  });
}
