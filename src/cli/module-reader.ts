/** Folders of modules, read at once: the configuration asks for one when a call names it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isConfigurationFile } from "../commands/reading.ts";
import type { FolderReader, FoundFolder } from "../config/read/folder.ts";
import { isSystemError } from "./file-problem.ts";
import { fileReader } from "./file-reader.ts";

/** `home` is where paths of files that begin with `~/` are below. */
export function moduleReader(home: string): FolderReader {
  return (source, from) => {
    if (!/^\.\.?(?:\/|$)/.test(source)) return notLocal(source);
    const directory = join(from, source);
    try {
      const names = readdirSync(directory).filter(isConfigurationFile).toSorted();
      if (names.length === 0) return nothingIn(directory);
      const files = names.map((name) => {
        const path = join(directory, name);
        return { name: path, bytes: readFileSync(path) };
      });
      return { ok: true, folder: { directory, files, readFile: fileReader(directory, home) } };
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return unreadable(directory, error.code);
    }
  };
}

function notLocal(source: string): FoundFolder {
  const detail = `The source ${JSON.stringify(source)} is no path of a folder.`;
  const isPath = /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(source);
  const fix = isPath
    ? `Write ./${source} for a folder.`
    : "Write a path that begins with ./ or ../.";
  return { ok: false, detail, fix };
}

function nothingIn(directory: string): FoundFolder {
  const detail = `The folder ${directory} has no file whose name ends in .vmform.yaml.`;
  return { ok: false, detail, fix: "Correct the source." };
}

function unreadable(directory: string, code: string | undefined): FoundFolder {
  if (code === "ENOENT") {
    return { ok: false, detail: `There is no folder ${directory}.`, fix: "Correct the source." };
  }
  const why = code === "ENOTDIR" ? "it is no folder" : (code ?? "unknown");
  return { ok: false, detail: `The folder ${directory} cannot be read: ${why}.` };
}
