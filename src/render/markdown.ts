/** Pieces of Markdown (GitHub's and GitLab's) that text from outside cannot break out of. */

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
