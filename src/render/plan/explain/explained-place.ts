/** Where something is configured, with its line. */

import type { SourcePosition } from "../../../model/said/diagnostic.ts";
import { line, type StyledLine, span, textLine } from "../../text/styled-line.ts";

export function placeSection(place: SourcePosition): StyledLine[] {
  const { line: number, text } = place;
  const head = textLine(`Configured at ${placeText(place)}`, "strong", 2);
  if (text.trim() === "") return [head];
  return [head, line([span(`  ${number} | `, "muted"), text.trimEnd()], 4)];
}

export function placeText({ file, line: number, column }: SourcePosition): string {
  return `${file}:${number}:${column}`;
}
