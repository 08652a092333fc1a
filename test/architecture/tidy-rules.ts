/**
 * The shape of files as rules: doc comments, sizes, words. Pure functions from a file's text to
 * problems `path:line: what is wrong`, so that each rule can be tried on a bad sample.
 */

import { parseSync, Visitor } from "oxc-parser";
import { lineAt } from "./imports.ts";
import type { ProjectFile } from "./project-files.ts";

export const limits = { columns: 100, fileLines: 400, functionLines: 70 } as const;

/** Everything that is asked of a source file. */
export function checkSource(file: ProjectFile): readonly string[] {
  return [
    ...checkModuleDoc(file),
    ...checkFileLength(file),
    ...checkColumns(file),
    ...checkFunctionLengths(file),
    ...checkWords(file),
    ...checkCommandWords(file),
  ];
}

/** A command line that is told quotes its words so that no name of a server can end the quotes. */
export function checkCommandWords({ path, text }: ProjectFile): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      /(?:vmform |--[a-z])[^`"]*'\$\{/.test(line)
        ? [`${path}:${index + 1}: quotes a word of a command by hand: use quotedWord`]
        : [],
    );
}

/**
 * A file opens, after its hashbang if any, with a doc comment that is followed by an empty line:
 * without that line it would be the comment of the first declaration.
 */
export function checkModuleDoc({ path, text }: ProjectFile): readonly string[] {
  const body = text.replace(/^#!.*\n/, "");
  const doc = /^\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n(?:\n|$)/.exec(body)?.[1];
  if (doc === undefined) return [`${path}:1: does not open with a module doc comment`];
  const words = doc.match(/\p{L}+/gu) ?? [];
  return words.length >= 2 ? [] : [`${path}:1: the module doc comment says nothing`];
}

export function checkFileLength({ path, text }: ProjectFile): readonly string[] {
  const count = text.replace(/\n$/, "").split("\n").length;
  return count <= limits.fileLines
    ? []
    : [`${path}:${limits.fileLines + 1}: ${count} lines, at most ${limits.fileLines}`];
}

/** Columns are Unicode code points. */
export function checkColumns({ path, text }: ProjectFile): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const columns = [...line].length;
    return columns <= limits.columns
      ? []
      : [`${path}:${index + 1}: ${columns} columns, at most ${limits.columns}`];
  });
}

type Span = { readonly start: number; readonly end: number };

/** Lines from the first of the signature to the closing brace, functions inside it included. */
export function checkFunctionLengths({ path, text }: ProjectFile): readonly string[] {
  const parsed = parseSync(path, text, { sourceType: "module" });
  const [problem] = parsed.errors;
  if (problem !== undefined) throw new Error(`${path} does not parse: ${problem.message}`);
  const spans: Span[] = [];
  const add = (node: Span): void => void spans.push(node);
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(parsed.program);
  return spans.flatMap(({ start, end }) => {
    const line = lineAt(text, start);
    const count = lineAt(text, end) - line + 1;
    return count <= limits.functionLines
      ? []
      : [`${path}:${line}: a function of ${count} lines, at most ${limits.functionLines}`];
  });
}

/**
 * Words that the glossary gives up in favour of another, where the word has no second, honest
 * meaning here. A phrase is found in prose and in names alike: `currentState`, `current_state`.
 */
const glossary: ReadonlyMap<string, string> = new Map([
  ["manifest", "configuration"],
  ["upstream", "dependency"],
  ["downstream", "dependent"],
  ["teardown", "destroy"],
  ["workflow", "execution graph"],
  ["tfstate", "recorded state"],
  ["cached state", "recorded state"],
  ["old state", "prior state"],
  ["previous state", "prior state"],
  ["actual state", "observed state"],
  ["live state", "observed state"],
  ["current state", "observed state"],
  ["goal state", "desired state"],
  ["target state", "desired state"],
  ["cfg", "configuration"],
  ["ctx", "context"],
  ["mgr", "manager"],
]);

export function checkWords({ path, text }: ProjectFile): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const words = ` ${wordsOf(line)} `;
    return [...glossary]
      .filter(([banned]) => words.includes(` ${banned} `))
      .map(([banned, use]) => `${path}:${index + 1}: "${banned}": say "${use}"`);
  });
}

/**
 * Words of prose and parts of names, in lower case, with one space between. A code such as `CFG004`
 * is one name and no word.
 */
function wordsOf(line: string): string {
  return line
    .replaceAll(/\b[A-Z]+\d+\b/g, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "")
    .join(" ");
}

/** A markdown file has exactly one title of the first level, and it comes first. */
export function checkTitle({ path, text }: ProjectFile): readonly string[] {
  const outside = text.replaceAll(/^(```|~~~)[^]*?^\1[^\n]*$/gm, (block) =>
    block.replaceAll(/[^\n]/g, ""),
  );
  const titles = outside
    .split("\n")
    .flatMap((line, index) => (line.startsWith("# ") ? [index + 1] : []));
  if (titles.length !== 1) return [`${path}:${titles[1] ?? 1}: ${titles.length} titles, not one`];
  return outside.trimStart().startsWith("# ")
    ? []
    : [`${path}:${titles[0]}: the title is not first`];
}

/** Folders of a developer's own machine; written in parts, since this file is checked as well. */
const machineFolders = ["work", "root", "home/[a-z]+", "Users/[A-Za-z]+"];
const machinePath = new RegExp(String.raw`(?:^|[^\w.~*}-])/(?:${machineFolders.join("|")})/`);

/** Paths of the machine that a file was written on tell nothing to a reader on another. */
export function checkMachinePaths({ path, text }: ProjectFile): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      machinePath.test(line) ? [`${path}:${index + 1}: names a path of one machine`] : [],
    );
}
