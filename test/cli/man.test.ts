/** Manual pages: one for each command, shipped with the package, and read without a complaint. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readProjectFile } from "../architecture/project-files.ts";
import { type Ended, runNode } from "../examples/program.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";

const program = buildProgram();
const environment = { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8", MANWIDTH: "80" };
const hasMan = spawnSync("man", ["--version"], { stdio: "ignore" }).status === 0;
if (!hasMan) console.warn("SKIPPED: manual pages are not read, since there is no man(1) here");

let folder: string;
let names: readonly string[];
let made: Ended;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-man-"));
  made = await run("man", folder);
  names = readdirSync(folder).toSorted();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...words: readonly string[]): Promise<Ended> {
  return runNode(program.main, words, tmpdir());
}

function listOf(help: string, heading: string): readonly string[] {
  const part = help.split(`${heading}:\n`)[1]?.split("\n\n")[0] ?? "";
  return [...part.matchAll(/^ {2}(?:-\w, )?(-{0,2}[a-z][a-z-]*)/gm)].map(([, word = ""]) => word);
}

const shown = (name: string): string => {
  const words = ["-l", "-P", "cat", join(folder, name)];
  return spawnSync("man", words, { encoding: "utf8", env: environment }).stdout;
};

test("are those that package.json names: a new command joins its list man", () => {
  expect(made).toEqual({ code: 0, stdout: "", stderr: "" });
  const { man } = JSON.parse(readProjectFile("package.json")) as { man: readonly string[] };
  expect(man.map((path) => basename(path))).toEqual(names);
  for (const path of man) expect(path).toMatch(/^\.\/dist\/man\//);
});

test("there is one for each command", async () => {
  const commands = listOf((await run("--help")).stdout, "Commands").filter((one) => one !== "help");
  expect(commands.length).toBeGreaterThan(20);
  for (const command of commands) expect(names).toContain(`vmform-${command}.1`);
  expect(names).toContain("vmform.1");
  expect(names).toContain("vmform-state-mv.1");
});

describe.skipIf(!hasMan)("man", () => {
  test("reads each without a warning", onlyInLongRun, () => {
    for (const name of names) {
      const words = ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", join(folder, name)];
      const { status, stderr } = spawnSync("man", words, { encoding: "utf8", env: environment });
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: "" });
    }
  });

  test.each(["plan", "adopt", "init", "state push"])("%s tells of each option", async (command) => {
    const options = listOf((await run(...command.split(" "), "--help")).stdout, "Options");
    expect(options.length).toBeGreaterThan(2);
    const page = shown(`vmform-${command.replace(" ", "-")}.1`);
    for (const option of options) expect(page).toContain(option);
    expect(page).toContain(`vmform ${command}`);
  });

  test("what the typesetter would take for its own stands as it is", () => {
    const page = shown("vmform-completion.1");
    expect(page).toMatch(/^NAME\n/m);
    for (const name of names) {
      const text = readFileSync(join(folder, name), "utf8");
      // Requests are ours alone, and a plain hyphen would not be the one that is typed.
      const requests = text.match(/^[.'].*/gm) ?? [];
      for (const line of requests) expect(line).toMatch(/^\.(?:\\"|TH|SH|TP|nh|ad)/);
      expect(text.replaceAll("\\-", "").replace(/^\.\\".*/, "")).not.toContain("-");
    }
  });
});
