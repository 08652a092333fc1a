/** What the documentation says is true: its configurations load, its options exist, its links lead. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createReport } from "../../src/config/report.ts";
import { readTestFile } from "../../src/config/testing/test-file.ts";
import { dataRegistry, settingsSchemas, typeRegistry } from "../../src/providers/registry.ts";
import { readFaults } from "../../src/simulators/faults.ts";
import { readWorldSource } from "../../src/simulators/world.ts";
import { readProjectFile, readProjectFiles } from "../architecture/project-files.ts";
import { loadConfig } from "../helpers/load-config.ts";
import { foldersOf } from "../helpers/module-folders.ts";
import { runInside } from "../helpers/program.ts";
import { root } from "./copy.ts";

const pages = [
  ...readProjectFiles("docs"),
  { path: "README.md", text: readProjectFile("README.md") },
];

it("has its generated parts up to date", () => {
  const script = join(root, "scripts", "generate-docs.mjs");
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
});

/** The page shows the parts of a world one by one; the appliance is a VM of the manager's part. */
const applianceVm = { manager: { vms: { vcsa: { disks: "appliance" } } } } as const;

describe("an example in a page", () => {
  const snippets = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\n```yaml\n([^]*?)\n```\n/g)].map((match, index) => ({
      name: `${path} (${index + 1})`,
      page: path,
      yaml: match[1] ?? "",
    })),
  );
  /** Files of modules begin with their path as a comment; the page's other examples call them. */
  const moduleFile = /^# (modules\/\S+\.vmform\.yaml)\n/;
  const own = snippets.filter(({ yaml }) => !moduleFile.test(yaml));
  const modulesOf = (page: string): { [path: string]: string } =>
    Object.fromEntries(
      snippets.flatMap((snippet) => {
        const path = snippet.page === page ? moduleFile.exec(snippet.yaml)?.[1] : undefined;
        return path === undefined ? [] : [[path, snippet.yaml]];
      }),
    );

  it("is there", () => {
    expect(snippets.length).toBeGreaterThan(8);
  });

  it.each(own)("can be used: $name", ({ yaml, page }) => {
    const document: object = parse(yaml, { merge: true });
    if ("runs" in document) {
      const report = createReport();
      readTestFile({ name: page, bytes: new TextEncoder().encode(yaml) }, report);
      expect(report.diagnostics()).toEqual([]);
    } else if ("faults" in document) readFaults(document as Parameters<typeof readFaults>[0]);
    else if (["daemon", "cloud", "manager", "appliance"].some((name) => name in document))
      readWorldSource({ ...applianceVm, ...document }, undefined);
    else {
      const types = {
        types: typeRegistry(),
        dataTypes: dataRegistry(),
        providerSettings: settingsSchemas(),
        readFolder: foldersOf(modulesOf(page)),
      };
      expect(loadConfig(yaml, types).diagnostics).toEqual([]);
    }
  });
});

describe("a link", () => {
  const links = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map((match) => {
      const [, target = "", anchor = ""] = match;
      return { from: path, to: target === "" ? path : join(dirname(path), target), anchor };
    }),
  );

  it.each(links)("leads somewhere: $from -> $to $anchor", ({ to, anchor }) => {
    expect(existsSync(join(root, to))).toBe(true);
    if (anchor === "") return;
    const headings = readProjectFile(to).match(/^#+ .*$/gm) ?? [];
    expect(headings.map(anchorOf)).toContain(anchor);
  });
});

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, "").toLowerCase();
  return text.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

describe("docs/commands.md", () => {
  const page = readProjectFile("docs/commands.md");
  const help = async (...words: readonly string[]): Promise<string> =>
    (await runInside(root, [...words, "--help"])).stdout;

  it("tells of every command and every option, and of no other", async () => {
    const real = new Set<string>();
    const commands: (readonly string[])[] = [];
    const visit = async (words: readonly string[]): Promise<void> => {
      const text = await help(...words);
      for (const name of commandsOf(text)) await visit([...words, name]);
      if (words.length === 0) return;
      commands.push(words);
      for (const option of optionsOf(text)) real.add(option);
    };
    await visit([]);
    const untold = commands.filter((words) => !page.includes(`\`${words.join(" ")}`));
    expect(untold).toEqual([]);
    expect(commands.length).toBeGreaterThan(40);
    const told = new Set(page.match(/--[a-z][a-z-]+/g));
    expect([...real].filter((option) => !told.has(option))).toEqual([]);
    expect([...told].filter((option) => !real.has(option) && option !== "--help")).toEqual([]);
  });
});

function commandsOf(help: string): readonly string[] {
  const start = help.indexOf("Commands:");
  if (start < 0) return [];
  const list = help.slice(start);
  const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map((match) => match[1] ?? "");
  return names.filter((name) => name !== "help");
}

function optionsOf(help: string): readonly string[] {
  return [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)]
    .map((match) => match[1] ?? "")
    .filter((option) => option !== "--help");
}
