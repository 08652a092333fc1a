/**
 * The rules of imports under `src`: direction and package owners from the import table, no circle
 * of folders, no re-exports. Pure: files in, problems out, so that bad samples can be tried.
 */

import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { ImportRow } from "./import-table.ts";
import { type FoundImport, findImports } from "./imports.ts";
import type { ProjectFile } from "./project-files.ts";

export type ImportReport = {
  readonly filesSeen: number;
  readonly importsSeen: number;
  /** `path:line: what is wrong`, in the order of the files. */
  readonly problems: readonly string[];
};

type Rules = {
  readonly rows: ReadonlyMap<string, ImportRow>;
  /** Folder that owns each npm package. */
  readonly owners: ReadonlyMap<string, string>;
  readonly paths: ReadonlySet<string>;
};

/** Folders whose sub-folders stand for separate interfaces and import nothing of each other. */
const separated = new Set(["providers", "simulators"]);
/** The sub-folder that holds what the interfaces share: all may import it, and it imports none. */
const sharedPart = "kit";
/** What is for others names in one place what it is made of. */
const published = "src/published/";
/** Imports what is no part of the project: provider packages. */
const loader = "src/lib/import-module.ts";
/** Loads the built program, which is no part of the sources. */
const starter = "src/start/start.ts";

export function checkImports(
  files: readonly ProjectFile[],
  table: readonly ImportRow[],
): ImportReport {
  const rules: Rules = {
    rows: new Map(table.map((row) => [row.folder, row])),
    owners: new Map(table.flatMap((row) => row.packages.map((name) => [name, row.folder]))),
    paths: new Set(files.map((file) => file.path)),
  };
  const problems: string[] = [];
  const edges = new Map<string, Set<string>>();
  let importsSeen = 0;
  for (const { path, text } of files) {
    if (!rules.rows.has(rowOf(path))) problems.push(`${path}:1: ${rowOf(path)} has no row`);
    if (posix.basename(path) === "index.ts") problems.push(`${path}:1: a barrel by its name`);
    const found = findImports(path, text);
    importsSeen += found.imports.length;
    for (const one of found.imports) {
      const problem = checkImport(path, one, rules);
      if (problem !== undefined) problems.push(`${path}:${one.line}: ${problem}`);
      addEdge(edges, path, one);
    }
    for (const line of found.passedOn) problems.push(`${path}:${line}: passes on an imported name`);
  }
  for (const circle of findCircles(edges))
    problems.push(`src: folders import in a circle: ${circle}`);
  return { filesSeen: files.length, importsSeen, problems };
}

/** What is wrong with the table itself when held against the files and package.json. */
export function checkTable(
  files: readonly ProjectFile[],
  table: readonly ImportRow[],
  dependencies: readonly string[],
): readonly string[] {
  const used = new Set(files.map((file) => rowOf(file.path)));
  const owned = table.flatMap((row) => row.packages);
  return [
    ...table.filter(({ folder }) => !used.has(folder)).map(({ folder }) => `${folder} has no file`),
    ...dependencies.filter((name) => !owned.includes(name)).map((name) => `${name} has no owner`),
    ...owned
      .filter((name) => !dependencies.includes(name))
      .map((name) => `${name} is owned but is no dependency`),
    ...owned
      .filter((name, index) => owned.indexOf(name) !== index)
      .map((name) => `${name} has two owners`),
  ];
}

function checkImport(path: string, found: FoundImport, rules: Rules): string | undefined {
  const { kind, specifier } = found;
  if (kind === "required" && path === starter) return undefined;
  if (kind === "required") return `require and reference are not used: ${specifier ?? "?"}`;
  if (kind === "re-export" && path.startsWith(published)) return undefined;
  // What a package is to the compiler: nothing of it runs.
  if (kind === "re-export" && path.endsWith(".d.ts")) return undefined;
  if (kind === "re-export") return `re-exports ${specifier ?? "?"}: every name has one home`;
  if (specifier === undefined) {
    return path === loader ? undefined : "imports a computed name, which nobody can check";
  }
  if (specifier.startsWith("node:")) return undefined;
  if (isBuiltin(specifier)) return `write node:${specifier}`;
  if (specifier.startsWith("./") || specifier.startsWith("../")) {
    return checkRelative(path, specifier, rules);
  }
  if (/^[#/.]|:/.test(specifier)) return `${specifier} is neither a relative path nor a package`;
  return checkPackage(path, specifier, rules.owners);
}

function checkRelative(path: string, specifier: string, rules: Rules): string | undefined {
  const target = targetOf(path, specifier);
  if (!target.endsWith(".ts")) return `${specifier} does not end in .ts`;
  if (!rules.paths.has(target)) return `${specifier} is no file of src`;
  const from = rowOf(path);
  const to = rowOf(target);
  if (from !== to) {
    return rules.rows.get(from)?.mayImport.has(to) === true
      ? undefined
      : `${from} may not import ${to} (${specifier})`;
  }
  const fromPart = subFolderOf(path);
  const toPart = subFolderOf(target);
  const crosses = fromPart !== undefined && toPart !== undefined && fromPart !== toPart;
  return separated.has(from) && crosses && toPart !== sharedPart
    ? `${from}/${fromPart} may not import ${to}/${toPart} (${specifier})`
    : undefined;
}

function checkPackage(
  path: string,
  specifier: string,
  owners: ReadonlyMap<string, string>,
): string | undefined {
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  const owner = owners.get(name);
  if (owner === undefined) return `package ${name} has no owning folder`;
  return owner === rowOf(path) ? undefined : `package ${name} belongs to ${owner}`;
}

function targetOf(path: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(path), specifier));
}

/** `src/engine/apply.ts` belongs to row `engine`, `src/main.ts` to row `main.ts`. */
function rowOf(path: string): string {
  return path.split("/")[1] ?? path;
}

/** `daemon` of `src/providers/daemon/session.ts`; undefined for a file right in the folder. */
function subFolderOf(path: string): string | undefined {
  const parts = path.split("/");
  return parts.length > 3 ? parts[2] : undefined;
}

/**
 * Records the import as an edge between two folders that share a parent. A folder and its own
 * sub-folder are one thing here: what circles inside it is between files, which the linter reports.
 */
function addEdge(edges: Map<string, Set<string>>, path: string, found: FoundImport): void {
  if (found.specifier?.startsWith(".") !== true) return;
  const from = path.split("/").slice(1, -1);
  const to = targetOf(path, found.specifier).split("/").slice(1, -1);
  const depth = from.findIndex((part, index) => part !== to[index]);
  if (depth === -1 || depth >= to.length) return;
  const source = from.slice(0, depth + 1).join("/");
  const target = to.slice(0, depth + 1).join("/");
  edges.set(source, (edges.get(source) ?? new Set()).add(target));
}

/** Circles of folders as `a -> b -> a`, each once, starting at its first name. */
function findCircles(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const circles = new Set<string>();
  const walk = (trail: readonly string[]): void => {
    for (const next of [...(edges.get(trail.at(-1) ?? "") ?? [])].toSorted()) {
      if (next === trail[0]) circles.add([...trail, next].join(" -> "));
      // Only names after the first: every circle is then found from one place alone.
      else if (next > (trail[0] ?? "") && !trail.includes(next)) walk([...trail, next]);
    }
  };
  for (const folder of [...edges.keys()].toSorted()) walk([folder]);
  return [...circles];
}
