/**
 * Plain YAML 1.2 for files that hold data only (no expressions): values as JavaScript data, and the
 * place of any part for messages. Refuses what is easy to get wrong: duplicate keys, unknown tags,
 * several documents, and keys that are not text (an unquoted `0123` would lose its zero).
 */

import type { Document, Pair } from "yaml";
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
} from "yaml";

/** Member names and list positions from the root of a document to one of its parts. */
export type DataPath = readonly (string | number)[];

export type PlainYaml = {
  readonly value: unknown;
  /** `file:line:column` of a part, or of its nearest container that is written down. */
  readonly place: (path: DataPath) => string;
};

/** Text that is not acceptable YAML; the message has one line `file:line:column: cause` each. */
export class PlainYamlError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "PlainYamlError";
    this.problems = problems;
  }
}

/** Value of one YAML document; an empty text is `null`. Throws `PlainYamlError`. */
export function parsePlainYaml(text: string, file: string): PlainYaml {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    version: "1.2",
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const documents: readonly Document[] = "empty" in parsed ? [] : parsed;
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [document, second] = documents;
  if (document === undefined) return { value: null, place: () => `${file}:1:1` };
  const problems = [...document.errors, ...document.warnings].map(
    (problem) => `${place(problem.pos[0])}: ${problem.message}`,
  );
  for (const [offset, cause] of findUnclearKeys(document)) {
    problems.push(`${place(offset)}: ${cause}`);
  }
  if (second !== undefined) {
    problems.push(`${place(second.range?.[0] ?? 0)}: only one document is expected`);
  }
  if (problems.length > 0) throw new PlainYamlError(problems);
  return {
    value: toData(document, file),
    place: (path) => place(findOffset(document, path)),
  };
}

function toData(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // The only failure after a clean parse: the package's limit on alias expansion.
    if (error instanceof ReferenceError) {
      throw new PlainYamlError([`${file}:1:1: ${error.message}`]);
    }
    throw error;
  }
}

function findUnclearKeys(document: Document): readonly (readonly [number, string])[] {
  const found: (readonly [number, string])[] = [];
  visit(document, {
    Pair(_key, pair: Pair) {
      const key = pair.key;
      if (isScalar(key) && typeof key.value === "string") return;
      const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
      const text = isScalar(key) ? (key.source ?? String(key.value)) : "";
      found.push([offset, text === "" ? "a key must be text" : `quote the key ${text}`]);
    },
  });
  return found;
}

function findOffset(document: Document, path: DataPath): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(
        (item) => isScalar(item.key) && item.key.value === step,
      );
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
      continue;
    }
    const item: unknown = isSeq(node) ? node.items[Number(step)] : undefined;
    if (item === undefined) break;
    offset = startOf(item) ?? offset;
    node = item;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
