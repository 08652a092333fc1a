/**
 * The recipes of docs/recipes.md: what is YAML or JSON can be read, and every command is run, in the
 * order of its recipe, in a copy of an example.
 */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs", "recipes.md"), "utf8");
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ name: text.slice(0, text.indexOf("\n")), blocks: blocksOf(text) }));

type Block = { readonly language: string; readonly text: string };

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = "", inner = ""]) => ({
    language,
    text: inner,
  }));
}

/** Lines of shell that begin with vmform, wherever a recipe has them. */
function commandsOf(blocks: readonly Block[]): readonly string[] {
  const lines = blocks.flatMap(({ text }) => text.split("\n"));
  return lines.flatMap((line) => /\b(vmform (?:[a-z]|-).*?)'?$/.exec(line)?.[1] ?? []);
}

let folder: string;
let bin: string;

beforeAll(() => {
  const { main } = buildProgram();
  folder = mkdtempSync(join(tmpdir(), "vmform-recipes-"));
  bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "vmform"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(join(bin, "vmform"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("there are recipes, with commands", () => {
  const commands = recipes.flatMap(({ blocks }) => commandsOf(blocks));
  expect(recipes.map(({ name }) => name)).toContain("GitLab CI");
  expect(commands.length).toBeGreaterThan(10);
});

/** Each of them types several commands. */
const typed = some(recipes, 1);

describe.each(recipes)("$name", ({ name, blocks }) => {
  test("can be read", () => {
    expect(blocks.length).toBeGreaterThan(0);
    for (const { language, text } of blocks) {
      if (language === "yml") expect(typeof parse(text)).toBe("object");
      if (language === "json") expect(typeof JSON.parse(text)).toBe("object");
    }
  });

  test.runIf(typed.some((recipe) => recipe.name === name))("runs", () => {
    const place = join(folder, name.replaceAll(/\W/g, "-"));
    // Recorded state stands two folders above.
    const project = join(place, "examples", "quickstart");
    cpSync(join(root, "examples", "quickstart"), project, { recursive: true });
    const environment = {
      PATH: `${bin}:${process.env.PATH ?? ""}`,
      HOME: folder,
      CI: "1",
      GITHUB_STEP_SUMMARY: join(place, "summary.md"),
      PLANFILE: join(place, "saved.plan"),
    };
    // A look for drift where nothing is recorded is an error.
    for (const command of ["vmform apply --auto-approve", ...commandsOf(blocks)]) {
      const options = { cwd: project, encoding: "utf8", env: environment } as const;
      const { status, stderr } = spawnSync("sh", ["-c", command], options);
      const errors = stderr.split("\n").filter((line) => line.includes("error"));
      expect({ command, status, errors }).toEqual({ command, status: 0, errors: [] });
    }
  });
});

test("the problem matcher finds what validate says", () => {
  const matcher = recipes
    .flatMap(({ blocks }) => blocks)
    .find(({ language }) => language === "json");
  const document = JSON.parse(matcher?.text ?? "") as {
    problemMatcher: { pattern: { regexp: string }[] }[];
  };
  const pattern = new RegExp(document.problemMatcher[0]?.pattern[0]?.regexp ?? "$^", "m");
  const place = join(folder, "broken");
  cpSync(join(root, "examples", "quickstart"), place, { recursive: true });
  writeFileSync(join(place, "more.vmform.yaml"), "resources:\n  daemon_vm.x: { id: x, nmae: y }\n");
  const { stderr } = spawnSync("sh", ["-c", "vmform validate"], {
    cwd: place,
    encoding: "utf8",
    env: { PATH: `${bin}:${process.env.PATH ?? ""}` },
  });
  expect(pattern.exec(stderr)?.slice(1)).toEqual([
    "more.vmform.yaml",
    "2",
    "25",
    "error",
    "Unknown attribute",
    "CFG013",
  ]);
});
