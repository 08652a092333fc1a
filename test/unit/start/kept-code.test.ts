/** What is kept of compiled code is found again only where it is whole, and of the same file. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type KeptCode, openKeptCode } from "../../../src/start/kept-code.ts";

let caches: string;
beforeEach(() => {
  caches = realpathSync(mkdtempSync(join(tmpdir(), "vmform-kept-")));
});
afterEach(() => {
  chmodSync(caches, 0o700);
  rmSync(caches, { recursive: true });
});

const source = Buffer.from("exports.a = 1;");
const compiled = { code: Buffer.from("as V8 has it"), rounds: 2 };

function open(command: string | undefined, files: readonly string[] = ["a.js", "b.js"]): KeptCode {
  const variables = { XDG_CACHE_HOME: caches };
  const kept = openKeptCode({ version: "1.0.0", variables, command, files: () => files });
  if (kept === undefined) throw new Error("nothing is kept");
  return kept;
}

const folderOf = (command: string): string =>
  join(caches, "vmform", "compiled", "1.0.0", `${process.version}-${process.arch}`, command);

test("it is found by the next start of the command, and of no other", () => {
  expect(open("plan").find("a.js", source)).toBeUndefined();
  open("plan").keep("a.js", source, compiled);
  expect(open("plan").find("a.js", source)).toEqual(compiled);
  expect(open("plan").find("b.js", source)).toBeUndefined();
  expect(open("apply").find("a.js", source)).toBeUndefined();
  expect(open(undefined).find("a.js", source)).toBeUndefined();
});

test("it is none of another file of the same name", () => {
  open("plan").keep("a.js", source, compiled);
  expect(open("plan").find("a.js", Buffer.from("exports.a = 2;"))).toBeUndefined();
});

test("it is none where a bit of it has turned, or a part is missing", () => {
  open("plan").keep("a.js", source, compiled);
  const path = join(folderOf("plan"), "a.js");
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += 1) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 4, at);
    writeFileSync(path, damaged);
    expect(open("plan").find("a.js", source), `byte ${at}`).toBeUndefined();
    writeFileSync(path, whole.subarray(0, at));
    expect(open("plan").find("a.js", source), `length ${at}`).toBeUndefined();
  }
});

test("what is kept of files that are gone goes, and nothing else is left", () => {
  const kept = open("plan");
  kept.keep("a.js", source, compiled);
  kept.keep("a.js", source, compiled);
  open("plan", ["b.js"]).keep("b.js", source, compiled);
  expect(readdirSync(folderOf("plan"))).toEqual(["b.js"]);
});

test.each(["../../../x", "a/b", "", "-v", "plan ", "x".repeat(300), "\u0000"])(
  "a word that is no command names no folder: %j",
  (word) => {
    open(word).keep("a.js", source, compiled);
    expect(readdirSync(join(folderOf("other"), ".."))).toEqual(["other"]);
  },
);

test("words that are mistyped leave no end of folders", () => {
  const word = (number: number): string =>
    `word${String.fromCodePoint(97 + (number % 26), 97 + Math.floor(number / 26))}`;
  const refused = Array.from({ length: 80 }, (_, number) => {
    try {
      open(word(number)).keep("a.js", source, compiled);
      return 0;
    } catch {
      return 1;
    }
  });
  expect(refused).toContain(1);
  expect(readdirSync(join(folderOf("other"), "..")).length).toBeLessThanOrEqual(60);
});

test("nothing is kept where nobody wants it, or has no place", () => {
  const options = { version: "1.0.0", command: "plan", files: () => [] };
  const off = { XDG_CACHE_HOME: caches, NODE_DISABLE_COMPILE_CACHE: "1" };
  expect(openKeptCode({ ...options, variables: off })).toBeUndefined();
  expect(existsSync(join(caches, "vmform"))).toBe(false);
  mkdirSync(join(caches, "shared"));
  chmodSync(join(caches, "shared"), 0o777);
  const shared = { XDG_CACHE_HOME: join(caches, "shared") };
  expect(openKeptCode({ ...options, variables: shared })).toBeUndefined();
});
