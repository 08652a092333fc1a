/** One attribute as a plan shows it: symbol, name, value or difference, nested where it helps. */

import { diffLines } from "diff";
import {
  equalValues,
  isList,
  isMap,
  isUnknown,
  memberOf,
  type PlannedValue,
} from "../../model/value/value.ts";
import { quoteText } from "./safe-text.ts";
import { line, type Span, type StyledLine, span, type Tone } from "./styled-line.ts";
import {
  blockLines,
  blockMark,
  inlineValue,
  isBlockText,
  isPlainLine,
  keyText,
  sensitiveLiteral,
  unknownLiteral,
} from "./value-text.ts";

export type EditSymbol = "+" | "~" | "-" | " ";

/** A value that comes, goes or changes. List elements have no name. */
export type Edit = {
  readonly symbol: EditSymbol;
  readonly name?: string;
  readonly before: PlannedValue;
  readonly after: PlannedValue;
  readonly sensitive?: boolean;
  /** The expression whose value is known after apply, as written. */
  readonly template?: string;
  readonly forcesReplace?: boolean;
};

/** Columns: of the symbol, and of the value behind the name (0: right behind it). */
export type EditPlace = { readonly indent: number; readonly nameColumns: number };

/** Longest collection that is printed on one line. */
const inlineColumnsMax = 60;

const tones: { readonly [mark in EditSymbol]: Tone | undefined } = {
  "+": "add",
  "~": "change",
  "-": "delete",
  " ": undefined,
};

/** The edit that turns `before` into `after`; null stands for "not set". */
export function editOf(before: PlannedValue, after: PlannedValue, name?: string): Edit {
  const symbol = before === null ? "+" : after === null ? "-" : "~";
  return name === undefined ? { symbol, before, after } : { symbol, name, before, after };
}

export function editLines(edit: Edit, place: EditPlace): StyledLine[] {
  const { before, after, symbol } = edit;
  if (edit.sensitive === true) return [head(edit, place, sensitiveLiteral)];
  if (symbol === "~") {
    if (isText(before) && isText(after) && (before + after).includes("\n")) {
      return textDifference(edit, place, before, after);
    }
    if (isMap(before) && isMap(after)) return mapDifference(edit, place, before, after);
    if (isList(before) && isList(after)) return listDifference(edit, place, before, after);
    return [head(edit, place, `${inlineValue(before)} -> ${inlineValue(after)}`)];
  }
  return wholeValue(edit, place, symbol === "-" ? before : after);
}

/** A value that comes or goes as a whole: on one line, or as a block of its own lines. */
function wholeValue(edit: Edit, place: EditPlace, value: PlannedValue): StyledLine[] {
  const child = deeper(place);
  if (isBlockText(value)) {
    const lines = blockLines(value).map((text) => line([" ".repeat(child.indent + 2), text]));
    return [head(edit, place, blockMark(value)), ...lines];
  }
  const inline = inlineValue(value);
  const short = inline.length <= inlineColumnsMax;
  if (short || !(isMap(value) || isList(value))) {
    const ends = edit.symbol === "-" && edit.name !== undefined;
    return [head(edit, place, ends ? `${inline} -> null` : inline)];
  }
  const items = isList(value)
    ? value.map((item) => part(edit, item))
    : Object.entries(value).map(([name, item]) => part(edit, item, name));
  return [head(edit, place, ""), ...items.flatMap((item) => editLines(item, child))];
}

function part(edit: Edit, value: PlannedValue, name?: string): Edit {
  const { symbol } = edit;
  const values = symbol === "-" ? { before: value, after: null } : { before: null, after: value };
  return name === undefined ? { symbol, ...values } : { symbol, name, ...values };
}

function mapDifference(
  edit: Edit,
  place: EditPlace,
  before: { readonly [name: string]: PlannedValue },
  after: { readonly [name: string]: PlannedValue },
): StyledLine[] {
  const lines = [head(edit, place, "")];
  const child = deeper(place);
  let unchanged = 0;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, wanted] = [memberOf(before, name) ?? null, memberOf(after, name) ?? null];
    if (equalValues(old, wanted)) unchanged += 1;
    else lines.push(...editLines(editOf(old, wanted, name), child));
  }
  return [...lines, ...hidden(unchanged, "element", child.indent)];
}

/** Elements at both ends that stayed are hidden; those between are shown as they go and come. */
function listDifference(
  edit: Edit,
  place: EditPlace,
  before: readonly PlannedValue[],
  after: readonly PlannedValue[],
): StyledLine[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && same(before, after, start, start)) start += 1;
  let end = 0;
  const last = { before: before.length - 1, after: after.length - 1 };
  while (end < shorter - start && same(before, after, last.before - end, last.after - end))
    end += 1;
  const child = deeper(place);
  const gone = before.slice(start, before.length - end);
  const come = after.slice(start, after.length - end);
  const edits: Edit[] = [
    ...gone.map((item): Edit => ({ symbol: "-", before: item, after: null })),
    ...come.map((item): Edit => ({ symbol: "+", before: null, after: item })),
  ];
  const lines = edits.flatMap((item) => editLines(item, child));
  return [head(edit, place, ""), ...lines, ...hidden(start + end, "element", child.indent)];
}

function same(
  before: readonly PlannedValue[],
  after: readonly PlannedValue[],
  left: number,
  right: number,
): boolean {
  return equalValues(before[left] ?? null, after[right] ?? null);
}

/** Line by line; a line that would not look like what it is stands quoted. */
function textDifference(edit: Edit, place: EditPlace, before: string, after: string): StyledLine[] {
  const marks = [blockMark(before), blockMark(after)];
  const mark = marks[0] === marks[1] ? marks[0] : marks.join(" -> ");
  const lines = [head(edit, place, mark ?? "")];
  const child = deeper(place);
  for (const change of diffLines(endLine(before), endLine(after))) {
    const symbol = change.added ? "+" : change.removed ? "-" : " ";
    for (const text of blockLines(change.value)) {
      const shown = isPlainLine(text) ? text : quoteText(text);
      lines.push(line([...symbolSpans(symbol, child.indent), shown], child.indent + 2));
    }
  }
  return lines;
}

/** The end of the text is told by the block mark, so that one newline is not a changed line. */
function endLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function head(edit: Edit, place: EditPlace, value: string): StyledLine {
  const parts: (string | Span)[] = symbolSpans(edit.symbol, place.indent);
  if (edit.name !== undefined) {
    const name = `${keyText(edit.name)}:`;
    parts.push(value === "" ? name : `${name.padEnd(place.nameColumns)} `);
  }
  parts.push(value === "" && edit.name === undefined ? "-" : value);
  if (edit.template !== undefined && edit.sensitive !== true && value.includes(unknownLiteral)) {
    parts.push(span(` # ${edit.template}`, "muted"));
  }
  if (edit.forcesReplace === true) parts.push(span(" # forces replacement", "delete"));
  return line(parts, place.indent + 4);
}

function symbolSpans(symbol: EditSymbol, indent: number): (string | Span)[] {
  const tone = tones[symbol];
  return [" ".repeat(indent), tone === undefined ? symbol : span(symbol, tone), " "];
}

/** `# (2 unchanged attributes hidden)`, or nothing. */
export function hidden(count: number, noun: string, indent: number): StyledLine[] {
  if (count === 0) return [];
  const text = `# (${count} unchanged ${noun}${count === 1 ? "" : "s"} hidden)`;
  return [line([" ".repeat(indent + 2), span(text, "muted")], indent + 4)];
}

function deeper(place: EditPlace): EditPlace {
  return { indent: place.indent + 4, nameColumns: 0 };
}

function isText(value: PlannedValue): value is string {
  return typeof value === "string" && !isUnknown(value);
}
