/** Files that are made anew: what is there is never written over. */

import { basename, dirname } from "node:path";
import { CommandError, type CommandFiles } from "../environment.ts";

/** Throws `CommandError` when something has this name. */
export async function newFile(
  environment: Pick<CommandFiles, "listFolder">,
  path: string,
): Promise<void> {
  const names = await environment.listFolder(dirname(path));
  if (!names.includes(basename(path))) return;
  throw new CommandError(`${path} is there already.`, "Give the name of a new file.", "file");
}
