/** Files of the program, loaded with what was compiled of them before. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Chunks, createChunks } from "../../../src/start/chunks.ts";
import type { Kept, KeptCode } from "../../../src/start/kept-code.ts";

let folder: string;
let kept: Map<string, Kept>;
beforeEach(() => {
  folder = `${realpathSync(mkdtempSync(join(tmpdir(), "vmform-chunks-")))}/`;
  kept = new Map();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function chunks(keep?: KeptCode["keep"]): Chunks {
  const code: KeptCode = {
    find: (name) => kept.get(name),
    keep: keep ?? ((name, _source, one) => void kept.set(name, one)),
  };
  return createChunks(folder, code, createRequire(import.meta.url));
}

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

test("one asks for another, for Node.js's own, and for itself by way of a second", () => {
  write("a.js", 'exports.early = 1; exports.b = require("./b.js"); exports.late = 2;');
  write(
    "b.js",
    'exports.seen = { ...require("./a.js") }; exports.join = require("node:path").join("x", "y");',
  );
  const a = chunks().load("a.js");
  expect(a).toMatchObject({ early: 1, late: 2, b: { seen: { early: 1 }, join: "x/y" } });
});

test("each is run once, as Node.js runs it", () => {
  write(
    "a.js",
    "exports.runs = (globalThis.chunkRuns = (globalThis.chunkRuns ?? 0) + 1);" +
      "exports.same = this === module.exports; exports.name = [__filename, __dirname];",
  );
  const { load } = chunks();
  const a = load("a.js");
  expect(load("a.js")).toBe(a);
  expect(a).toMatchObject({ same: true, name: [`${folder}a.js`, folder.slice(0, -1)] });
  expect(Reflect.get(globalThis, "chunkRuns")).toBe(1);
});

test("what was compiled is kept at the end, and by a few more runs that do their work", () => {
  write("a.js", "exports.f = (x) => x + 1; exports.g = (x) => x + 2;");
  chunks().keep(true);
  expect(kept.size).toBe(0);
  const run = (isDone: boolean): number | undefined => {
    const one = chunks();
    expect(one.load("a.js")).toHaveProperty("f");
    one.keep(isDone);
    return kept.get("a.js")?.rounds;
  };
  // One that fails keeps what there is, which is no round.
  expect([false, false, true, false, true, true].map(run)).toEqual([0, 0, 1, 1, 2, 3]);
  const last = kept.get("a.js");
  expect(run(true)).toBe(3);
  expect(kept.get("a.js")).toBe(last);
});

test("what a later run has used is added to what was kept", () => {
  const inner = (name: string): string =>
    `exports.${name} = () => { const list = [${"1,".repeat(2000)}]; return list.length; };`;
  write("a.js", inner("f") + inner("g"));
  const sizes = ["f", "g", "f"].map((name) => {
    const one = chunks();
    const { [name]: called } = one.load("a.js") as { readonly [name: string]: () => number };
    expect(called?.()).toBe(2000);
    one.keep(true);
    return kept.get("a.js")?.code.length ?? 0;
  });
  expect(sizes[1]).toBeGreaterThan(sizes[0] ?? 0);
  expect(sizes[2]).toBeGreaterThan(sizes[0] ?? 0);
});

test("what V8 does not take is compiled anew", () => {
  write("a.js", "exports.a = 1;");
  kept.set("a.js", { code: Buffer.from("of another version"), rounds: 3 });
  const anew = chunks();
  expect(anew.load("a.js")).toEqual({ a: 1 });
  anew.keep(false);
  expect(kept.get("a.js")?.rounds).toBe(0);
  expect(kept.get("a.js")?.code.length).toBeGreaterThan(50);
});

test("what cannot be kept is no trouble", () => {
  write("a.js", "exports.a = 1;");
  const full = chunks(() => {
    throw new Error("no space left");
  });
  full.load("a.js");
  expect(() => full.keep(true)).not.toThrow();
});

test("one that fails fails with its place, and may be asked for again", () => {
  write("a.js", 'exports.a = 1;\nthrow new Error("not yet");');
  const { load } = chunks();
  let stack = "";
  try {
    load("a.js");
  } catch (error) {
    stack = error instanceof Error ? (error.stack ?? "") : "";
  }
  expect(stack).toContain("not yet");
  expect(stack).toMatch(/a\.js:2:7\)?$/m);
  write("a.js", "exports.a = 2;");
  expect(load("a.js")).toEqual({ a: 2 });
});

test("what is not to be kept is loaded by Node.js, and may import", async () => {
  write("m.mjs", "export const m = 3;");
  write("b.cjs", 'exports.m = import("./m.mjs");');
  write("a.js", 'exports.m = require("./b.cjs").m;');
  const { m } = chunks().load("a.js") as { readonly m: Promise<object> };
  expect(await m).toMatchObject({ m: 3 });
});

test("what was read ahead is there though the files are gone, or of another version", () => {
  write("a.js", 'exports.ahead = require.readAhead; exports.late = () => require("./late.js");');
  write("late.js", 'exports.version = 1; exports.other = require("./other.js").version;');
  write("other.js", "exports.version = 1;");
  const { load } = chunks();
  const { ahead, late } = load("a.js") as { ahead: () => void; late: () => unknown };
  write("notes.txt", "no file of the program");
  ahead();
  rmSync(folder, { recursive: true });
  ahead();
  mkdirSync(folder);
  write("other.js", "exports.version = 2;");
  expect(late()).toEqual({ version: 1, other: 1 });
  expect(() => chunks().load("late.js")).toThrow("ENOENT");
});
