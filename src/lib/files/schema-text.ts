/** The schemas that the program is shipped with, as texts. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "./package-file.ts";

const folder = "schemas";
let kept: ReadonlyMap<string, string> | undefined;

/** One of them, by its path below `schemas`. Throws what the system says. */
export function schemaText(path: string): string {
  return kept?.get(path) ?? readFileSync(packageFile(join(folder, path)), "utf8");
}

/**
 * Reads all of them, for whoever asks later: by then the files may be those of another version.
 * Throws what the system says.
 */
export function keepSchemaTexts(): void {
  if (kept !== undefined) return;
  const paths = readdirSync(packageFile(folder), { recursive: true, encoding: "utf8" });
  kept = new Map(
    paths.filter((path) => path.endsWith(".json")).map((path) => [path, schemaText(path)]),
  );
}
