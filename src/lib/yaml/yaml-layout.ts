/**
 * YAML with its layout made regular and nothing else: every line break, comment, anchor, quotation
 * and written text stays where it is. Indentation becomes two spaces a level (lists below their key
 * included), a gap within a line one space, a run of empty lines one; flow maps are padded.
 *
 * Works on the tokens of the text, since printing a parsed document moves comments and joins lines.
 */

import { type CST, Parser } from "yaml";
import { parseYaml, type YamlNode } from "./yaml.ts";

const step = 2;

/**
 * The text in regular layout, ending with a newline; a text without content becomes empty.
 * Undefined when the text has problems, or could not be laid out without changing what it says.
 */
export function layOutYaml(text: string): string | undefined {
  const before = parseYaml(text);
  if (before.problems.length > 0) return undefined;
  const laid = layOut(text);
  const after = parseYaml(laid);
  const same =
    after.problems.length === 0 &&
    sameNodes(before.documents, after.documents) &&
    sameTexts(commentsOf(text), commentsOf(laid)) &&
    layOut(laid) === laid;
  return same ? laid : undefined;
}

/** An open collection of the block style: where it stood, and where it stands now. */
type Level = { readonly was: number; readonly now: number };

type Printer = {
  readonly lines: string[];
  line: string;
  /** What the line ends with so far; decides on the gap behind it. */
  last: string | undefined;
  /** Column of the line when its first token comes. */
  indent: number;
  blank: boolean;
  readonly levels: Level[];
  /** Column of the closing bracket of each open flow collection. */
  readonly flows: number[];
};

function layOut(text: string): string {
  const printer: Printer = {
    lines: [],
    line: "",
    last: undefined,
    indent: 0,
    blank: false,
    levels: [],
    flows: [],
  };
  for (const token of new Parser().parse(text)) printToken(token, 0, printer);
  endLine(printer);
  return printer.lines.length === 0 ? "" : `${printer.lines.join("\n")}\n`;
}

/** `indent` is the column of the token when it begins a line. */
function printToken(token: CST.Token, indent: number, printer: Printer): void {
  switch (token.type) {
    case "document":
      printSources(token.start, 0, printer);
      if (token.value !== undefined) printToken(token.value, 0, printer);
      printSources(token.end, 0, printer);
      return;
    case "block-map":
    case "block-seq":
      printBlock(token, indent, printer);
      return;
    case "flow-collection":
      printFlow(token, indent, printer);
      return;
    case "block-scalar":
      printSources(token.props, indent, printer);
      printBlockText(token, printer);
      return;
    case "alias":
    case "scalar":
    case "single-quoted-scalar":
    case "double-quoted-scalar":
      printText(token.type, token.source, indent, printer);
      printSources(token.end, indent, printer);
      return;
    case "doc-end":
      write(token.type, token.source, 0, printer);
      printSources(token.end, 0, printer);
      return;
    default:
      if ("source" in token) printSource(token, indent, printer);
  }
}

function printSources(
  tokens: readonly CST.Token[] | undefined,
  indent: number,
  printer: Printer,
): void {
  for (const token of tokens ?? []) printToken(token, indent, printer);
}

function printSource(
  token: { readonly type: string; readonly source: string },
  indent: number,
  printer: Printer,
): void {
  switch (token.type) {
    case "space":
    case "byte-order-mark":
      return;
    case "newline":
      for (const _ of token.source.match(/\n/g) ?? []) newline(printer);
      return;
    case "comment":
      write("comment", token.source.trimEnd(), indent, printer);
      return;
    default:
      write(token.type, token.source, indent, printer);
  }
}

function printBlock(
  token: CST.BlockMap | CST.BlockSequence,
  indent: number,
  printer: Printer,
): void {
  printer.levels.push({ was: token.indent, now: indent });
  for (const item of token.items) {
    for (const source of item.start) {
      // A comment on a line of its own may belong to a collection around this one.
      const own = source.type === "comment" ? levelOf(source.indent, printer) : indent;
      printSource(source, own, printer);
    }
    if (item.key !== undefined && item.key !== null) {
      printToken(item.key, isExplicit(item) ? indent + step : indent, printer);
    }
    for (const source of item.sep ?? []) {
      printSource(source, separatorIndent(source, item, token.indent, printer), printer);
    }
    if (item.value !== undefined) printToken(item.value, indent + step, printer);
  }
  printer.levels.pop();
}

/**
 * The `:` of an explicit key stands below its `?`. All else between a key and its value is as far
 * in as the value; comments behind a key without one may belong to what follows.
 */
function separatorIndent(
  source: CST.SourceToken,
  item: CST.CollectionItem,
  was: number,
  printer: Printer,
): number {
  const own = printer.levels.at(-1)?.now ?? 0;
  if (source.type === "map-value-ind") return own;
  const follows = source.type === "comment" && item.value === undefined && source.indent <= was;
  return follows ? levelOf(source.indent, printer) : own + step;
}

function isExplicit(item: CST.CollectionItem): boolean {
  return item.start.some(({ type }) => type === "explicit-key-ind");
}

function levelOf(column: number, printer: Printer): number {
  return printer.levels.findLast(({ was }) => was <= column)?.now ?? 0;
}

function printFlow(token: CST.FlowCollection, indent: number, printer: Printer): void {
  printSource(token.start, indent, printer);
  // Below a key, the closing bracket must be further in than the key.
  const block = printer.levels.at(-1);
  const least = block === undefined || printer.flows.length > 0 ? 0 : block.now + step;
  const close = Math.max(printer.indent, least);
  printer.flows.push(close);
  for (const { start, key, sep, value } of token.items) {
    printSources(start, close + step, printer);
    if (key !== undefined && key !== null) printToken(key, close + step, printer);
    printSources(sep, close + step, printer);
    if (value !== undefined) printToken(value, close + step, printer);
  }
  printer.flows.pop();
  printSources(token.end, close, printer);
}

/** Lines after the first of a plain or quoted text; what indents them is no part of the text. */
function printText(type: string, source: string, indent: number, printer: Printer): void {
  const [first = "", ...more] = source.split(/\r?\n/);
  write(type, first, indent, printer);
  const own = (printer.flows.at(-1) ?? printer.levels.at(-1)?.now ?? 0) + step;
  for (const text of more) {
    const content = text.replace(/^[ \t]+/, "");
    printer.lines.push(printer.line);
    printer.line = content === "" ? "" : " ".repeat(own) + content;
  }
}

/** The lines of a block scalar, further in or out as a whole. Its line is ended already. */
function printBlockText(token: CST.BlockScalar, printer: Printer): void {
  const lines = token.source.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const header = token.props.find(isHeader)?.source ?? "";
  const given = /[1-9]/.exec(header)?.[0];
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const was =
    given === undefined ? first.length - first.trimStart().length : token.indent + Number(given);
  const now = " ".repeat((printer.levels.at(-1)?.now ?? 0) + step);
  endLine(printer);
  const at = printer.lines.length - 1;
  if (given !== undefined) {
    printer.lines[at] = (printer.lines[at] ?? "").replace(header, header.replace(given, "2"));
  }
  for (const line of lines) {
    const content = line.slice(was);
    printer.lines.push(line.trim() === "" && content === "" ? "" : now + content);
  }
}

function isHeader(token: CST.Token): token is CST.SourceToken {
  return token.type === "block-scalar-header";
}

function newline(printer: Printer): void {
  if (printer.line === "") printer.blank = true;
  else endLine(printer);
}

function endLine(printer: Printer): void {
  if (printer.line !== "") printer.lines.push(printer.line);
  printer.line = "";
  printer.last = undefined;
}

function write(type: string, text: string, indent: number, printer: Printer): void {
  if (printer.line === "") {
    if (printer.blank && printer.lines.length > 0) printer.lines.push("");
    printer.blank = false;
    printer.indent = indent;
    printer.line = " ".repeat(indent) + text;
  } else {
    printer.line += (isTight(printer.last, type) ? "" : " ") + text;
  }
  printer.last = type;
}

/** Whether two neighbours stand without a space between them. */
function isTight(last: string | undefined, next: string): boolean {
  if (next === "comment") return false;
  switch (next) {
    case "comma":
      return true;
    case "map-value-ind":
      // A colon right behind an alias or an anchor would be part of its name.
      return last !== "alias" && last !== "anchor" && last !== "tag" && !isOpening(last);
    case "flow-seq-end":
      return true;
    case "flow-map-end":
      return last === "flow-map-start";
    default:
      return last === "flow-seq-start";
  }
}

function isOpening(type: string | undefined): boolean {
  return type === "flow-map-start" || type === "comma" || type === "explicit-key-ind";
}

/** All comments, in order. */
function commentsOf(text: string): readonly string[] {
  const comments: string[] = [];
  const stack: unknown[] = [...new Parser().parse(text)].toReversed();
  for (let token = stack.pop(); token !== undefined; token = stack.pop()) {
    if (typeof token !== "object" || token === null) continue;
    if (isComment(token)) comments.push(token.source.trimEnd());
    else stack.push(...Object.values(token).toReversed());
  }
  return comments;
}

function isComment(token: object): token is { readonly source: string } {
  return "type" in token && token.type === "comment" && "source" in token;
}

function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}

/** Aliased nodes are shared, so each pair is compared once. */
function sameNodes(left: readonly YamlNode[], right: readonly YamlNode[]): boolean {
  const equal = new Map<YamlNode, YamlNode>();
  const stack: (readonly [YamlNode | undefined, YamlNode | undefined])[] = pairs(left, right);
  if (left.length !== right.length) return false;
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [a, b] = pair;
    if (a === undefined || b === undefined || a.kind !== b.kind) return false;
    if (equal.get(a) === b) continue;
    equal.set(a, b);
    if (a.kind === "scalar") {
      if (b.kind !== "scalar" || a.text !== b.text || a.plain !== b.plain) return false;
    } else if (a.kind === "list") {
      if (b.kind !== "list" || a.items.length !== b.items.length) return false;
      stack.push(...pairs(a.items, b.items));
    } else {
      if (b.kind !== "map" || a.entries.length !== b.entries.length) return false;
      stack.push(...pairs(a.entries.map(keyOf), b.entries.map(keyOf)));
      stack.push(...pairs(a.entries.map(valueOf), b.entries.map(valueOf)));
    }
  }
  return true;
}

function pairs(
  left: readonly YamlNode[],
  right: readonly YamlNode[],
): (readonly [YamlNode | undefined, YamlNode | undefined])[] {
  return left.map((node, index) => [node, right[index]] as const);
}

function keyOf({ key }: { readonly key: YamlNode }): YamlNode {
  return key;
}

function valueOf({ value }: { readonly value: YamlNode }): YamlNode {
  return value;
}
