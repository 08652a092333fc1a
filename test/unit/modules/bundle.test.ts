/** What of a folder travels to workers: the same bytes for the same files, and nothing recorded. */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BundleError, packFolder, unpackFolder } from "../../../src/modules/bundle.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-bundle-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string, seconds = 1_000_000): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  utimesSync(join(folder, path), seconds, seconds);
}

const state = '{ "formatVersion": "1.0", "lineage": "x", "serial": 1 }';

test("files travel, and what is recorded, fetched by others or kept here does not", async () => {
  write("a/main.vmform.yaml", "x");
  write("a/@odd name", "y");
  write("a/-C", "z");
  write("a/.vmform/modules/abc/m.vmform.yaml", "m");
  write("a/vmform.lock.yaml", "l");
  for (const path of [".vmform/workspace", ".git/HEAD", "node_modules/x/index.js", "p.plan"]) {
    write(`a/${path}`, "vmform-plan 1 abc\n");
  }
  for (const path of ["state/default.json", "other"]) write(`a/${path}`, state);
  for (const path of ["state/default.json.journal", "other.backup"]) write(`a/${path}`, "j");
  const packed = await packFolder(join(folder, "a"));
  expect(packed.files.toSorted()).toEqual(
    [
      "-C",
      ".vmform/modules/abc/m.vmform.yaml",
      "@odd name",
      "main.vmform.yaml",
      "vmform.lock.yaml",
    ].toSorted(),
  );
  mkdirSync(join(folder, "b"));
  await unpackFolder(packed.bytes, join(folder, "b"));
  expect(readFileSync(join(folder, "b/@odd name"), "utf8")).toBe("y");
  expect(readdirSync(join(folder, "b"), { recursive: true })).toHaveLength(8);
});

test("the same files are the same bytes, whenever they were written", async () => {
  for (const [name, seconds] of [
    ["a", 1_000_000],
    ["b", 2_000_000],
  ] as const) {
    write(`${name}/x/2`, "two", seconds);
    write(`${name}/1`, "one", seconds);
  }
  const [one, other] = [await packFolder(join(folder, "a")), await packFolder(join(folder, "b"))];
  expect(other.sha256).toBe(one.sha256);
  write("b/1", "another");
  expect((await packFolder(join(folder, "b"))).sha256).not.toBe(one.sha256);
});

test.each<[string, () => void, RegExp]>([
  ["nothing", () => mkdirSync(join(folder, "a")), /is empty/],
  [
    "a link out of it",
    () => {
      write("far", "x");
      mkdirSync(join(folder, "a"));
      symlinkSync("../far", join(folder, "a/near"));
    },
    /near is a link/,
  ],
  ["too much", () => write("a/big", "x".repeat(20_000_001)), /more than 20000000 bytes/],
])("a folder with %s cannot travel", async (_, prepare, says) => {
  prepare();
  const packing = packFolder(join(folder, "a"));
  await expect(packing).rejects.toThrow(says);
  await expect(packing).rejects.toBeInstanceOf(BundleError);
});
