/**
 * YAML 1.2 as a tree of written texts with places. Nothing is typed here: `on`, `0123` and `5.10`
 * stay as written, and whoever knows what a place wants decides. Aliases are shared nodes, not
 * copies; merge keys (`<<`) are applied. The only user of the `yaml` package.
 *
 * The package itself would throw on an unknown alias, compare the keys of a map pairwise, count
 * aliases instead of what they expand to, and run out of stack (in its regular expressions even out
 * of the process) on deep nesting; each of these is done here instead.
 */

import {
  type Alias,
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  Parser,
  type YAMLError,
  type YAMLMap,
} from "yaml";

export type YamlScalar = {
  readonly kind: "scalar";
  /** The written text of a plain scalar, the meaning of a quoted or block one. */
  readonly text: string;
  /** Neither quoted nor a block scalar. An empty place is a plain scalar with an empty text. */
  readonly plain: boolean;
  /** Offsets in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
};
export type YamlList = {
  readonly kind: "list";
  readonly items: readonly YamlNode[];
  readonly start: number;
  readonly end: number;
};
export type YamlEntry = { readonly key: YamlScalar; readonly value: YamlNode };
export type YamlMap = {
  readonly kind: "map";
  /** Without duplicates; entries of merge keys included. */
  readonly entries: readonly YamlEntry[];
  readonly start: number;
  readonly end: number;
};
export type YamlNode = YamlScalar | YamlList | YamlMap;

/** Undefined where the node is no map, or has no such member. */
export function memberNode(node: YamlNode | undefined, name: string): YamlNode | undefined {
  return memberEntry(node, name)?.value;
}

/** The same with its key, which has a place of its own. */
export function memberEntry(node: YamlNode | undefined, name: string): YamlEntry | undefined {
  return node?.kind === "map" ? node.entries.find(({ key }) => key.text === name) : undefined;
}

export type YamlProblem = {
  readonly kind:
    | "syntax"
    | "tab"
    | "unclosed"
    | "duplicate-key"
    | "unknown-alias"
    | "alias-in-itself"
    | "alias-size"
    | "bad-merge"
    | "tag"
    | "key-not-text"
    | "too-deep";
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** Where the same key stands for the first time. */
  readonly first?: number;
};

export type ParsedYaml = {
  /** Non-empty documents of the stream, in order. Meaningless where there are problems. */
  readonly documents: readonly YamlNode[];
  readonly problems: readonly YamlProblem[];
};

export type YamlLimits = { readonly depth: number; readonly aliasNodes: number };

/** Deep enough for any configuration by hand; nodes as expanded by aliases, not aliases. */
const defaultYamlLimits: YamlLimits = { depth: 100, aliasNodes: 1_000_000 };

const textTag = "tag:yaml.org,2002:str";

/** Parses every document of a text. Reports all problems, in the order of the text; no throw. */
export function parseYaml(text: string, limits: YamlLimits = defaultYamlLimits): ParsedYaml {
  const tokens = [...new Parser().parse(text)];
  const deep = tokens.map((token) => tooDeep(token, limits.depth)).find((at) => at !== undefined);
  if (deep !== undefined) {
    const message = `More than ${limits.depth} levels of lists and maps are nested here`;
    return { documents: [], problems: [{ kind: "too-deep", message, start: deep, end: deep + 1 }] };
  }
  const composer = new Composer({
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const documents: YamlNode[] = [];
  const problems: YamlProblem[] = [];
  let unclosed: readonly number[] | undefined;
  const openings = (): readonly number[] => (unclosed ??= unclosedOffsets(tokens));
  for (const document of composer.compose(tokens, false, text.length)) {
    const found = [...document.errors, ...document.warnings];
    problems.push(...found.map((error) => toProblem(error, openings)));
    const node = convertDocument(document, problems, limits);
    if (node !== undefined) documents.push(node);
  }
  return { documents, problems: problems.toSorted((a, b) => a.start - b.start) };
}

/** Offset of the first token nested deeper than `limit`; iterative, since depth is the point. */
function tooDeep(root: CST.Token, limit: number): number | undefined {
  const stack: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.depth > limit) return top.token.offset;
    if (top.token.type === "document") {
      if (top.token.value !== undefined) stack.push({ token: top.token.value, depth: top.depth });
    } else if (CST.isCollection(top.token)) {
      for (const item of top.token.items) {
        for (const token of [item.key, item.value]) {
          if (token !== undefined && token !== null) stack.push({ token, depth: top.depth + 1 });
        }
      }
    }
  }
  return undefined;
}

function toProblem(error: YAMLError, openings: () => readonly number[]): YamlProblem {
  const { code, message } = error;
  const [start, end] = error.pos;
  // A missing end is reported at its beginning: the parser notices it where the text ends.
  if (message.startsWith("Missing closing") || / end with a [\]}]/.test(message)) {
    const opening = lastUpTo(openings(), start);
    if (opening !== undefined) {
      return { kind: "unclosed", message, start: opening, end: opening + 1 };
    }
  }
  const kind = code === "TAB_AS_INDENT" ? "tab" : code === "TAG_RESOLVE_FAILED" ? "tag" : "syntax";
  return { kind, message, start, end: Math.max(end, start + 1) };
}

/** Offsets of quotes and brackets that are never closed, ascending; iterative. */
function unclosedOffsets(tokens: readonly CST.Token[]): readonly number[] {
  const offsets: number[] = [];
  const stack: CST.Token[] = [...tokens];
  for (let token = stack.pop(); token !== undefined; token = stack.pop()) {
    if (token.type === "document") {
      if (token.value !== undefined) stack.push(token.value);
    } else if (CST.isCollection(token)) {
      if (token.type === "flow-collection" && !isClosed(token)) offsets.push(token.offset);
      for (const { key, value } of token.items) {
        if (key !== undefined && key !== null) stack.push(key);
        if (value !== undefined) stack.push(value);
      }
    } else if (isOpenQuote(token)) {
      offsets.push(token.offset);
    }
  }
  return offsets.toSorted((a, b) => a - b);
}

function lastUpTo(ascending: readonly number[], limit: number): number | undefined {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return ascending[low - 1];
}

function isClosed(collection: CST.FlowCollection): boolean {
  return collection.end.some(({ type }) => type === "flow-map-end" || type === "flow-seq-end");
}

function isOpenQuote(token: CST.Token): boolean {
  if (token.type !== "double-quoted-scalar" && token.type !== "single-quoted-scalar") return false;
  const quote = token.type === "double-quoted-scalar" ? '"' : "'";
  return token.source.length < 2 || !token.source.endsWith(quote);
}

type Anchor = { readonly node: YamlNode; readonly nodes: number };

type Conversion = {
  readonly problems: YamlProblem[];
  readonly limits: YamlLimits;
  readonly anchors: Map<string, Anchor | "open">;
  /** Nodes so far, aliases counted as what they stand for. */
  nodes: number;
  /** Of these, nodes that exist only through aliases. */
  aliasNodes: number;
  overflowed: boolean;
};

function convertDocument(
  document: Document.Parsed<ParsedNode, false> | Document.Parsed,
  problems: YamlProblem[],
  limits: YamlLimits,
): YamlNode | undefined {
  const contents = document.contents;
  if (contents === null) return undefined;
  if (isScalar(contents) && contents.source === "" && contents.type === "PLAIN") return undefined;
  const conversion: Conversion = {
    problems,
    limits,
    anchors: new Map(),
    nodes: 0,
    aliasNodes: 0,
    overflowed: false,
  };
  return convert(contents, conversion);
}

function convert(node: unknown, conversion: Conversion): YamlNode {
  if (isAlias(node)) return convertAlias(node, conversion);
  const before = conversion.nodes;
  conversion.nodes += 1;
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return emptyScalar(0);
  const [start, end] = node.range ?? [0, 0];
  const anchor = node.anchor;
  if (anchor !== undefined) conversion.anchors.set(anchor, "open");
  const quoted = node.tag === textTag;
  let converted: YamlNode;
  if (isMap(node)) {
    converted = { kind: "map", entries: convertEntries(node, conversion), start, end };
  } else if (isSeq(node)) {
    const items = node.items.map((item) => convert(item, conversion));
    converted = { kind: "list", items, start, end };
  } else {
    const plain = node.type === "PLAIN" && !quoted;
    const text = typeof node.value === "string" ? node.value : (node.source ?? "");
    converted = { kind: "scalar", text, plain, start, end };
  }
  if (anchor !== undefined) {
    conversion.anchors.set(anchor, { node: converted, nodes: conversion.nodes - before });
  }
  return converted;
}

function convertAlias(alias: Alias, conversion: Conversion): YamlNode {
  const [start, end] = alias.range ?? [0, 0];
  const anchor = conversion.anchors.get(alias.source);
  const report = (kind: YamlProblem["kind"], message: string): YamlNode => {
    conversion.problems.push({ kind, message, start, end });
    return emptyScalar(start);
  };
  if (anchor === undefined) return report("unknown-alias", alias.source);
  if (anchor === "open") return report("alias-in-itself", alias.source);
  conversion.nodes += anchor.nodes;
  conversion.aliasNodes += anchor.nodes;
  if (conversion.aliasNodes > conversion.limits.aliasNodes) {
    if (conversion.overflowed) return emptyScalar(start);
    conversion.overflowed = true;
    return report("alias-size", alias.source);
  }
  return anchor.node;
}

function convertEntries(map: YAMLMap, conversion: Conversion): readonly YamlEntry[] {
  const explicit = new Map<string, YamlEntry>();
  const merges: YamlNode[] = [];
  for (const pair of map.items) {
    const key = convertKey(pair.key, conversion);
    const value =
      pair.value === null ? emptyScalar(key?.end ?? 0) : convert(pair.value, conversion);
    if (key === undefined) continue;
    if (key.plain && key.text === "<<") {
      merges.push(value);
      continue;
    }
    const first = explicit.get(key.text);
    if (first === undefined) explicit.set(key.text, { key, value });
    else {
      const { start, end } = key;
      const position = { start, end, first: first.key.start };
      conversion.problems.push({ kind: "duplicate-key", message: key.text, ...position });
    }
  }
  return merges.length === 0
    ? [...explicit.values()]
    : mergeEntries(explicit, merges, conversion.problems);
}

/** Explicit keys win over merged ones, an earlier merge source over a later one. */
function mergeEntries(
  explicit: ReadonlyMap<string, YamlEntry>,
  merges: readonly YamlNode[],
  problems: YamlProblem[],
): readonly YamlEntry[] {
  const merged = new Map(explicit);
  for (const source of merges.flatMap((node) => (node.kind === "list" ? node.items : [node]))) {
    if (source.kind !== "map") {
      const { start, end } = source;
      problems.push({ kind: "bad-merge", message: "`<<` takes a map", start, end });
      continue;
    }
    for (const entry of source.entries) {
      if (!merged.has(entry.key.text)) merged.set(entry.key.text, entry);
    }
  }
  return [...merged.values()];
}

function convertKey(key: unknown, conversion: Conversion): YamlScalar | undefined {
  if (key === null) return emptyScalar(0);
  const node = convert(key, conversion);
  if (node.kind === "scalar") return node;
  const { start, end } = node;
  conversion.problems.push({ kind: "key-not-text", message: "a key is a text", start, end });
  return undefined;
}

function emptyScalar(at: number): YamlScalar {
  return { kind: "scalar", text: "", plain: true, start: at, end: at };
}
