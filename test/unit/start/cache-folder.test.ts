/** Where compiled code is kept: only where nobody else can write. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cacheFolder } from "../../../src/start/cache-folder.ts";

let caches: string;

beforeEach(() => {
  caches = realpathSync(mkdtempSync(join(tmpdir(), "vmform-caches-")));
});
afterEach(() => {
  rmSync(caches, { recursive: true });
});

const folderOf = (version: string): string | undefined =>
  cacheFolder(version, { XDG_CACHE_HOME: caches });

test("it is made, for the owner alone, and that of another version goes", () => {
  const first = folderOf("1.0.0");
  expect(first).toBe(join(caches, "vmform", "compiled", "1.0.0"));
  writeFileSync(join(first ?? "", "kept"), "");
  expect(folderOf("1.0.0")).toBe(first);
  expect(existsSync(join(first ?? "", "kept"))).toBe(true);
  const second = folderOf("1.1.0");
  expect(existsSync(second ?? "")).toBe(true);
  expect(existsSync(first ?? "")).toBe(false);
});

test.each([
  ["the caches", ""],
  ["our own", "vmform"],
  ["the versions", "vmform/compiled"],
  ["the version", "vmform/compiled/1.0.0"],
])("nothing is kept where others can write to %s", (_, path) => {
  folderOf("1.0.0");
  chmodSync(join(caches, path), 0o777);
  expect(folderOf("1.0.0")).toBeUndefined();
});

test("nothing is kept behind a link, or without a folder of caches", () => {
  mkdirSync(join(caches, "elsewhere"));
  symlinkSync(join(caches, "elsewhere"), join(caches, "vmform"));
  expect(folderOf("1.0.0")).toBeUndefined();
  expect(cacheFolder("1.0.0", { XDG_CACHE_HOME: join(caches, "none") })).toBeUndefined();
  expect(existsSync(join(caches, "none"))).toBe(false);
});
