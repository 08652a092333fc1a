/**
 * What is handed on, as who gets it uses it: the package, installed without any other, and the
 * executable on a machine without Node.js. `VMFORM_RELEASE` names the folder that
 * `npm run package -- --executable` has filled; without it these tests say that they are skipped.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";

const release = process.env.VMFORM_RELEASE;
if (release === undefined) {
  console.warn("skipped, since VMFORM_RELEASE names no folder with the package: test/package");
}
const root = fileURLToPath(new URL("../../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "vmform-package-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Description = { readonly [name: string]: Readonly<Record<string, unknown>> | undefined };

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Description;

/** The file of the release whose name ends so; to be asked in a test, since there may be none. */
function released(end: string): string {
  const name = readdirSync(release ?? "").find((file) => file.endsWith(end));
  return join(release ?? "", name ?? `nothing that ends with ${end}`);
}

function emptyFolder(name: string): string {
  return mkdtempSync(join(scratch, `${name}-`));
}

/** Beside what is kept of compiled code. */
function unpackedIn(home: string): readonly string[] {
  return readdirSync(join(home, ".cache", "vmform")).filter((name) => name !== "compiled");
}

/** The main job, with nothing of this process's environment: an example, converged and looked at. */
function convergeExample(command: readonly string[], environment: NodeJS.ProcessEnv): void {
  const cwd = emptyFolder("work");
  const [program = "", ...first] = command;
  const run = (...words: readonly string[]) =>
    spawnSync(program, [...first, ...words], { cwd, env: environment, encoding: "utf8" });
  expect(run("init", "--example", "quickstart")).toMatchObject({ status: 0, stderr: "" });
  expect(run("apply", "--auto-approve")).toMatchObject({ status: 0, stderr: "" });
  expect(run("plan", "--detailed-exitcode")).toMatchObject({ status: 0, stderr: "" });
  expect(run("drift", "--html", "drift.html")).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(join(cwd, "drift.html"), "utf8")).toContain("<!doctype html>");
}

describe.skipIf(release === undefined)("the package", () => {
  let installed: string;
  let folder: string;

  beforeAll(() => {
    folder = emptyFolder("installed");
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    // Without a network: there is nothing to download beside it.
    const options = ["--offline", "--omit=optional", "--no-audit", "--no-fund"];
    execFileSync("npm", ["install", ...options, released(".tgz")], { cwd: folder, stdio: "pipe" });
    installed = join(folder, "node_modules", "vmform");
  });

  it("needs no other package", () => {
    const found = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(found).toEqual(["vmform"]);
    const main = join(installed, "dist", "main.js");
    convergeExample([process.execPath, main], { PATH: process.env.PATH });
  });

  it("has no script and says nothing of how it is developed", () => {
    const said = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Description;
    const names = ["scripts", "dependencies", "devDependencies", "overrides", "private"];
    expect(names.filter((name) => said[name] !== undefined)).toEqual([]);
    expect(said.optionalDependencies).toEqual(own.optionalDependencies);
  });

  it("has the license of every package in it", () => {
    const told = readFileSync(join(installed, "dist", "THIRD-PARTY.txt"), "utf8");
    const names = Object.keys(own.dependencies ?? {});
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !told.includes(`\n${name} `))).toEqual([]);
  });

  it("has what its pages link to", () => {
    const pages = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((file) =>
      /^(docs\/.*|README)\.md$/.test(file),
    );
    expect(pages.length).toBeGreaterThan(10);
    const broken = pages.flatMap((page) =>
      [...readFileSync(join(installed, page), "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(join(installed, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it.each(["node16", "bundler"])("has types for who resolves them as %s", (resolution) => {
    writeFileSync(
      join(folder, "mine.ts"),
      'import type { ProviderPackageFactory } from "vmform/provider";\n' +
        'import { packageChecks } from "vmform/provider/testing";\n' +
        "export const made: ProviderPackageFactory | undefined = undefined;\n" +
        "export const checks: typeof packageChecks = packageChecks;\n",
    );
    const module = resolution === "node16" ? "node16" : "esnext";
    const options = ["--noEmit", "--strict", "--types", "--module", module];
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    const words = [compiler, ...options, "--moduleResolution", resolution, "mine.ts"];
    const ended = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
    expect(ended).toMatchObject({ status: 0, stdout: "" });
  });
});

describe.skipIf(release === undefined)("the executable", () => {
  let executable: string;
  beforeAll(() => {
    executable = released(`${process.platform}-${process.arch}`);
  });
  const start = (environment: NodeJS.ProcessEnv) =>
    spawnSync(executable, ["version"], { env: environment, encoding: "utf8" });

  it("needs nothing of the machine, and unpacks itself once", onlyInLongRun, () => {
    const home = emptyFolder("home");
    convergeExample([executable], { HOME: home });
    expect(unpackedIn(home)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it("is started many times at once on a new machine", async () => {
    const home = emptyFolder("home");
    const { execFile } = await import("node:child_process");
    const ended = await Promise.all(
      Array.from(
        { length: 4 },
        () =>
          new Promise<string>((resolve) => {
            const options = { env: { HOME: home } };
            execFile(executable, ["version"], options, (_error, stdout, stderr) => {
              resolve(stdout + stderr);
            });
          }),
      ),
    );
    expect(new Set(ended).size).toBe(1);
    expect(ended[0]).toMatch(/^vmform \d/);
    expect(unpackedIn(home)).toHaveLength(1);
  });

  it("runs nothing from a folder that others may write into", () => {
    const cache = emptyFolder("cache");
    mkdirSync(join(cache, "vmform"));
    chmodSync(join(cache, "vmform"), 0o777);
    const ended = start({ XDG_CACHE_HOME: cache });
    expect(ended).toMatchObject({ status: 1, stdout: "" });
    expect(ended.stderr).toMatch(/others may write into it.*XDG_CACHE_HOME/s);
  });

  it("says where it cannot unpack itself, and how it can", () => {
    const file = join(scratch, "a-file");
    writeFileSync(file, "");
    const ended = start({ XDG_CACHE_HOME: file });
    expect(ended).toMatchObject({ status: 1, stdout: "" });
    expect(ended.stderr).toMatch(
      /^error: vmform cannot unpack itself: .*a-file.*\n.*XDG_CACHE_HOME/,
    );
  });
});
