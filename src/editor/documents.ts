/** What the editor holds unsaved stands before what is on disk, in every folder that is read. */

import { basename, dirname, resolve } from "node:path";
import type { CommandEnvironment } from "../commands/environment.ts";
import { isConfigurationFile } from "../commands/reading.ts";
import type { FoundFolder } from "../config/read/folder.ts";

/** Texts of open documents by absolute path. */
export type OpenTexts = ReadonlyMap<string, string>;

/** The environment as if everything were saved. */
export function withOpenTexts(
  environment: CommandEnvironment,
  texts: OpenTexts,
): CommandEnvironment {
  const encoder = new TextEncoder();
  const bytesOf = (path: string): Uint8Array | undefined => {
    const text = texts.get(resolve(path));
    return text === undefined ? undefined : encoder.encode(text);
  };
  return {
    ...environment,
    listFolder: async (path) => withOpen(await listed(environment, path), path, texts),
    readFile: async (path) => bytesOf(path) ?? environment.readFile(path),
    folderReader: (root) => {
      const read = environment.folderReader(root);
      return (source, from) => overlaid(read(source, from), texts, bytesOf);
    },
  };
}

/** A folder that is gone has the documents that are still open. */
async function listed(environment: CommandEnvironment, path: string): Promise<readonly string[]> {
  try {
    return await environment.listFolder(path);
  } catch {
    return [];
  }
}

function withOpen(names: readonly string[], folder: string, texts: OpenTexts): readonly string[] {
  const open = [...texts.keys()].filter((path) => dirname(path) === resolve(folder));
  return [...new Set([...names, ...open.map((path) => basename(path))])];
}

function overlaid(
  found: FoundFolder,
  texts: OpenTexts,
  bytesOf: (path: string) => Uint8Array | undefined,
): FoundFolder {
  if (!found.ok) return found;
  const { directory, files } = found.folder;
  const known = new Set(files.map(({ name }) => resolve(name)));
  const more = [...texts.keys()].filter(
    (path) => dirname(path) === resolve(directory) && isConfigurationFile(path) && !known.has(path),
  );
  const all = [
    ...files.map(({ name, bytes }) => ({ name, bytes: bytesOf(name) ?? bytes })),
    ...more.flatMap((name) => {
      const bytes = bytesOf(name);
      return bytes === undefined ? [] : [{ name, bytes }];
    }),
  ];
  return { ok: true, folder: { ...found.folder, files: all } };
}
