/** Problems of a configuration by file, from the loader that commands use. */

import { dirname, resolve, sep } from "node:path";
import type { CommandEnvironment } from "../commands/environment.ts";
import { isConfigurationFile, validateConfiguration } from "../commands/reading.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { isTooLong, textOf } from "./declared-names.ts";

export type Checked = {
  /** By absolute path; every file that was read is there. */
  readonly problems: ReadonlyMap<string, readonly Diagnostic[]>;
  /** Folders that were read: the root module and what it calls. */
  readonly folders: ReadonlySet<string>;
};

/** `environment` has open texts over saved ones. */
export async function checkFolder(
  environment: CommandEnvironment,
  directory: string,
): Promise<Checked> {
  const folders = new Set([resolve(directory)]);
  const problems = new Map<string, Diagnostic[]>();
  const names = (await environment.listFolder(directory)).filter(isConfigurationFile);
  let leavesOut = false;
  const watched: CommandEnvironment = {
    ...environment,
    readFile: async (path) => {
      const bytes = await environment.readFile(path);
      if (!isTooLong(textOf(bytes))) return bytes;
      // It is told that nothing is checked; reading it would keep the editor waiting.
      leavesOut = true;
      return new Uint8Array();
    },
    folderReader: (root) => {
      const read = environment.folderReader(root);
      return (source, from) => {
        const found = read(source, from);
        if (found.ok) {
          folders.add(resolve(found.folder.directory));
          for (const { name } of found.folder.files) problems.set(resolve(name), []);
        }
        return found;
      };
    },
  };
  for (const name of names) problems.set(resolve(directory, name), []);
  const options = { directory, variables: [], variableFiles: [] };
  const { diagnostics } = await validateConfiguration(watched, options);
  if (leavesOut) return { problems, folders };
  for (const diagnostic of diagnostics) {
    const { source } = diagnostic;
    if (source === undefined) continue;
    const path = resolve(source.file);
    problems.set(path, [...(problems.get(path) ?? []), diagnostic]);
  }
  return { problems, folders };
}

/** The folder of a file and those above it that may call it, up to the folder of the workspace. */
export function foldersAbove(path: string, workspaces: readonly string[]): readonly string[] {
  const folders = [dirname(path)];
  const top = workspaces.find((folder) => path.startsWith(`${folder}${sep}`));
  const levelsMax = top === undefined ? 3 : 20;
  for (let level = 0; level < levelsMax; level += 1) {
    const last = folders.at(-1) ?? "";
    const above = dirname(last);
    if (last === top || above === last) break;
    folders.push(above);
  }
  return folders;
}
