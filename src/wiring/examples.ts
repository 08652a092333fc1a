/** The examples of the package, read where it is installed. */

import { readdir, readFile } from "node:fs/promises";
import type { ShippedExamples } from "../commands/environment.ts";
import { packageFile } from "../lib/files/package-file.ts";

const folder = "examples/";

export const shippedExamples: ShippedExamples = {
  names: async () => {
    const entries = await readdir(packageFile(folder), { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted();
  },
  files: async (name) => {
    const paths = await pathsBelow(`${folder}${name}/`);
    return Promise.all(
      paths.map(async (path) => ({
        path: path.slice(folder.length + name.length + 1),
        text: await readFile(packageFile(path), "utf8"),
      })),
    );
  },
};

/** Without what runs in a checkout leave there: names with a dot, and what they write. */
async function pathsBelow(at: string): Promise<readonly string[]> {
  const entries = await readdir(packageFile(at), { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory()) paths.push(...(await pathsBelow(`${at}${entry.name}/`)));
    else if (/\.(?:ya?ml|js|json|txt)$/.test(entry.name)) paths.push(`${at}${entry.name}`);
  }
  return paths;
}
