/** Holds the shape of the project's files, and tries each rule on a bad sample. */

import { describe, expect, it } from "vitest";
import { type ProjectFile, readProjectFiles } from "./project-files.ts";
import {
  checkColumns,
  checkCommandWords,
  checkFileLength,
  checkFunctionLengths,
  checkMachinePaths,
  checkModuleDoc,
  checkSource,
  checkTitle,
  checkWords,
  limits,
} from "./tidy-rules.ts";

/** A check that saw next to nothing is no check. */
const sourcesMin = 90;
const markdownMin = 3;
const filesMin = 120;

const files = readProjectFiles();
const sources = files.filter(
  ({ path }) => /^src\/.*\.tsx?$/.test(path) && !path.includes("/generated/"),
);
const markdown = files.filter(({ path }) => path.endsWith(".md"));

describe("this project", () => {
  it("has tidy sources", () => {
    console.info(`tidy: saw ${sources.length} sources, ${markdown.length} markdown files`);
    expect(sources.flatMap(checkSource)).toEqual([]);
    expect(sources.length).toBeGreaterThanOrEqual(sourcesMin);
  });

  it("has one title in each markdown file", () => {
    expect(markdown.flatMap(checkTitle)).toEqual([]);
    expect(markdown.length).toBeGreaterThanOrEqual(markdownMin);
  });

  it("names no path of one machine", () => {
    console.info(`tidy: saw ${files.length} files in all`);
    expect(files.flatMap(checkMachinePaths)).toEqual([]);
    expect(files.length).toBeGreaterThanOrEqual(filesMin);
  });
});

type Check = (file: ProjectFile) => readonly string[];
type GoodCase = readonly [name: string, check: Check, text: string];
type BadCase = readonly [name: string, check: Check, text: string, problem: string];

const doc = "/** Tells what the module is. */\n\n";
const repeat = (line: string, times: number): string => `${line}\n`.repeat(times);
const functionOf = (lines: number): string => `function f() {\n${repeat("  f();", lines - 2)}}\n`;
const folderOf = (...parts: readonly string[]): string => ["", ...parts, ""].join("/");

describe("the rules", () => {
  const good: readonly GoodCase[] = [
    ["a doc comment", checkModuleDoc, `${doc}export const a = 1;\n`],
    ["one of several lines", checkModuleDoc, `/**\n * Two words\n * here.\n */\n\nlet a;\n`],
    ["one after a hashbang", checkModuleDoc, `#!/usr/bin/env node\n${doc}let a;\n`],
    ["a file at the limit", checkFileLength, repeat("a;", limits.fileLines)],
    ["a line at the limit", checkColumns, "a".repeat(limits.columns)],
    ["a line of wide characters", checkColumns, "😀".repeat(limits.columns)],
    ["a function at the limit", checkFunctionLengths, functionOf(limits.functionLines)],
    ["long plain data", checkFunctionLengths, `const a = [\n${repeat("  1,", 90)}];`],
    ["a quoted word", checkCommandWords, "`vmform state rm ${quotedWord(address)}`"],
    ["words of ours", checkWords, "recorded state, observedState, the state currently read"],
    ["codes", checkWords, `code: "CFG004"`],
    ["parts of longer words", checkWords, "manifestly, undeploy, context"],
    ["one title", checkTitle, "# Title\n\n## Part\n"],
    ["a comment in a code block", checkTitle, "# Title\n\n```sh\n# comment\n```\n~~~\n# b\n~~~\n"],
    ["paths of the project", checkMachinePaths, "src/work/a.ts ./work/a /srv/src ~/work/a"],
    ["an address", checkMachinePaths, "https://example.com/work/a"],
  ];
  it.each(good)("allow %s", (_name, check, text) => {
    expect(check({ path: "a.ts", text })).toEqual([]);
  });

  const bad: readonly BadCase[] = [
    ["no doc comment", checkModuleDoc, "let a;\n", "a.ts:1: does not open with a module doc"],
    ["a plain comment", checkModuleDoc, "// Two words.\n\nlet a;\n", "a.ts:1: does not open"],
    ["a block comment", checkModuleDoc, "/* Two words. */\n\nlet a;\n", "a.ts:1: does not open"],
    ["a late one", checkModuleDoc, `import "a";\n${doc}`, "a.ts:1: does not open"],
    ["the doc of a function", checkModuleDoc, "/** Two words. */\nlet a;\n", "a.ts:1: does not"],
    ["an empty one", checkModuleDoc, "/** */\n\nlet a;\n", "a.ts:1: the module doc comment says"],
    [
      "a word quoted by hand",
      checkCommandWords,
      "`vmform state rm '${address}'`",
      "a.ts:1: quotes a word of a command by hand",
    ],
    ["a long file", checkFileLength, repeat("a;", 401), "a.ts:401: 401 lines, at most 400"],
    ["a long line", checkColumns, `a\n${"a".repeat(101)}`, "a.ts:2: 101 columns, at most 100"],
    ["a long function", checkFunctionLengths, `\n${functionOf(71)}`, "a.ts:2: a function of 71"],
    [
      "a long arrow function",
      checkFunctionLengths,
      `const a = () => {\n${repeat("b();", 90)}};`,
      "a.ts:1: a function of 92 lines",
    ],
    [
      "a long method",
      checkFunctionLengths,
      `class A {\n  b() {\n${repeat("b();", 90)}}\n}`,
      "a.ts:2: a function of 92 lines",
    ],
    [
      "a word given up",
      checkWords,
      "\n// The manifest.",
      `a.ts:2: "manifest": say "configuration"`,
    ],
    ["it in a name", checkWords, "const manifestPath = 1;", `a.ts:1: "manifest"`],
    ["it in capitals", checkWords, "TFSTATE_FILE", `a.ts:1: "tfstate": say "recorded state"`],
    ["a phrase", checkWords, "the current state", `a.ts:1: "current state": say "observed state"`],
    ["a phrase in a name", checkWords, "let previousState;", `a.ts:1: "previous state"`],
    ["an abbreviation", checkWords, "f(ctx)", `a.ts:1: "ctx": say "context"`],
    ["two titles", checkTitle, "# A\n\n# B\n", "a.ts:3: 2 titles, not one"],
    ["no title", checkTitle, "## A\n", "a.ts:1: 0 titles, not one"],
    ["a late title", checkTitle, "Words.\n\n# A\n", "a.ts:3: the title is not first"],
    ["a folder", checkMachinePaths, `a\nsee ${folderOf("work")}b`, "a.ts:2: names a path of one"],
    ["it in quotes", checkMachinePaths, `"${folderOf("root")}b"`, "a.ts:1: names a path"],
    ["a home", checkMachinePaths, `cd ${folderOf("home", "ann")}`, "a.ts:1: names a path"],
    ["a file address", checkMachinePaths, `file://${folderOf("work")}b`, "a.ts:1: names a path"],
  ];
  it.each(bad)("refuse %s", (_name, check, text, problem) => {
    const problems = check({ path: "a.ts", text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it("are all asked of a source", () => {
    const text = `${repeat("let ctx;", 401)}let a${"a".repeat(100)};\n${functionOf(71)}`;
    const problems = checkSource({ path: "a.ts", text }).join("\n");
    expect(problems).toMatch(/module doc comment.*at most 400.*at most 100.*at most 70.*"ctx"/s);
  });
});
