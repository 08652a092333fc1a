/**
 * What is published for authors of packages: the entries of `package.json` are built, the worked
 * example runs its own tests with them, and a package in TypeScript finds its types alone.
 */

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../examples/copy.ts";
import { runNode } from "../examples/program.ts";
import { onlyInLongRun } from "../helpers/amount.ts";

const scratch = mkdtempSync(join(tmpdir(), "vmform-published-"));
const vmform = join(scratch, "node_modules", "vmform");

/** The package as `npm install` would lay it down, without what it does not need here. */
beforeAll(() => {
  const rolldown = join(root, "node_modules", "rolldown", "bin", "cli.mjs");
  const words = [rolldown, "-c", "rolldown.provider.config.mjs"];
  const built = join(vmform, "dist", "provider");
  execFileSync(process.execPath, [...words, "-d", built], { cwd: root, stdio: "pipe" });
  cpSync(join(root, "package.json"), join(vmform, "package.json"));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it("every entry is there, and names no file of the sources", () => {
  const { exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: { readonly [entry: string]: string | { readonly [kind: string]: string } };
  };
  const files = Object.values(entries).flatMap((entry) =>
    typeof entry === "string" ? [] : Object.values(entry),
  );
  expect(files.length).toBe(4);
  for (const file of files) expect(existsSync(join(vmform, file))).toBe(true);
  const built = join(vmform, "dist", "provider");
  for (const file of readdirSync(built)) {
    expect(readFileSync(join(built, file), "utf8")).not.toMatch(/from "\.\.|import\("\.\./);
  }
});

it("the worked example passes its own tests with them", onlyInLongRun, async () => {
  const folder = join(scratch, "dns");
  cpSync(join(root, "examples", "provider", "dns"), folder, { recursive: true });
  const lines = ["index.js", "zone.js"].flatMap((file) =>
    readFileSync(join(folder, file), "utf8").split("\n"),
  );
  expect(lines.length).toBeLessThan(200);
  const ended = await runNode("--test", [], folder);
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toMatch(/# pass 1[0-9]\n# fail 0/);
});

it("a package in TypeScript is held against the types alone", onlyInLongRun, () => {
  const folder = join(scratch, "typed");
  mkdirSync(folder);
  symlinkSync(join(root, "node_modules", "@types"), join(scratch, "node_modules", "@types"));
  const check = (source: string): string => {
    writeFileSync(join(folder, "index.ts"), source);
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
    try {
      const words = [tsc, ...options, "--types", "node", "index.ts"];
      return execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
    } catch (error) {
      return String((error as { readonly stdout: unknown }).stdout);
    }
  };
  const source = (name: string): string => `
    import type { ProviderPackageFactory, ProviderSession } from "vmform/provider";
    import { type Harness, packageChecks } from "vmform/provider/testing";
    const session: ProviderSession = {
      read: async (wanted) => wanted.map(() => ({ status: "missing", proof: "there is nothing" })),
      send: async () => ({}),
      close: async () => {},
    };
    const make: ProviderPackageFactory = () => ({
      name: ${name},
      settings: { type: "object", additionalProperties: false, properties: {} },
      types: [],
      open: async () => session,
    });
    const harness: Harness = { world: async () => ({ settings: {} }), samples: [] };
    for (const { name, run } of packageChecks(make, harness)) void run().then(() => name);
    export default make;
  `;
  expect(check(source('"x"'))).toBe("");
  expect(check(source("7"))).toMatch(/TS2322/);
});
