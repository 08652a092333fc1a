/** Files that are made anew: what is there is never written over. */

import { basename, dirname } from "node:path";
import { type CommandEnvironment, CommandError } from "../environment.ts";

/** Throws `CommandError` when something has this name. */
export async function newFile(environment: CommandEnvironment, path: string): Promise<void> {
  const names = await environment.listFolder(dirname(path));
  if (!names.includes(basename(path))) return;
  throw new CommandError(`${path} is there already.`, "Give the name of a new file.", "file");
}
