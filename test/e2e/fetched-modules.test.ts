/**
 * Modules from elsewhere, fetched as people do: a repository at a commit, an archive of a file and
 * of a server, a package of a registry; what is locked stays what it was.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { download } from "../../src/http/download.ts";
import { moduleInstaller } from "../../src/modules/install.ts";
import { moduleReader } from "../../src/modules/reader.ts";
import { zipOf } from "../helpers/zip.ts";

const scratch = mkdtempSync(join(tmpdir(), "vmform-modules-"));
const repository = join(scratch, "repository");
let served: Server;
let origin = "";
let commit = "";

const text = (value: string): string => `resources: { noop_resource.a: { name: ${value} } }\n`;

function git(...words: readonly string[]): string {
  const identity = ["-c", "user.name=n", "-c", "user.email=n@n"];
  return execFileSync("git", ["-C", repository, ...identity, ...words], {
    encoding: "utf8",
  }).trim();
}

/** A `.tar.gz` of a folder with the module in `lab`; `top` is where a package has its files. */
function archive(value: string, top: string): Buffer {
  const folder = mkdtempSync(join(scratch, "packed-"));
  mkdirSync(join(folder, top, "lab"), { recursive: true });
  writeFileSync(join(folder, top, "lab", "main.vmform.yaml"), text(value));
  writeFileSync(join(folder, top, "package.json"), '{ "name": "lab", "version": "1.2.3" }');
  return execFileSync("tar", ["cz", "-C", folder, top]);
}

let packed: Buffer = Buffer.alloc(0);

beforeAll(async () => {
  mkdirSync(join(repository, "lab"), { recursive: true });
  git("init", "-q");
  writeFileSync(join(repository, "lab", "main.vmform.yaml"), text("first"));
  symlinkSync("/etc/passwd", join(repository, "lab", "link.vmform.yaml"));
  symlinkSync("nowhere", join(repository, "dangling"));
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  commit = git("rev-parse", "HEAD");
  packed = archive("packed", "package");
  served = createServer((request, response) => {
    if (request.url === "/module.tgz") response.end(archive("served", "."));
    else if (request.url === "/lab") {
      const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
      const dist = { tarball: `${origin}/lab-1.2.3.tgz`, integrity };
      const version = { name: "lab", version: "1.2.3", dist };
      response.end(JSON.stringify({ name: "lab", versions: { "1.2.3": version } }));
    } else if (request.url === "/lab-1.2.3.tgz") response.end(packed);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(served.address() as AddressInfo).port}`;
  process.env.npm_config_registry = origin;
  process.env.npm_config_cache = join(scratch, "npm-cache");
});

afterAll(async () => {
  delete process.env.npm_config_registry;
  delete process.env.npm_config_cache;
  await new Promise((resolve) => served.close(resolve));
  rmSync(scratch, { recursive: true, force: true });
});

const newRoot = (): string => mkdtempSync(join(scratch, "root-"));
const installerOf = (root: string, upgrade = false) => moduleInstaller({ root, upgrade, download });

function readerOf(root: string) {
  return moduleReader({
    root,
    isConfiguration: (name) => name.endsWith(".vmform.yaml"),
    fileReader: () => () => ({ kind: "absent" }),
  });
}

function contentOf(root: string, source: string): string {
  const found = readerOf(root)(source, root);
  if (!found.ok) return found.detail;
  return found.folder.files.map(({ bytes }) => Buffer.from(bytes).toString("utf8")).join();
}

describe("what is fetched", () => {
  it.each([
    ["git", () => `git::file://${repository}//lab?ref=${commit}`, "first"],
    ["a file", () => `file://${join(scratch, "module.tgz")}//lab`, "filed"],
    ["a zip file", () => `file://${join(scratch, "module.zip")}//lab`, "zipped"],
    ["a server", () => `${origin}/module.tgz//lab`, "served"],
    ["npm", () => "npm:lab@1.2.3//lab", "packed"],
  ])("by %s is locked and read", async (_by, sourceOf, value) => {
    writeFileSync(join(scratch, "module.tgz"), archive("filed", "."));
    writeFileSync(join(scratch, "module.zip"), zipOf([["lab/main.vmform.yaml", text("zipped")]]));
    const source = sourceOf();
    const root = newRoot();
    expect(contentOf(root, source)).toMatch(/is not fetched/);
    expect(await installerOf(root).fetch(source)).toMatchObject({ ok: true });
    expect(contentOf(root, source)).toBe(text(value));
    expect(readFileSync(join(root, "vmform.lock.yaml"), "utf8")).toMatch(/: sha256-[0-9a-f]{64}\n/);
  });
});

describe("what is locked", () => {
  it("is refused once it differs, until it is upgraded; where it was changed, fetched anew", async () => {
    const file = join(scratch, "changing.tgz");
    const source = `file://${file}//lab`;
    const root = newRoot();
    writeFileSync(file, archive("one", "."));
    await installerOf(root).fetch(source);
    const lock = readFileSync(join(root, "vmform.lock.yaml"), "utf8");

    const found = readerOf(root)(source, root);
    if (!found.ok) throw new Error(found.detail);
    appendFileSync(join(found.folder.directory, "main.vmform.yaml"), "# mine\n");
    expect(contentOf(root, source)).toMatch(/is not what was locked: somebody changed/);
    expect(await installerOf(root).fetch(source)).toMatchObject({ ok: true });
    expect(contentOf(root, source)).toBe(text("one"));

    writeFileSync(file, archive("two", "."));
    expect(await installerOf(root).fetch(source)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/is not what was locked: its content is/) as string,
      fix: expect.stringContaining("--upgrade") as string,
    });
    expect(readFileSync(join(root, "vmform.lock.yaml"), "utf8")).toBe(lock);
    expect(contentOf(root, source)).toBe(text("one"));
    expect(await installerOf(root, true).fetch(source)).toMatchObject({ ok: true });
    expect(contentOf(root, source)).toBe(text("two"));
    await installerOf(root).prune([]);
    expect(contentOf(root, source)).toMatch(/is not fetched/);
  });

  it.each(["modules: { x: y }\n", "modules: [\n", "\u0000"])("is not guessed: %j", (broken) => {
    const root = newRoot();
    writeFileSync(join(root, "vmform.lock.yaml"), broken);
    const found = readerOf(root)("npm:lab@1.2.3", root);
    expect(found).toMatchObject({ ok: false });
    expect(found.ok ? "" : found.detail).toMatch(/vmform\.lock\.yaml/);
  });
});

describe("what cannot be fetched is told, without a login, and locks nothing", () => {
  it.each([
    [() => `git::file://${repository}?ref=${"0".repeat(40)}`, /cannot be fetched/],
    [() => `git::file://${join(scratch, "nowhere")}?ref=${"0".repeat(40)}`, /cannot be fetched/],
    [() => `${origin}/missing.tgz`, /404/],
    [() => "https://127.0.0.1:9/x.tgz", /cannot be fetched/],
    [() => "npm:nowhere@1.2.3", /cannot be fetched/],
    [() => `file://${join(repository, "lab", "main.vmform.yaml")}.tgz`, /ENOENT/],
  ])("case %#", async (source, expected) => {
    const root = newRoot();
    const outcome = await installerOf(root).fetch(source());
    if (outcome.ok) throw new Error("it was fetched");
    expect(outcome.detail).toMatch(expected);
    expect(outcome.detail).not.toContain("hunter2");
    expect(contentOf(root, source())).toMatch(/is not fetched/);
  });
});

describe("a source that is not pinned, or holds a password", () => {
  it.each([
    ["git::https://host/x.git", /whole commit/],
    ["git::https://host/x.git?ref=main", /whole commit/],
    ["npm:lab", /exact version/],
    ["npm:lab@^1.2.0", /exact version/],
    ["npm:lab@latest", /exact version/],
    ["https://host/x.rar", /\.tar\.gz, \.tgz or \.zip/],
    ["https://host/x.tgz//../../etc", /leads out/],
    ["https://ann:hunter2@host/x.tgz", /holds a password/],
    ["git::https://ann:hunter2@host/x.git?ref=main", /holds a password/],
    ["modules/lab", /none that is known/],
    ["", /none that is known/],
  ])("%s", (source, expected) => {
    const found = readerOf(scratch)(source, scratch);
    if (found.ok) throw new Error("it was read");
    expect(found.detail).toMatch(expected);
    expect(`${found.detail} ${found.fix}`).not.toContain("hunter2");
    expect(found.isToFetch).toBeUndefined();
  });
});

it("a module cannot lead out of what was fetched", async () => {
  const source = `git::file://${repository}//lab?ref=${commit}`;
  const root = newRoot();
  await installerOf(root).fetch(source);
  const found = readerOf(root)(source, root);
  if (!found.ok) throw new Error(found.detail);
  expect(readerOf(root)("../../../..", found.folder.directory)).toMatchObject({ ok: false });
});
