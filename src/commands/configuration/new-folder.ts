/** Files written into a folder that has no configuration. Nothing that is there is overwritten. */

import { dirname, join } from "node:path";
import { CommandError, type CommandFiles } from "../environment.ts";
import { isConfigurationFile } from "../reading.ts";

/** `path` is relative to the folder. */
export type NewFile = { readonly path: string; readonly text: string };

/** A file with a password, which no repository should hold. */
export const passwordFile = "password.txt";

const ignoreName = ".gitignore";
/** What should not go into a repository: recorded state, and what lets in. */
const ignoreLines = [
  "# vmform: recorded state, saved plans, the world of the simulator, passwords",
  "state/",
  "*.plan",
  ".vmform/",
  passwordFile,
];

/**
 * Writes them in order, behind a `.gitignore` where there is none, and gives their paths. Throws
 * `CommandError` before anything is written when there is a configuration, or one of the names.
 * `secretFiles` are ignored as well.
 */
export async function writeNewFolder(
  environment: Pick<CommandFiles, "listFolder" | "createFile" | "makeFolder">,
  directory: string,
  files: readonly NewFile[],
  secretFiles: readonly string[] = [],
): Promise<readonly string[]> {
  const present = await environment.listFolder(directory);
  refuseConfiguration(directory, present);
  const taken = files.find(({ path }) => present.includes(path.split("/", 1)[0] ?? path));
  if (taken !== undefined) {
    throw new CommandError(
      `${join(directory, taken.path)} is there already, and nothing is overwritten.`,
      "Move it away, or choose another folder with --chdir.",
      "file",
    );
  }
  // One that is there is somebody's own.
  const ignoreText = `${[...new Set([...ignoreLines, ...secretFiles])].join("\n")}\n`;
  const ignored = present.includes(ignoreName) ? [] : [{ path: ignoreName, text: ignoreText }];
  const written: string[] = [];
  for (const { path, text } of [...ignored, ...files]) {
    const full = join(directory, path);
    if (path.includes("/")) await environment.makeFolder(dirname(full));
    await environment.createFile(full, text);
    written.push(full);
  }
  return written;
}

/** Throws `CommandError` where the folder has a configuration. */
function refuseConfiguration(directory: string, present: readonly string[]): void {
  const configuration = present.find(isConfigurationFile);
  if (configuration === undefined) return;
  throw new CommandError(
    `There is a configuration already: ${join(directory, configuration)}.`,
    "Choose another folder with --chdir, or write into that file.",
  );
}
