/** Holds every import under `src` against the table in `ARCHITECTURE.md`, and tests that check. */

import { describe, expect, it } from "vitest";
import { checkImports, checkTable } from "./import-rules.ts";
import { type ImportRow, parseImportTable } from "./import-table.ts";
import { findImports } from "./imports.ts";
import { readProjectFile, readProjectFiles } from "./project-files.ts";

/** A check that saw next to nothing is no check. */
const filesMin = 90;
const importsMin = 300;

const files = readProjectFiles("src").filter((file) => file.path.endsWith(".ts"));
const table = parseImportTable(readProjectFile("ARCHITECTURE.md"));

describe("this project", () => {
  it("imports only what the table allows", () => {
    const report = checkImports(files, table);
    console.info(`imports: saw ${report.filesSeen} files and ${report.importsSeen} imports`);
    expect(report.problems).toEqual([]);
    expect(report.filesSeen).toBeGreaterThanOrEqual(filesMin);
    expect(report.importsSeen).toBeGreaterThanOrEqual(importsMin);
  });

  it("has a table without stale rows, and one owner for each npm dependency", () => {
    const contents: unknown = JSON.parse(readProjectFile("package.json"));
    const { dependencies, optionalDependencies } = contents as {
      readonly dependencies: object;
      readonly optionalDependencies: object;
    };
    expect(Object.keys(dependencies).length).toBeGreaterThan(3);
    const packages = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(checkTable(files, table, packages)).toEqual([]);
  });

  it("keeps nothing but TypeScript in src", () => {
    const others = readProjectFiles("src").filter(({ path }) => !/\.(ts|tsx|md)$/.test(path));
    expect(others.map(({ path }) => path)).toEqual([]);
  });
});

const sampleTable = parseImportTable(
  [
    "| folder | may import | packages it owns |",
    "|---|---|---|",
    "| `lib` | | `yaml`, `@scope/kept` |",
    "| `model` | `lib` | |",
    "| `http` | `lib`, `model` | `undici` |",
    "| `providers` | `lib`, `model`, `http` | |",
    "| `cli` | everything above except `http`, `providers` | |",
    "| `main.ts` | everything: it wires the ports | |",
  ].join("\n"),
);

/** Problems of one file beside some that are there to be imported. */
function problemsOf(path: string, text: string): readonly string[] {
  const others = ["lib/json.ts", "model/value.ts", "http/client.ts", "main.ts"]
    .concat("providers/daemon/session.ts", "providers/cloud/session.ts", "cli/run.ts")
    .concat("providers/kit/tasks.ts")
    .map((other) => ({ path: `src/${other}`, text: "export {};\n" }))
    .filter((other) => other.path !== path);
  return checkImports([...others, { path, text }], sampleTable).problems;
}

describe("the check of imports", () => {
  const good: readonly [path: string, text: string][] = [
    ["src/lib/yaml.ts", `import { parse } from "yaml";`],
    ["src/lib/yaml.d.ts", `declare module "yaml" { export * from "typings"; }`],
    ["src/lib/deep.ts", `import { parse } from "@scope/kept/deep/file";`],
    ["src/lib/files.ts", `import { join } from "node:path";`],
    ["src/model/plan.ts", `import type { Value } from "./value.ts";`],
    ["src/http/retry.ts", `import { a } from "../lib/json.ts"; import { b } from "undici";`],
    ["src/providers/daemon/power.ts", `import { a } from "./session.ts";`],
    ["src/providers/registry.ts", `import { a } from "./daemon/session.ts";`],
    ["src/providers/cloud/vm/a.ts", `import { a } from "../../kit/tasks.ts";`],
    ["src/providers/registry.ts", `import { a } from "./kit/tasks.ts";`],
    ["src/cli/view.ts", `const m = await import("../model/value.ts"); export const n = m;`],
    ["src/main.ts", `import "./http/client.ts"; import "./providers/cloud/session.ts";`],
    ["src/lib/text.ts", `// import "../cli/run.ts"\nexport const a = 'import "../cli/run.ts"';`],
  ];
  it.each(good)("allows %s: %s", (path, text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });

  const bad: readonly [path: string, text: string, problem: RegExp][] = [
    [
      "src/lib/a.ts",
      `import { a } from "../model/value.ts";`,
      /^src\/lib\/a.ts:1: lib may not .*model/,
    ],
    ["src/lib/a.ts", `\nimport type { A } from "../model/value.ts";`, /a.ts:2: lib may not import/],
    ["src/lib/a.ts", `type A = import("../model/value.ts").A;`, /lib may not import model/],
    ["src/lib/a.ts", `const a = () => import("../model/value.ts");`, /lib may not import model/],
    ["src/lib/a.ts", "const a = () => import(`../model/value.ts`);", /lib may not import model/],
    ["src/lib/a.ts", `import "../model/value.ts";`, /lib may not import model/],
    ["src/model/a.ts", `import { a } from "../main.ts";`, /model may not import main.ts/],
    ["src/cli/a.ts", `import { a } from "../http/client.ts";`, /cli may not import http/],
    ["src/lib/a.ts", `const a = (n: string) => import(n);`, /computed name/],
    ["src/lib/a.ts", "const a = (n: string) => import(`./${n}.ts`);", /computed name/],
    ["src/model/a.ts", `import { parse } from "yaml";`, /package yaml belongs to lib/],
    ["src/model/a.ts", `import { parse } from "yaml/util";`, /package yaml belongs to lib/],
    ["src/model/a.ts", `import { k } from "@scope/kept/deep";`, /@scope\/kept belongs to lib/],
    ["src/lib/a.ts", `import type { A } from "vitest";`, /package vitest has no owning folder/],
    ["src/main.ts", `import { request } from "undici";`, /package undici belongs to http/],
    ["src/lib/a.ts", `import { join } from "path";`, /write node:path/],
    ["src/lib/a.ts", `import { a } from "./json.js";`, /does not end in .ts/],
    ["src/lib/a.ts", `import { a } from "./json";`, /does not end in .ts/],
    ["src/lib/a.ts", `import { a } from "./none.ts";`, /is no file of src/],
    ["src/lib/a.ts", `import { a } from "../../test/setup.ts";`, /is no file of src/],
    ["src/lib/a.ts", `import { a } from "#lib/json.ts";`, /neither a relative path nor/],
    ["src/lib/a.ts", `import { a } from "/etc/a.ts";`, /neither a relative path nor/],
    ["src/lib/a.ts", `import { a } from "https://example.com/a.ts";`, /neither a relative path/],
    ["src/lib/a.ts", `import fs = require("node:fs");`, /require and reference are not used/],
    ["src/lib/a.ts", `const a = require("yaml");`, /require and reference are not used/],
    ["src/lib/a.ts", `const a = createRequire(import.meta.url);`, /require and reference/],
    ["src/lib/a.ts", `/// <reference types="vitest" />\nexport {};`, /require and reference/],
    ["src/lib/a.ts", `export * from "./json.ts";`, /re-exports .\/json.ts/],
    ["src/lib/a.ts", `export { a } from "./json.ts";`, /re-exports .\/json.ts/],
    ["src/lib/a.ts", `export type { A } from "./json.ts";`, /re-exports .\/json.ts/],
    ["src/lib/a.ts", `import { a } from "./json.ts";\nexport { a };`, /a.ts:2: passes on/],
    ["src/lib/a.ts", `import { a } from "./json.ts"; export { a as b };`, /passes on/],
    ["src/lib/a.ts", `import a from "./json.ts"; export default a;`, /passes on/],
    ["src/lib/index.ts", `export const a = 1;`, /a barrel by its name/],
    ["src/other/a.ts", `export const a = 1;`, /other has no row/],
    ["src/stray.ts", `export const a = 1;`, /stray.ts has no row/],
    ["src/providers/daemon/a.ts", `import "../cloud/session.ts";`, /providers\/daemon may not/],
    ["src/providers/kit/a.ts", `import "../cloud/session.ts";`, /kit may not import .*cloud/],
  ];
  it.each(bad)("refuses %s: %s", (path, text, problem) => {
    const problems = problemsOf(path, text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });

  it("reports each circle of folders once", () => {
    const rows: readonly ImportRow[] = ["a", "b", "c"].map((folder) => ({
      folder,
      mayImport: new Set(["a", "b", "c"]),
      packages: [],
    }));
    const report = checkImports(
      [
        { path: "src/a/x.ts", text: `import "../b/x.ts"; import "./in/x.ts";` },
        { path: "src/a/in/x.ts", text: `import type {} from "../y.ts";` },
        { path: "src/a/y.ts", text: "export {};" },
        { path: "src/b/x.ts", text: `import type {} from "../c/x.ts";` },
        { path: "src/c/x.ts", text: `import "../a/y.ts";` },
      ],
      rows,
    );
    expect(report.problems).toEqual(["src: folders import in a circle: a -> b -> c -> a"]);
    expect(report).toMatchObject({ filesSeen: 5, importsSeen: 5 });
  });

  it("does not pass over a file that does not parse", () => {
    expect(() => problemsOf("src/lib/a.ts", "import { from ;")).toThrow(/does not parse/);
  });

  it("tells the line of an import after text outside ASCII", () => {
    const text = `/** Ö 😀 */\nconst a = "😀";\nimport "yaml";\n`;
    expect(findImports("a.ts", text).imports).toEqual([
      { kind: "import", specifier: "yaml", line: 3 },
    ]);
  });
});

describe("the reader of the table", () => {
  const head = "| folder | may import | packages it owns |\n|---|---|---|\n";

  it("reads names, exceptions and packages", () => {
    const rows = new Map(sampleTable.map((row) => [row.folder, row]));
    expect([...(rows.get("cli")?.mayImport ?? [])]).toEqual(["lib", "model"]);
    expect([...(rows.get("main.ts")?.mayImport ?? [])]).toHaveLength(5);
    expect(rows.get("lib")?.packages).toEqual(["yaml", "@scope/kept"]);
  });

  const bad: readonly [name: string, markdown: string, problem: RegExp][] = [
    ["no table", "# Title\n", /found 0 import tables/],
    ["two tables", `${head}| \`a\` | | |\n\n${head}`, /found 2 import tables/],
    ["an empty table", head, /is empty/],
    [
      "a row upwards",
      `${head}| \`a\` | \`b\` | |\n| \`b\` | | |\n`,
      /a names b, which is not above/,
    ],
    ["a row twice", `${head}| \`a\` | | |\n| \`a\` | | |\n`, /two rows for a/],
    ["free words", `${head}| \`a\` | most things | |\n`, /cannot read what a may import/],
    ["a row without a name", `${head}| a | | |\n`, /not a row/],
    ["a row with a cell missing", `${head}| \`a\` | |\n`, /not a row/],
  ];
  it.each(bad)("refuses %s", (_name, markdown, problem) => {
    expect(() => parseImportTable(markdown)).toThrow(problem);
  });

  it("names rows without files, packages without owner and owners without package", () => {
    const seen = sampleTable
      .map(({ folder }) => ({
        path: `src/${folder}${folder === "main.ts" ? "" : "/a.ts"}`,
        text: "",
      }))
      .filter(({ path }) => path !== "src/cli/a.ts");
    expect(checkTable(seen, sampleTable, ["yaml", "undici", "stray"])).toEqual([
      "cli has no file",
      "stray has no owner",
      "@scope/kept is owned but is no dependency",
    ]);
  });
});
