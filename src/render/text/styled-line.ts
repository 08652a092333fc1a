/**
 * Lines of toned text, and the one place where they become characters: escaping, wrapping and
 * colour happen here, so no caller can let a control character or an escape code through.
 */

import { styleText } from "node:util";
import type { RenderOptions } from "./render-options.ts";
import { escapeControls } from "./safe-text.ts";
import { unbrokenStretches } from "./unbroken.ts";

export type Tone = "add" | "change" | "delete" | "strong" | "muted" | "warning" | "error";

export type Span = { readonly text: string; readonly tone?: Tone };

export type StyledLine = {
  readonly spans: readonly Span[];
  /** Columns by which the continuation of a wrapped line is indented. */
  readonly hanging: number;
};

/** One line of spans; plain strings have no tone. Newlines inside become `\n`. */
export function line(parts: readonly (string | Span)[], hanging = 4): StyledLine {
  return {
    spans: parts.map((part) => (typeof part === "string" ? { text: part } : part)),
    hanging,
  };
}

export function textLine(text: string, tone?: Tone, hanging = 4): StyledLine {
  return line([tone === undefined ? text : { text, tone }], hanging);
}

export function span(text: string, tone: Tone): Span {
  return { text, tone };
}

export const emptyLine: StyledLine = { spans: [], hanging: 0 };

/** Sections with an empty line between each two; empty sections vanish. */
export function joinSections(sections: readonly (readonly StyledLine[])[]): StyledLine[] {
  const lines: StyledLine[] = [];
  for (const section of sections) {
    if (section.length === 0) continue;
    if (lines.length > 0) lines.push(emptyLine);
    lines.push(...section);
  }
  return lines;
}

/** The text of the lines, joined by newlines, without one at the end. */
export function renderLines(lines: readonly StyledLine[], options: RenderOptions): string {
  return lines.map((styled) => renderLine(styled, options)).join("\n");
}

const styles: { readonly [tone in Tone]: "green" | "yellow" | "red" | "bold" | "dim" } = {
  add: "green",
  change: "yellow",
  delete: "red",
  strong: "bold",
  muted: "dim",
  warning: "yellow",
  error: "red",
};

function renderLine(styled: StyledLine, options: RenderOptions): string {
  const spans = styled.spans.map((part) => ({ ...part, text: escapeControls(part.text) }));
  const rows = options.width === undefined ? [spans] : wrap(spans, styled.hanging, options.width);
  return rows.map((row) => paint(row, options.color)).join("\n");
}

function paint(spans: readonly Span[], color: boolean): string {
  return spans
    .map(({ text, tone }) => {
      if (!color || tone === undefined || text === "") return text;
      return styleText(styles[tone], text, { validateStream: false });
    })
    .join("");
}

/** One character as the eye sees it, with its columns on a terminal. */
type Cell = {
  readonly text: string;
  readonly columns: number;
  readonly tone?: Tone;
  /** The one behind it belongs to the same command, or whatever else is to be pasted. */
  readonly glued: boolean;
};

type Measure = { readonly segmenter: Intl.Segmenter; readonly wide: RegExp };

let made: Measure | undefined;

/** Made when first needed: it costs as much as a small plan, and most text is ASCII. */
function measure(): Measure {
  made ??= {
    segmenter: new Intl.Segmenter("en", { granularity: "grapheme" }),
    wide: new RegExp(
      String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]|` +
        String.raw`[\uFF01-\uFF60\u3001-\u303E]|\p{Emoji_Presentation}`,
      "u",
    ),
  };
  return made;
}

/** Columns a text takes on a terminal: two for East Asian wide characters and emoji. */
export function displayColumns(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  const { segmenter, wide } = measure();
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += wide.test(segment) ? 2 : 1;
  return columns;
}

/**
 * Breaks at the last space that fits, else inside a long value; never inside what is to be pasted,
 * which the terminal then wraps, and copies as one line.
 */
function wrap(spans: readonly Span[], hanging: number, width: number): Span[][] {
  const total = spans.reduce((sum, part) => sum + displayColumns(part.text), 0);
  if (total <= width) return [[...spans]];
  const indentMax = Math.floor(width / 2);
  const indent = Math.min(hanging, indentMax);
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let columns = 0;
  let breakAt = 0;
  const cells = cellsOf(spans);
  for (const cell of cells.slice(Math.max(0, leadingSpaces(cells) - indentMax))) {
    const inside = breakAt === 0 && row.at(-1)?.glued === true;
    if (columns + cell.columns > width && row.length > leadingSpaces(row) && !inside) {
      const rest = row.splice(breakAt === 0 ? row.length : breakAt);
      rows.push(row);
      row = [...indentCells(indent), ...rest.slice(leadingSpaces(rest))];
      columns = row.reduce((sum, item) => sum + item.columns, 0);
      breakAt = 0;
    }
    if (cell.text === " " && rows.length > 0 && row.length === indent) continue;
    row.push(cell);
    columns += cell.columns;
    // Moving what follows must make room: a break left of the hanging indent would not.
    if (
      cell.text === " " &&
      !cell.glued &&
      columns > indent + 2 &&
      row.length > leadingSpaces(row)
    ) {
      breakAt = row.length;
    }
  }
  rows.push(row);
  return rows.map((wrapped) => spansOf(trimEnd(wrapped)));
}

function cellsOf(spans: readonly Span[]): Cell[] {
  const cells: Cell[] = [];
  const stretches = unbrokenStretches(spans.map(({ text }) => text).join(""));
  let offset = 0;
  let at = 0;
  for (const { text, tone } of spans) {
    for (const { segment } of measure().segmenter.segment(text)) {
      offset += segment.length;
      while ((stretches[at]?.end ?? Infinity) <= offset) at += 1;
      const glued = offset > (stretches[at]?.start ?? Infinity);
      const cell = { text: segment, columns: displayColumns(segment), glued };
      cells.push(tone === undefined ? cell : { ...cell, tone });
    }
  }
  return cells;
}

function spansOf(cells: readonly Cell[]): Span[] {
  const spans: Span[] = [];
  for (const { text, tone } of cells) {
    const last = spans.at(-1);
    if (last !== undefined && last.tone === tone) {
      spans[spans.length - 1] = { ...last, text: last.text + text };
    } else {
      spans.push(tone === undefined ? { text } : { text, tone });
    }
  }
  return spans;
}

function indentCells(count: number): Cell[] {
  return Array.from({ length: count }, () => ({ text: " ", columns: 1, glued: false }));
}

function leadingSpaces(cells: readonly Cell[]): number {
  const at = cells.findIndex((cell) => cell.text !== " ");
  return at === -1 ? cells.length : at;
}

function trimEnd(cells: readonly Cell[]): readonly Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === " ") end -= 1;
  return cells.slice(0, end);
}
