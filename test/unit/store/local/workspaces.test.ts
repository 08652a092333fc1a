/** Workspaces beside a file: what is deleted, and in which order. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeBeside, workspacesBeside } from "../../../../src/store/local/workspaces.ts";

let folder: string;
let path: string;
let own: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-workspaces-"));
  path = join(folder, "lab.json");
  own = join(folder, "workspaces", "a");
  mkdirSync(own, { recursive: true });
  const names = ["lab.json", "lab.json.backup", "lab.json.journal", "lab.json.lock"];
  for (const name of names) writeFileSync(join(own, name), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("all of it goes, and what others keep there stays", async () => {
  writeFileSync(join(own, "web.json"), "");
  await removeBeside(path, "a");
  expect(readdirSync(own)).toEqual(["web.json"]);
  expect(await workspacesBeside(path)).toEqual([]);
  rmSync(join(own, "web.json"));
  await removeBeside(path, "a");
  expect(existsSync(own)).toBe(false);
});

test("where it ends in between, it is listed, locked, and can be deleted again", async () => {
  // A folder is not removed as a file is: it stands for whatever ends it there.
  mkdirSync(join(own, "lab.json.z"));
  await expect(removeBeside(path, "a")).rejects.toMatchObject({ code: "STO007" });
  expect(readdirSync(own)).toEqual(expect.arrayContaining(["lab.json", "lab.json.lock"]));
  expect(await workspacesBeside(path)).toEqual(["a"]);
  rmSync(join(own, "lab.json.z"), { recursive: true });
  await removeBeside(path, "a");
  expect(existsSync(own)).toBe(false);
});
