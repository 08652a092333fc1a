/**
 * What V8 has compiled of the files of the program, kept for the next start. It is made when a run
 * ends, so that it holds what was used, and kept by command, since each uses other parts. The first
 * few runs that do their work add what they have used: one of them may have been a short one.
 *
 * Neither V8 nor Node.js tells whether it is damaged, or of another text of the same length: sums
 * of both stand before it.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "../lib/checksum.ts";
import { cacheFolder } from "./cache-folder.ts";

export type Kept = {
  readonly code: Uint8Array;
  /** How many runs that did their work have made it. */
  readonly rounds: number;
};

export type KeptCode = {
  /** What is kept of a file of this content, for V8 to look at; undefined where there is none. */
  readonly find: (name: string, source: Uint8Array) => Kept | undefined;
  /** Keeps it for the next start of this command. Throws what the system says. */
  readonly keep: (name: string, source: Uint8Array, kept: Kept) => void;
};

/** After so many it is kept no more. */
export const roundsMax = 3;

/**
 * The sum of all that follows; that of the file it was compiled of; rounds; nothing. Whole numbers.
 * V8 copies what does not stand at a multiple of eight.
 */
const headerLength = 16;
/** Whoever mistypes commands leaves no more than that. */
const commandsMax = 60;

/**
 * That of one command; undefined where nothing is kept: nobody's own cache, or
 * `NODE_DISABLE_COMPILE_CACHE`. `files`: names of those that there are. Never throws.
 */
export function openKeptCode(options: {
  readonly version: string;
  readonly variables: { readonly [name: string]: string | undefined };
  /** The first word, whatever it is. */
  readonly command: string | undefined;
  readonly files: () => readonly string[];
}): KeptCode | undefined {
  const { version, variables, command = "", files } = options;
  if ((variables.NODE_DISABLE_COMPILE_CACHE ?? "") !== "") return undefined;
  try {
    const own = cacheFolder(version, variables);
    if (own === undefined) return undefined;
    const word = /^[a-z]{1,20}$/.test(command) ? command : "other";
    const node = join(own, `${process.version}-${process.arch}`);
    return inFolder(node, word, files);
  } catch {
    // No place to write: it starts as it did the first time.
    return undefined;
  }
}

function inFolder(parent: string, command: string, files: () => readonly string[]): KeptCode {
  const folder = join(parent, command);
  let isMade = false;
  const make = (): void => {
    if (isMade) return;
    const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    if (isNew && readdirSync(parent).length > commandsMax) {
      rmSync(folder, { recursive: true });
      throw new Error("there are too many");
    }
    // The names of files change with their content: of a program that is built anew there are more.
    const present = new Set(files());
    for (const name of readdirSync(folder)) {
      if (!present.has(name)) rmSync(join(folder, name), { force: true });
    }
    isMade = true;
  };
  return {
    find: (name, source) => {
      const kept = read(join(folder, name));
      if (kept === undefined || kept.length <= headerLength) return undefined;
      if (kept.readUInt32LE(0) !== crc32(kept.subarray(4))) return undefined;
      if (kept.readUInt32LE(4) !== crc32(source)) return undefined;
      return { code: kept.subarray(headerLength), rounds: kept.readUInt32LE(8) };
    },
    keep: (name, source, { code, rounds }) => {
      make();
      const bytes = Buffer.concat([Buffer.alloc(headerLength), code]);
      bytes.writeUInt32LE(crc32(source), 4);
      bytes.writeUInt32LE(rounds, 8);
      bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
      // Beside its place and then named: others may start meanwhile.
      const written = join(folder, `${name}.${process.pid}`);
      try {
        writeFileSync(written, bytes, { mode: 0o600, flag: "wx" });
        renameSync(written, join(folder, name));
      } catch (error) {
        rmSync(written, { force: true });
        throw error;
      }
    },
  };
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
