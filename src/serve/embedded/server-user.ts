/** Who the server runs as: it refuses to be root's. */

import { readFile } from "node:fs/promises";

export type ServerUser = { readonly name: string; readonly uid: number; readonly gid: number };

/** Undefined: whoever runs vmform. Of root it is `postgres`, else `nobody`. */
export async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid = "", gid = ""] =
      lines.find((one) => one.startsWith(`${name}:`))?.split(":") ?? [];
    if (/^\d+$/.test(uid) && /^\d+$/.test(gid)) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}
