/**
 * A diagnostic for people: place, summary and code, the line with a caret, cause and fix.
 *
 *     main.vmform.yaml:4:12: error: Not one of the allowed words (CFG016)
 *       4 |     power: true
 *         |            ^
 *     true is not one of the words on, off, suspended or paused.
 *     Write on or off.
 */

import type { Diagnostic, SourcePosition } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import type { RenderOptions } from "./render-options.ts";
import { escapeControls } from "./safe-text.ts";
import {
  displayColumns,
  emptyLine,
  line,
  renderLines,
  type StyledLine,
  span,
  textLine,
} from "./styled-line.ts";

/** Columns of an excerpt when the output is piped: a file of one line is not printed whole. */
const excerptColumnsMax = 160;
const excerptColumnsMin = 10;

/** The text without a newline at the end. */
export function diagnosticText(diagnostic: Diagnostic, options: RenderOptions): string {
  return renderLines(diagnosticLines(diagnostic, options), options);
}

/**
 * Several diagnostics with an empty line between each two, without a newline at the end. What holds
 * for several objects alike, such as an endpoint that does not answer, stands there once; problems
 * of the configuration never, since each has a place of its own to mend.
 */
export function diagnosticsText(
  diagnostics: readonly Diagnostic[],
  options: RenderOptions,
): string {
  const lines = groupAlike(diagnostics).flatMap(({ first, addresses }, index) => {
    const own = diagnosticLines(first, options, addresses);
    return index === 0 ? own : [emptyLine, ...own];
  });
  return renderLines(lines, options);
}

const configurationPrefix = "CFG0";

/** A diagnostic, and all addresses for which the same was said. */
type Alike = { readonly first: Diagnostic; readonly addresses: readonly Address[] };

function groupAlike(diagnostics: readonly Diagnostic[]): readonly Alike[] {
  const groups = new Map<string, { first: Diagnostic; addresses: Address[] }>();
  diagnostics.forEach((diagnostic, index) => {
    const { severity, code, summary, detail, fix, address } = diagnostic;
    const key =
      address === undefined || code.startsWith(configurationPrefix)
        ? String(index)
        : JSON.stringify([severity, code, summary, detail, fix ?? null]);
    const group = groups.get(key) ?? { first: diagnostic, addresses: [] };
    const isNew = address !== undefined && !group.addresses.includes(address);
    if (isNew) group.addresses.push(address);
    groups.set(key, group);
  });
  return [...groups.values()];
}

function diagnosticLines(
  diagnostic: Diagnostic,
  options: RenderOptions,
  alike: readonly Address[] = [],
): readonly StyledLine[] {
  const { severity, code, summary, detail, fix, source, address } = diagnostic;
  const where =
    source === undefined ? [] : [`${source.file}:${source.line}:${source.column}:`, " "];
  const head = [
    ...where,
    span(`${severity}:`, severity),
    " ",
    span(summary, "strong"),
    ` (${code})`,
  ];
  const several = alike.length > 1;
  const named = address === undefined || several || detail.includes(address);
  const subject = named ? "" : `${address}: `;
  const all = several ? [`This holds for ${alike.length} objects: ${addressesText(alike)}.`] : [];
  return [
    line(head, 2),
    ...(source === undefined ? [] : excerptLines(source, options)),
    textLine(`${subject}${detail}`, undefined, 2),
    ...all.map((text) => textLine(text, undefined, 2)),
    ...(fix === undefined ? [] : [textLine(fix, undefined, 2)]),
  ];
}

/** The line and a caret under the column; nothing when the line is not to be shown. */
function excerptLines(source: SourcePosition, options: RenderOptions): readonly StyledLine[] {
  if (source.text.trim() === "") return [];
  const number = String(source.line);
  const margin = 2 + number.length + 3;
  const room = Math.max((options.width ?? excerptColumnsMax) - margin, excerptColumnsMin);
  const { text, caret, marked } = excerpt(source, room);
  return [
    line(["  ", span(number, "muted"), span(" | ", "muted"), text], margin),
    line(
      [
        " ".repeat(2 + number.length),
        span(" | ", "muted"),
        `${" ".repeat(caret)}${"^".repeat(marked)}`,
      ],
      margin,
    ),
  ];
}

/** A stretch of the line around the column, at most `room` columns, and the column of the caret. */
function excerpt(
  source: SourcePosition,
  room: number,
): { readonly text: string; readonly caret: number; readonly marked: number } {
  // Beyond these, the characters cannot be in the excerpt, and a line may be as long as a file.
  const all = Array.from(source.text.slice(0, source.column * 2 + room));
  const at = Math.min(source.column - 1, all.length);
  const start = Math.max(0, at - room);
  const before = escapeTabs(all.slice(start, at).join(""));
  const after = escapeTabs(all.slice(at, at + room).join(""));
  const whole = start === 0 ? before : `…${before}`;
  const space = room - Math.min(displayColumns(after), Math.floor(room / 2)) - 1;
  const left = displayColumns(whole) <= space ? whole : `…${lastColumns(before, space - 1)}`;
  const caret = displayColumns(left);
  const wrong = all.slice(at, at + Math.min(source.length ?? 0, room)).join("");
  const columns = displayColumns(escapeTabs(wrong));
  const marked = Math.max(1, Math.min(columns, room - caret));
  return { text: `${left}${firstColumns(after, room - caret)}`, caret, marked };
}

function escapeTabs(text: string): string {
  return escapeControls(text.replaceAll("\t", " "));
}

function firstColumns(text: string, columns: number): string {
  if (displayColumns(text) <= columns) return text;
  let kept = "";
  for (const character of text) {
    if (displayColumns(kept + character) > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function lastColumns(text: string, columns: number): string {
  let kept = "";
  for (const character of Array.from(text).toReversed()) {
    if (displayColumns(character + kept) > columns) break;
    kept = character + kept;
  }
  return kept;
}
