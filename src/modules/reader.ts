/** Folders of modules, read at once: the configuration asks for one when a call names it. */

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { FolderReader, FoundFolder } from "../config/read/folder.ts";
import type { FileReader } from "../expressions/functions/function-context.ts";
import { openPackages, type Packages } from "./packages.ts";
import { type FetchedSource, parseSource } from "./source.ts";

export type ReaderOptions = {
  /** Folder of the root module, where the lock is. */
  readonly root: string;
  readonly isConfiguration: (name: string) => boolean;
  /** Reads files of a folder that expressions name. */
  readonly fileReader: (folder: string) => FileReader;
};

export function moduleReader({ root, isConfiguration, fileReader }: ReaderOptions): FolderReader {
  const packages = openPackages(root);
  const read = (directory: string): FoundFolder => {
    try {
      const names = readdirSync(directory).filter(isConfiguration).toSorted();
      if (names.length === 0) return nothingIn(directory);
      const files = names.map((name) => {
        const path = join(directory, name);
        return { name: path, bytes: readFileSync(path) };
      });
      return { ok: true, folder: { directory, files, readFile: fileReader(directory) } };
    } catch (error) {
      return unreadable(directory, error);
    }
  };
  return (text, from) => {
    const parsed = parseSource(text);
    if (!parsed.ok) return parsed;
    const { source } = parsed;
    if (source.kind !== "local") return fetchedFolder(source, packages, read);
    const directory = join(from, source.path);
    const within = packages.packageOf(from);
    if (within !== undefined && relative(within, directory).startsWith("..")) {
      return { ok: false, detail: `The source ${text} leads out of what was fetched.` };
    }
    return read(directory);
  };
}

function fetchedFolder(
  source: FetchedSource,
  packages: Packages,
  read: (directory: string) => FoundFolder,
): FoundFolder {
  try {
    const found = packages.find(source);
    if (found.kind === "found") return read(join(found.folder, source.folder));
    if (found.kind === "absent") {
      const detail = `${source.origin} is not fetched.`;
      return { ok: false, detail, fix: "Fetch it with: vmform init", isToFetch: true };
    }
    const detail = `${source.origin} is not what was locked: somebody changed ${found.folder}.`;
    return { ok: false, detail, fix: "Fetch it anew with: vmform init", isToFetch: true };
  } catch (error) {
    const detail = error instanceof Error ? `${error.message}.` : String(error);
    return { ok: false, detail, fix: "Mend or remove it, and make it anew with: vmform init" };
  }
}

function nothingIn(directory: string): FoundFolder {
  const detail = `The folder ${directory} has no file whose name ends in .vmform.yaml.`;
  return { ok: false, detail, fix: "Correct the source." };
}

function unreadable(directory: string, error: unknown): FoundFolder {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === undefined) throw error;
  if (code === "ENOENT") {
    return { ok: false, detail: `There is no folder ${directory}.`, fix: "Correct the source." };
  }
  const why = code === "ENOTDIR" ? "it is no folder" : code;
  return { ok: false, detail: `The folder ${directory} cannot be read: ${why}.` };
}
