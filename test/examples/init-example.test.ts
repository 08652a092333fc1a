/** `vmform init --example`: each copy works in a folder of its own, away from the package. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shippedExamples } from "../../src/wiring/examples.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { exampleNames, root } from "./copy.ts";
import { type Ended, runNode } from "./program.ts";

const program = buildProgram();
const names = exampleNames();
let base: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "vmform-init-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function emptyFolder(name: string): string {
  const folder = join(base, name);
  mkdirSync(folder);
  return folder;
}

function run(folder: string, ...words: readonly string[]): Promise<Ended> {
  return runNode(program.main, words, folder);
}

/** Every file below, with its text. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
}

describe.concurrent("a copy", onlyInLongRun, () => {
  it.each(names)("of %s works by the commands that it tells", async (name) => {
    const folder = emptyFolder(name);
    const written = await run(folder, "init", "--example", name);
    expect(written).toMatchObject({ code: 0, stderr: "" });
    const told = [...written.stdout.matchAll(/^Wrote (.*)\.$/gm)].map(([, path = ""]) => path);
    expect(told.map((path) => join(folder, path)).toSorted()).toEqual(
      [...filesIn(folder).keys()].toSorted(),
    );
    for (const [path, text] of filesIn(folder)) {
      // Nothing of it leads out of the folder.
      const outwards = text.match(/(?:\.\.\/)+(?:schemas|state)\S*/g);
      expect({ path, outwards }).toEqual({ path, outwards: null });
    }
    expect(await run(folder, "validate")).toMatchObject({ code: 0, stderr: "" });
    expect(await run(folder, "test")).toMatchObject({ code: 0 });
    const apply = /^ {2}vmform apply(?: --allow (\S+))?/m.exec(written.stdout);
    expect(apply).not.toBeNull();
    const allow = apply?.[1] === undefined ? [] : ["--allow", apply[1]];
    const applied = await run(folder, "apply", "--auto-approve", ...allow);
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    expect(await run(folder, "plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
    expect(readdirSync(join(folder, "state"))).toContain(`${name}.json`);
  });
});

describe("init --example", () => {
  it("lists what there is, each in a sentence", async () => {
    const { code, stdout } = await run(base, "init", "--example", "--json");
    expect(code).toBe(0);
    const { examples } = JSON.parse(stdout) as { examples: { name: string; about: string }[] };
    expect(examples.map(({ name }) => name)).toEqual(names.toSorted());
    for (const { about } of examples) expect(about).toMatch(/^[A-Z].{20,}\.$/);
  });

  it("names what was perhaps meant", async () => {
    const folder = emptyFolder("slip");
    const { code, stderr } = await run(folder, "init", "--example", "qickstart");
    expect(code).toBe(1);
    expect(stderr).toContain("Did you mean quickstart?");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["a configuration", "my.vmform.yml"],
    ["one of its files", "world.yaml"],
    ["a folder of that name", "modules"],
  ])("writes nothing where there is %s", async (_what, present) => {
    const folder = emptyFolder(`taken-${present}`);
    writeFileSync(join(folder, present), "mine\n");
    const { code, stderr } = await run(folder, "init", "--example", "platform");
    expect(code).toBe(1);
    expect(stderr).toContain(present);
    expect([...filesIn(folder).values()]).toEqual(["mine\n"]);
  });

  it("keeps an ignore file that is there", async () => {
    const folder = emptyFolder("ignored");
    writeFileSync(join(folder, ".gitignore"), "mine\n");
    expect(await run(folder, "init", "--example", "fleet")).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine\n");
  });
});

it("the package is published with every file of every example", onlyInLongRun, async () => {
  const words = ["pack", "--ignore-scripts", "--dry-run", "--json"];
  const packed = execFileSync("npm", words, { cwd: root, encoding: "utf8", stdio: "pipe" });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  const published = files.map(({ path }) => path);
  for (const name of names) {
    const own = await shippedExamples.files(name);
    expect(own.length).toBeGreaterThan(1);
    for (const { path } of own) expect(published).toContain(`examples/${name}/${path}`);
  }
});
