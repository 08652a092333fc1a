/**
 * Builds the command once for a whole test run, from the present sources into a folder of its own, so
 * that a build which happens meanwhile, or an old one, has no part in the tests. What the tests write
 * goes to a folder that goes with the run, in memory where there is one.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { scratchFolder } from "./scratch.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

declare module "vitest" {
  interface ProvidedContext {
    /** The built command: the file to give to Node.js. */
    readonly program: string;
  }
}

export default function setup(project: TestProject): () => void {
  const scratch = scratchFolder();
  // The processes of the tests inherit it.
  if (scratch !== undefined) process.env.TMPDIR = scratch;
  const folder = mkdtempSync(join(tmpdir(), "vmform-build-"));
  const target = join(folder, "dist");
  const bundler = join(root, "node_modules", ".bin", "rolldown");
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  // The build runs a part of what it has built, to see that it is whole.
  for (const name of ["schemas", "examples", "node_modules"])
    symlinkSync(join(root, name), join(folder, name));
  execFileSync(bundler, ["-c", "rolldown.config.mjs", "--dir", target], {
    cwd: root,
  });
  project.provide("program", join(target, "main.js"));
  return () => {
    rmSync(folder, { recursive: true, force: true });
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    if (process.env.VMFORM_LONG === "1") return;
    console.log(
      "Long tables, kill points and seeds were tried in part; in full: npm run test:long",
    );
  };
}
