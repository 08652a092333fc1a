/** Archives that somebody made with a purpose, or that arrived by halves. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, Header } from "tar";
import { afterAll, describe, expect, it } from "vitest";
import { fetchModule } from "../../../src/modules/fetch.ts";
import { type ZipEntry, zipOf } from "../../helpers/zip.ts";

const scratch = mkdtempSync(join(tmpdir(), "vmform-archives-"));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** What is in the folder then, or the reason why nothing is. */
async function unpacked(bytes: Uint8Array, suffix = "zip"): Promise<string[] | string> {
  const target = join(mkdtempSync(join(scratch, "case-")), "within");
  const origin = `https://host/lab.${suffix}`;
  try {
    await fetchModule({ kind: "archive", origin, folder: "" }, target, async () => bytes);
  } catch (error) {
    return String(error);
  } finally {
    expect(readdirSync(join(target, ".."))).toEqual(["within"]);
  }
  const entries = readdirSync(target, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path.slice(target.length + 1)}: ${readFileSync(path, "utf8")}`;
    })
    .toSorted();
}

describe("a zip archive", () => {
  it("gives its plain files, and what is a link is left out", async () => {
    const bytes = zipOf([
      ["lab/", "", { mode: 0o040755 }],
      ["lab/main.vmform.yaml", "a"],
      ["lab/ünïcode ☃.yaml", "b"],
      ["without/folder/entry.yaml", ""],
      ["lab/link", "/etc/passwd", { mode: 0o120777 }],
      ["lab/pipe", "", { mode: 0o010644 }],
    ]);
    expect(await unpacked(bytes)).toEqual([
      "lab/main.vmform.yaml: a",
      "lab/ünïcode ☃.yaml: b",
      "without/folder/entry.yaml: ",
    ]);
  });

  const refused: readonly (readonly [string, ZipEntry[], RegExp])[] = [
    ["leads out", [["../out.yaml", "x"]], /invalid relative path/],
    ["leads out further in", [["a/../../out.yaml", "x"]], /invalid relative path/],
    ["leads out with backslashes", [["..\\out.yaml", "x"]], /invalid relative path/],
    ["is absolute", [["/tmp/out.yaml", "x"]], /absolute path/],
    ["has a drive", [["c:\\out.yaml", "x"]], /absolute path/],
    [
      "leads through a link",
      [
        ["link", "/tmp", { mode: 0o120777 }],
        ["link", "x"],
        ["link/out.yaml", "x"],
      ],
      /EEXIST|ENOTDIR/,
    ],
    [
      "stands twice",
      [
        ["a.yaml", "x"],
        ["a.yaml", "y"],
      ],
      /holds "a.yaml" twice/,
    ],
    [
      "stands twice where case is folded",
      [
        ["a.yaml", "x"],
        ["A.yaml", "y"],
      ],
      /holds "A.yaml" also as "a.yaml"/,
    ],
    [
      "is a file and a folder",
      [
        ["a", "x"],
        ["a/b.yaml", "y"],
      ],
      /EEXIST|ENOTDIR/,
    ],
    ["is encrypted", [["a.yaml", "x", { flags: 1 }]], /"a.yaml" is encrypted/],
    ["is encrypted strongly", [["a.yaml", "x", { flags: 0x40 }]], /strong encryption/],
    ["has no NUL", [["a\u0000.yaml", "x"]], /null byte|NUL/i],
    ["is larger than it says", [["a.yaml", "xxxxxxxx", { size: 2 }]], /too many bytes/],
    ["is smaller than it says", [["a.yaml", "x", { size: 9 }]], /not enough bytes/],
    ["is very large", [["a.yaml", "x", { size: 2_000_000_000 }]], /more than 1000000000 bytes/],
    ["is damaged", [["a.yaml", "x", { crc: 1 }]], /checksum of "a.yaml"/],
  ];
  it.each(refused)("is refused where a name %s", async (_what, entries, reason) => {
    expect(await unpacked(zipOf(entries))).toMatch(reason);
  });

  it("that is none, or ends too early, is told as such", async () => {
    const whole = zipOf([["a.yaml", "text ".repeat(50)]]);
    for (const bytes of [
      Buffer.from("<html>not found</html>"),
      Buffer.alloc(0),
      ...Array.from({ length: whole.length - 1 }, (_none, length) => whole.subarray(0, length)),
    ]) {
      expect(await unpacked(bytes)).toMatch(/no archive that can be unpacked: /);
    }
  });

  it("without anything is an empty folder", async () => {
    expect(await unpacked(zipOf([]))).toEqual([]);
  });
});

describe("a tar archive", () => {
  it("gives its plain files, and what leads out is refused", async () => {
    const folder = join(scratch, "packed");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "a.yaml"), "a");
    const file = join(scratch, "packed.tgz");
    await create({ file, cwd: folder, gzip: true }, ["a.yaml"]);
    expect(await unpacked(readFileSync(file), "tgz")).toEqual(["a.yaml: a"]);
    expect(await unpacked(tarOf("../out.yaml", 1), "tar.gz")).toMatch(/path contains '\.\.'/);
  });

  it("is refused where it is very large", async () => {
    expect(await unpacked(tarOf("a.yaml", 2_000_000_000), "tgz")).toMatch(
      /more than 1000000000 bytes, with "a.yaml"/,
    );
  });
});

function tarOf(path: string, size: number): Buffer {
  const header = new Header({ path, size, type: "File", mode: 0o644, mtime: new Date(0) });
  const block = Buffer.alloc(512);
  header.encode(block);
  return Buffer.concat([block, Buffer.alloc(1536)]);
}
