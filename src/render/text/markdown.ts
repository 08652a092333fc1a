/** Pieces of Markdown (GitHub's and GitLab's) that text from outside cannot break out of. */

import { plural } from "../../lib/text.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { escapeControls } from "./safe-text.ts";

/** A code span; its fence is longer than any run of backticks inside. Not for tables. */
export function codeSpan(text: string): string {
  const safe = escapeControls(text);
  const runs = safe.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const padded = /^`|`$|^ .* $/.test(safe) || safe === "" ? ` ${safe} ` : safe;
  return `${fence}${padded}${fence}`;
}

/** A code span in a cell of a table, where a bar ends the cell even inside code. */
export function codeCell(text: string): string {
  return codeSpan(text).replaceAll("|", "\\|");
}

/** Text inside an HTML element, where Markdown is not read: no tag, no reference, no mention. */
export function htmlCode(text: string): string {
  const safe = escapeControls(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
  return `<code>${safe}</code>`;
}

/** A table with a header; cells are Markdown already. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Folded until it is clicked. The empty lines make the content Markdown again. */
export function folded(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** A block of commands or text that is shown as it is. */
export function codeBlock(lines: readonly string[], language: string): string {
  const text = lines.map(escapeControls).join("\n");
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Problems as quotations, the place in a file before the text. */
export function diagnosticQuotes(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ severity, code, summary, detail, fix, source, address }) => {
    const place = source === undefined ? [] : [`${source.file}:${source.line}:${source.column}:`];
    const subject = address === undefined ? [] : [`${address}:`];
    const text = [...place, ...subject, detail, ...(fix === undefined ? [] : [fix])].join(" ");
    return `> **${severity} ${code}: ${summary}.** ${codeSpan(text)}`;
  });
}

/** Room for the title, the summary and the words that something was cut, UTF-8 bytes. */
export const markdownBytesMin = 1000;

export type Fitting = {
  /** UTF-8 bytes; at least `markdownBytesMin`. Unlimited when left out. */
  readonly maxBytes?: number;
  /** What a block is, such as `section`. */
  readonly noun: string;
  /** The command that shows all. */
  readonly all: string;
};

/**
 * Head and whole blocks only, with a count of those left out; a smaller one behind one that does
 * not fit may still have its place.
 */
export function fitBlocks(
  head: readonly string[],
  blocks: readonly string[],
  { maxBytes = Number.POSITIVE_INFINITY, noun, all }: Fitting,
): string {
  const whole = [...head, ...blocks].join("\n\n");
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const cutText = (count: number): string => {
    const verb = count === 1 ? "is" : "are";
    return `_${plural(count, `more ${noun}`)} ${verb} left out to fit; \`${all}\` shows all._`;
  };
  const room = maxBytes - Buffer.byteLength(cutText(blocks.length)) - 2;
  const shown = [...head];
  let bytes = Buffer.byteLength(head.join("\n\n"));
  let cut = 0;
  for (const block of blocks) {
    const size = Buffer.byteLength(block) + 2;
    if (bytes + size <= room) {
      shown.push(block);
      bytes += size;
    } else {
      cut += 1;
    }
  }
  return [...shown, cutText(cut)].join("\n\n");
}
