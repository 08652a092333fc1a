/**
 * Loads the files that the program is built as, with what was compiled of them before. Node.js
 * keeps compiled code only of what it compiles while it loads, and not at all in version 20; most
 * functions are compiled when they are first called.
 */

import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { type KeptCode, roundsMax } from "./kept-code.ts";
import { openTexts } from "./texts.ts";

type Require = (id: string) => unknown;
type Chunk = { readonly exports: object };
type Compiled = {
  readonly name: string;
  readonly source: Buffer;
  readonly script: Script;
  /** Undefined: nothing was kept of it that could be used. */
  readonly rounds: number | undefined;
};

export type Chunks = {
  /** What the file exports; it is run the first time. Throws what it throws. */
  readonly load: Require;
  /**
   * Keeps what was compiled by now of what too little was kept of: after a run that has done its
   * work, or any where there is nothing. Never throws.
   */
  readonly keep: (isDone: boolean) => void;
};

/**
 * Files below a folder, in CommonJS, each compiled as Node.js does. Whatever else they ask for is
 * asked of `outside`, by `require`. Theirs has `readAhead`, which nobody else's has.
 */
export function createChunks(folder: string, kept: KeptCode, outside: NodeJS.Require): Chunks {
  const chunks = new Map<string, Chunk>();
  const compiled: Compiled[] = [];
  const texts = openTexts(folder, head, foot);
  const load = (path: string): object => {
    const known = chunks.get(path);
    if (known !== undefined) return known.exports;
    const chunk: Chunk = { exports: {} };
    // Before it is run: of two that need each other, the second sees what the first has by then.
    chunks.set(path, chunk);
    try {
      run(path, chunk);
    } catch (error) {
      chunks.delete(path);
      throw error;
    }
    return chunk.exports;
  };
  const run = (path: string, chunk: Chunk): void => {
    const name = basename(path);
    const { source, wrapped } = texts.take(path);
    const found = kept.find(name, source);
    // The build writes ASCII alone, which is quicker to take.
    const script = new Script(wrapped.toString("latin1"), {
      filename: path,
      columnOffset: -head.length,
      ...(found === undefined ? {} : { cachedData: found.code }),
    });
    // Another Node.js of the same version may have other options.
    const rounds = script.cachedDataRejected === true ? undefined : found?.rounds;
    if (rounds === undefined || rounds < roundsMax) compiled.push({ name, source, script, rounds });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `head` says what it takes
    const body = script.runInThisContext() as Body;
    const parent = dirname(path);
    body.call(chunk.exports, chunk.exports, requireFrom(parent), chunk, path, parent);
  };
  const requireFrom = (parent: string): NodeJS.Require =>
    Object.assign(
      (id: string): unknown => {
        const path = id.startsWith(".") ? join(parent, id) : id;
        return path.startsWith(folder) && path.endsWith(".js") ? load(path) : outside(path);
      },
      { ...outside, readAhead: texts.readAhead },
    );
  return {
    load: (name) => load(join(folder, name)),
    keep: (isDone) => {
      try {
        for (const { name, source, script, rounds } of compiled) {
          if (!isDone && rounds !== undefined) continue;
          const made = (rounds ?? 0) + (isDone ? 1 : 0);
          kept.keep(name, source, { code: script.createCachedData(), rounds: made });
        }
      } catch {
        // A full disk, or a folder that went: the next start does without.
      }
    },
  };
}

type Body = (
  this: object,
  exports: object,
  require: NodeJS.Require,
  module: Chunk,
  filename: string,
  dirname: string,
) => void;

/** On the first line of the file, whose columns stay. */
const head = "(function (exports, require, module, __filename, __dirname) { ";
const foot = "\n})";
