/** Text cut to the columns that are there. */

import { displayColumns } from "./styled-line.ts";

/** At most `columns` wide; what is cut ends in an ellipsis. `text` is one line, without escapes. */
export function clipColumns(text: string, columns: number): string {
  if (displayColumns(text) <= columns) return text;
  const parts = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)];
  let used = 0;
  let clipped = "";
  for (const { segment } of parts) {
    const next = used + displayColumns(segment);
    if (next > columns - 1) break;
    used = next;
    clipped += segment;
  }
  return `${clipped}…`;
}
