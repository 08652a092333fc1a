/** One attribute as a plan shows it: symbol, name, value or difference, nested where it helps. */

import {
  isList,
  isMap,
  isUnknown,
  memberOf,
  type PlannedValue,
} from "../../../model/value/value.ts";
import { quoteText } from "../safe-text.ts";
import { line, type Span, type StyledLine, span, type Tone } from "../styled-line.ts";
import { itemEdits, lineChanges, memberEdits } from "./differences.ts";
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

/** A value that comes, goes or changes. List elements have no name, but may have a label. */
export type Edit = {
  readonly symbol: EditSymbol;
  readonly name?: string;
  /** In place of a name, as it is: `[2]`. */
  readonly label?: string;
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
  const child = deeper(place);
  const { names, unchanged } = memberEdits(before, after);
  const lines = names.flatMap((name) =>
    editLines(editOf(memberOf(before, name) ?? null, memberOf(after, name) ?? null, name), child),
  );
  return [head(edit, place, ""), ...lines, ...hidden(unchanged, "element", child.indent)];
}

/** By item: what comes, goes, moves or changes within; what stays is counted. */
function listDifference(
  edit: Edit,
  place: EditPlace,
  before: readonly PlannedValue[],
  after: readonly PlannedValue[],
): StyledLine[] {
  const child = deeper(place);
  const { items, unchanged } = itemEdits(before, after);
  const lines = items.flatMap((item) => {
    if (item.kind === "moved") {
      const where = span(` # moved from [${item.from}] to [${item.to}]`, "muted");
      const spans = [...symbolSpans("~", child.indent), inlineValue(item.value), where];
      return [line(spans, child.indent + 4)];
    }
    if (item.kind === "changed") {
      const { before: old, after: wanted, at } = item;
      return editLines({ symbol: "~", label: `[${at}]`, before: old, after: wanted }, child);
    }
    return editLines(
      item.kind === "gone" ? editOf(item.value, null) : editOf(null, item.value),
      child,
    );
  });
  return [head(edit, place, ""), ...lines, ...hidden(unchanged, "element", child.indent)];
}

/** Unchanged lines around those that differ. */
const contextLines = 3;

/** Line by line; a line that would not look like what it is stands quoted. */
function textDifference(edit: Edit, place: EditPlace, before: string, after: string): StyledLine[] {
  const marks = [blockMark(before), blockMark(after)];
  const mark = marks[0] === marks[1] ? marks[0] : marks.join(" -> ");
  const lines = [head(edit, place, mark ?? "")];
  const child = deeper(place);
  const drawn = (symbol: EditSymbol, text: string): StyledLine => {
    const shown = isPlainLine(text) ? text : quoteText(text);
    return line([...symbolSpans(symbol, child.indent), shown], child.indent + 2);
  };
  const parts = lineChanges(endLine(before), endLine(after));
  for (const [index, { symbol, text }] of parts.entries()) {
    const all = blockLines(text).map((one) => drawn(symbol, one));
    if (symbol !== " ") {
      lines.push(...all);
      continue;
    }
    const first = index === 0 ? 0 : contextLines;
    const last = index === parts.length - 1 ? 0 : contextLines;
    const left = all.length - first - last;
    // A line in place of one line would tell less.
    if (left <= 1) lines.push(...all);
    else {
      const behind = all.slice(all.length - last);
      lines.push(...all.slice(0, first), ...hidden(left, "line", child.indent), ...behind);
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
  const named = edit.name === undefined ? edit.label : keyText(edit.name);
  if (named !== undefined) {
    const name = `${named}:`;
    parts.push(value === "" ? name : `${name.padEnd(place.nameColumns)} `);
  }
  parts.push(value === "" && named === undefined ? "-" : value);
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
