/** File errors of the system in words: what is wrong with which file. */

import { dirname } from "node:path";
import { CommandError } from "../../commands/environment.ts";
import { isSystemError, type SystemError } from "../../lib/files/system-error.ts";

export type FileAction = "list" | "read" | "write";

/** The error to show for a file a command was told to use; other errors come back as they are. */
export function fileProblem(action: FileAction, path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new CommandError(describe(action, path, error), undefined, "file");
}

/** `EBUSY: resource busy`, without the names of files of ours that the system puts behind it. */
function reasonOf(error: SystemError): string {
  return error.message.split(",", 1).join("");
}

function describe(action: FileAction, path: string, error: SystemError): string {
  switch (error.code) {
    case "ENOENT":
      if (action === "list") return `There is no folder ${path}.`;
      if (action === "read") return `There is no file ${path}.`;
      return `${path} cannot be written: there is no folder ${dirname(path)}.`;
    case "ENOTDIR":
      return action === "list"
        ? `${path} is a file, not a folder.`
        : `${path} leads through a file.`;
    case "EISDIR":
      return `${path} is a folder, not a file.`;
    case "EEXIST":
      return `${path} is there already.`;
    case "EACCES":
    case "EPERM":
      return `${path} may not be ${action === "write" ? "written" : "read"} by this user.`;
    case "EROFS":
      return `${path} is on a file system that cannot be written to.`;
    case "ENOSPC":
    case "EDQUOT":
      return `${path} cannot be written: there is no space left.`;
    default:
      return `${path} cannot be ${action === "write" ? "written" : "read"}: ${reasonOf(error)}.`;
  }
}
