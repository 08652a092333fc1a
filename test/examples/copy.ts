/** Temporary copies of examples, with a place for their recorded state beside them. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
const examples = join(root, "examples");

export function exampleNames(): readonly string[] {
  const entries = readdirSync(examples, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export type ExampleCopy = { readonly folder: string; remove(): void };

/** Without the simulated world that runs by hand leave in the checkout. */
export function copyExample(name: string): ExampleCopy {
  const base = mkdtempSync(join(tmpdir(), "vmform-example-"));
  const folder = join(base, "examples", name);
  mkdirSync(folder, { recursive: true });
  const filter = (path: string): boolean => basename(path) !== ".vmform";
  cpSync(join(examples, name), folder, { recursive: true, filter });
  return { folder, remove: () => rmSync(base, { recursive: true, force: true }) };
}
