/**
 * Where the embedded database of a folder is. Whoever runs in that folder finds it here, without a
 * setting: read at the start of each command, so nothing else is loaded for it.
 */

import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** Role and database, both of that name. */
export const embeddedName = "vmform";

export type EmbeddedPlace = {
  /** All of it, beside what else vmform keeps in the folder. */
  readonly folder: string;
  readonly data: string;
  /** Of the socket, where its path is not too long for one. */
  readonly socket: string;
  readonly log: string;
  readonly lock: string;
  /** Says where the socket is; there while the server runs. */
  readonly running: string;
};

export function embeddedPlace(directory: string): EmbeddedPlace {
  const folder = join(directory, ".vmform", "embedded");
  const at = (name: string): string => join(folder, name);
  return {
    folder,
    data: at("data"),
    socket: at("socket"),
    log: at("log"),
    lock: at("lock"),
    running: at("running.json"),
  };
}

/** The URL of the server with this folder of its socket. It needs no password. */
export function embeddedUrl(socket: string): string {
  const given = new URLSearchParams({ host: socket, user: embeddedName });
  return `postgres:///${embeddedName}?${given.toString().replaceAll("%2F", "/")}`;
}

/** Of the one that runs in this folder; undefined where none does. */
export function runningUrl(directory: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(embeddedPlace(directory).running, "utf8");
  } catch {
    return undefined;
  }
  const socket = /^\{"socket":("(?:[^"\\]|\\.)*")\}\n$/.exec(text)?.[1];
  const path: unknown = socket === undefined ? undefined : JSON.parse(socket);
  return typeof path === "string" && isAbsolute(path) ? embeddedUrl(path) : undefined;
}

export function runningText(socket: string): string {
  return `${JSON.stringify({ socket })}\n`;
}
