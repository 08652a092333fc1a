/** Recipes of docs/recipes.md, before the programs that they are for. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import {
  actionlint,
  gitlabCiLocal,
  lacksActionlint,
  lacksNode22,
  lacksPython,
  lacksReaders,
  preCommit,
} from "./clients.ts";

const root = new URL("../../", import.meta.url).pathname;
const page = readFileSync(join(root, "docs", "recipes.md"), "utf8");

/** The first block of YAML of a recipe. */
function recipe(name: string): string {
  const text = page.split(/^## /m).find((one) => one.startsWith(`${name}\n`)) ?? "";
  const block = /^```yml\n(.*?)^```/ms.exec(text)?.[1] ?? "";
  expect(block).not.toBe("");
  return block;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-recipes-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function git(at: string, ...words: readonly string[]): string {
  const person = ["-c", "user.name=someone", "-c", "user.email=someone@example.com"];
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  return execFileSync("git", [...person, ...words], { cwd: at, env, encoding: "utf8" });
}

/** A repository in which everything that is there is committed. */
function repository(at: string): void {
  git(at, "init", "--quiet");
  git(at, "add", "--all");
  git(at, "commit", "--quiet", "--message", "all");
}

describe.skipIf(lacksPython)("pre-commit", () => {
  /** A project with the recipe, the hooks of this repository under its tag, and vmform. */
  function project(configuration: string): { readonly at: string; readonly bin: string } {
    const place = mkdtempSync(join(folder, "pre-commit-"));
    const [hooks, at, bin] = [join(place, "hooks"), join(place, "project"), join(place, "bin")];
    for (const each of [hooks, join(at, "platform"), bin]) mkdirSync(each, { recursive: true });
    copyFileSync(join(root, ".pre-commit-hooks.yaml"), join(hooks, ".pre-commit-hooks.yaml"));
    repository(hooks);
    const settings = recipe("pre-commit").replace(/repo: \S+/, `repo: ${hooks}`);
    git(hooks, "tag", /rev: (\S+)/.exec(settings)?.[1] ?? "");
    writeFileSync(join(at, ".pre-commit-config.yaml"), settings);
    writeFileSync(join(at, "platform", "main.vmform.yaml"), configuration);
    repository(at);
    const { main } = buildProgram();
    writeFileSync(join(bin, "vmform"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    chmodSync(join(bin, "vmform"), 0o755);
    return { at, bin };
  }
  const provider = 'providers: { daemon: { url: "http://127.0.0.1:8080" } }\n';

  test("runs the hooks on a configuration that is in order", async () => {
    const { at, bin } = project(`${provider}resources:\n  daemon_vm.a: { id: a }\n`);
    const { code, stdout } = await preCommit(at, bin, "run", "--all-files");
    const outcomes = stdout.split("\n").filter((line) => line.startsWith("vmform"));
    expect({ code, outcomes }).toEqual({
      code: 0,
      outcomes: [
        expect.stringMatching(/^vmform fmt\.+Passed$/),
        expect.stringMatching(/^vmform validate\.+Passed$/),
      ],
    });
  });

  test("stops at what is not, and lays it out", onlyInLongRun, async () => {
    const { at, bin } = project(`${provider}resources:\n    daemon_vm.a: { id:   a, nmae: b }\n`);
    const { code, stdout } = await preCommit(at, bin, "run", "--all-files");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^vmform fmt\.+Failed\n(?:.*\n)*.*files were modified by this hook/m);
    expect(stdout).toMatch(/^vmform validate\.+Failed\n(?:.*\n)*.*nmae/m);
    expect(git(at, "status", "--porcelain")).toBe(" M platform/main.vmform.yaml\n");
  });
});

describe.skipIf(lacksReaders || lacksNode22)("gitlab-ci-local", () => {
  async function jobs(pipeline: string): Promise<{ readonly code: number | null; said: string }> {
    const at = mkdtempSync(join(folder, "gitlab-"));
    writeFileSync(join(at, ".gitlab-ci.yml"), pipeline);
    repository(at);
    git(at, "remote", "add", "origin", "https://gitlab.example.com/lab/platform.git");
    const { code, stdout, stderr } = await gitlabCiLocal(at, "--list-json");
    return { code, said: code === 0 ? stdout : stderr };
  }

  test("takes the pipeline by the schema of GitLab, and knows its jobs", async () => {
    const { code, said } = await jobs(recipe("GitLab CI"));
    expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
    const listed = JSON.parse(said) as readonly unknown[];
    expect(listed).toMatchObject([
      { name: "check", when: "on_success" },
      { name: "plan", when: "on_success" },
      { name: "apply", stage: "apply" },
      { name: "drift", when: "never", allow_failure: { exit_codes: 2 } },
    ]);
  });

  test("takes the lines of docs/drift.md", async () => {
    const drift = readFileSync(join(root, "docs", "drift.md"), "utf8");
    const part = /^```yml\n(.*?)^```/ms.exec(drift.slice(drift.indexOf("## GitLab")))?.[1] ?? "";
    expect(await jobs(part)).toMatchObject({ code: 0 });
  });

  test("refuses what GitLab would", async () => {
    const wrong = recipe("GitLab CI").replace("exit_codes: 2", "exit_codes: two");
    expect(await jobs(wrong)).toMatchObject({
      code: 1,
      said: expect.stringContaining("exit_codes"),
    });
  });
});

describe.skipIf(lacksActionlint)("actionlint", () => {
  test("has nothing to say of the workflow", onlyInLongRun, async () => {
    const file = join(folder, "workflow.yml");
    writeFileSync(file, recipe("GitHub Actions"));
    expect(await actionlint(file)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("would say what is wrong", onlyInLongRun, async () => {
    const file = join(folder, "wrong.yml");
    writeFileSync(file, recipe("GitHub Actions").replace("runs-on:", "run-on:"));
    const { code, stdout } = await actionlint(file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("run-on") });
  });
});
