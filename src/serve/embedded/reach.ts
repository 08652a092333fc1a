/** Whether another user gets to a folder: each folder on the way has to let them through. */

import { execFile } from "node:child_process";
import { ids } from "./programs.ts";
import type { ServerUser } from "./server-user.ts";

export function mayEnter(folder: string, user: ServerUser): Promise<boolean> {
  return new Promise((resolve) => {
    const words = ["-c", 'cd "$1"', "sh", folder];
    execFile("/bin/sh", words, { cwd: "/", ...ids(user) }, (error) => resolve(error === null));
  });
}
